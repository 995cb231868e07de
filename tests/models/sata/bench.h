// SPDX-License-Identifier: Apache-2.0
//
// A SATA front end behind a real link and a controller memory. The test plays the host, which
// speaks FIS and nothing above them, and the firmware.
#pragma once

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "models/regs/ata_records.h"
#include "models/sata/front_end.h"
#include "models/sata/link.h"
#include "tests/models/front_end_bench.h"

namespace ssdvp::test {

/// A frame of the device as the host got it.
struct received {
    std::array<std::uint8_t, fis::HEADER_MAX> header{};
    std::vector<std::uint8_t> data;
    bool metadata = false;
    sim_time arrival;

    [[nodiscard]] std::uint8_t type() const { return header[0]; }
    template <typename Fis>
    [[nodiscard]] Fis as() const
    {
        Fis f;
        REQUIRE(header[0] == f.type);
        std::memcpy(&f, header.data(), sizeof f);
        return f;
    }
};

class sata_bench : public front_end_bench, public sata::transport_if {
public:
    static constexpr std::uint32_t mdts = 65536;
    static constexpr sim_time decode_latency = 100_ns;
    static constexpr sim_time move_latency = 50_ns;
    static constexpr std::uint64_t buffers = 0x100000; // of tag n at buffers + n * mdts

    sata::link wire;
    latency_ledger ledger{32, sata::slots};
    sata::front_end dut;

    // The host's side
    std::vector<received> got;                                    // all frames, as they arrived
    std::size_t looked_at = 0;                                    // of them
    std::map<std::uint32_t, std::vector<std::uint8_t>> from_host; // by tag; `single`: not queued
    bool answers_data = true; // sends data where the device asks for them
    bool takes_data = true;   // R_OK for Data FIS
    std::vector<bool> r_ok;   // of the host's frames, in order
    int ups = 0, downs = 0;

    explicit sata_bench(const sc_core::sc_module_name& name);

    // Host
    void put(const fis::register_h2d& f, std::uint8_t slot = 0);
    void put_raw(const std::vector<std::uint8_t>& header,
                 const std::vector<std::uint8_t>& data = {});
    void comreset();
    /// The next frame, which has to have come.
    received next();
    [[nodiscard]] bool nothing_more() const { return looked_at == got.size(); }
    /// Expects a Register FIS with that status and error.
    fis::register_d2h expect_register(std::uint8_t status, std::uint8_t error = 0);
    fis::set_device_bits expect_bits(std::uint32_t active, std::uint8_t status = 0x50,
                                     std::uint8_t error = 0);
    void expect_release(); // a queued command gives BSY back

    // Firmware
    sata_fe_request take_request(std::uint16_t slot); // which has to be the next one
    std::uint32_t dones();                            // takes all
    /// What firmware does when the link has changed, until it is ready again.
    void firmware_follows();

    void start();
    void power_up(); // rings, link up, signature

    bool on_frame(const sata::frame& f, sim_time arrival) override;
    void on_sent(const sata::frame& f, const sata::sent& s) override;
    void on_phy(bool up) override { ++(up ? ups : downs); }

private:
    struct outgoing {
        std::vector<std::uint8_t> header, data;
        std::uint8_t slot = 0;
    };
    void send_next(sim_time earliest);
    void answer_request(const received& r);
    void send_data(std::uint32_t length, sim_time earliest);

    std::deque<outgoing> m_out;
    bool m_sending = false;
    std::uint32_t m_tag = sata::single; // whose data the device asked for
    std::uint32_t m_offset = 0, m_left = 0;
    std::map<std::uint32_t, std::uint32_t> m_sent; // of a command that is not queued
};

/// Register FIS: 48 bits of address.
fis::register_h2d command(std::uint8_t code, std::uint64_t lba = 0, std::uint16_t count = 0);
fis::register_h2d read_queued(std::uint32_t tag, std::uint64_t lba, std::uint16_t sectors);
fis::register_h2d write_queued(std::uint32_t tag, std::uint64_t lba, std::uint16_t sectors);
fis::register_h2d read_log10();

constexpr std::uint16_t good = ATA_STATUS_GOOD;
constexpr std::uint16_t bad(std::uint32_t error)
{
    return static_cast<std::uint16_t>(ATA_STATUS_GOOD | ATA_STATUS_ERR | error << 8);
}
fe_move sata_move(fe_move_op op, std::uint16_t slot, std::uint32_t length, std::uint8_t flags,
                  std::uint32_t offset = 0);
fe_move end_move(std::uint16_t slot, std::uint16_t status = good, std::uint64_t result = 0);

} // namespace ssdvp::test
