// SPDX-License-Identifier: Apache-2.0
//
// A whole small SATA drive, real firmware included, at the other end of whose link a string of
// bytes speaks FIS as no host would. After each string the drive has to come back by a COMRESET,
// with a sector that was flushed before the first string.
//
// One drive serves all strings of a process, because SystemC elaborates once: what one string wrote
// to the flash is there for the next. A failure may therefore need the strings before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "models/protocols/sata.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::fuzz {

class fis_target final : public sata::transport_if {
public:
    /// Boots the drive, looks whether it works, and writes the sector.
    fis_target();
    ~fis_target();

    /// Does what `bytes` say, then recovers. Aborts the process where the drive is at fault.
    void execute(const std::uint8_t* bytes, std::size_t length);

    bool on_frame(const sata::frame& f, sim_time arrival) override;
    void on_sent(const sata::frame& f, const sata::sent& s) override;
    void on_phy(bool up) override;

private:
    class script;
    struct outgoing {
        std::vector<std::uint8_t> header;
        std::vector<std::uint8_t> data;
    };
    /// What the device has said since put().
    struct state {
        bool signature = false;
        bool ended = false;
        std::uint8_t status = 0;
        std::uint32_t active = 0;
    };

    void step(script& s);
    void put_command(script& s);
    void put_raw(script& s);
    void put_control(std::uint8_t control);
    void put(const fis::register_h2d& f);
    void queue(outgoing o, sim_time earliest);
    void send_next(sim_time earliest);
    void answer(const sata::frame& f, sim_time arrival);
    void send_data(sim_time earliest);
    void recover();
    void comreset();
    /// Waits for the end of a command that must end well.
    void finish(const char* what);
    void transfer(bool write);
    void run(sim_time t);
    void check(const char* when);
    [[noreturn]] static void fail(const char* what, const char* why = "");

    class silent final : public host::request_observer {
        void on_complete(const host::request_result&) override {}
    };
    silent m_nobody;
    platform::loaded_firmware m_firmware;
    std::unique_ptr<platform::ssd> m_drive;
    std::deque<outgoing> m_out;
    bool m_sending = false;
    bool m_up = false;
    state m_seen;
    std::vector<std::uint8_t> m_got;    // data of the device since put()
    std::vector<std::uint8_t> m_sector; // that must stay
    bool m_answers = true;              // data where the device asks for them
    bool m_takes = true;                // R_OK for Data FIS
    std::uint32_t m_odd = 0;            // bytes added to the next data, modulo the largest FIS
    std::uint32_t m_left = 0;           // of a DMA Setup
};

} // namespace ssdvp::fuzz
