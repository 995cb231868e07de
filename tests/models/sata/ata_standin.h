// SPDX-License-Identifier: Apache-2.0
//
// A drive at the level of frames: sectors in a map, commands done after a fixed time, in any order
// where they are queued, with the errors that a test asks for.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "models/common/block.h"
#include "models/common/timed_queue.h"
#include "models/host/host_system.h"
#include "models/regs/ata_records.h"
#include "models/sata/link.h"

namespace ssdvp::test {

using namespace ssdvp::literals;

class ata_standin : public block, public sata::transport_if {
public:
    struct options {
        std::uint64_t capacity = 1u << 20; // sectors
        sim_time ready_after = 50_us;      // of the link
        sim_time latency = 10_us;          // command -> its data, or its end
        bool queued = true;
        bool auto_activate = true;
        bool trim = true;
        bool write_cache = true;
        bool cache_on = false;      // ... from power-up
        bool silent = false;        // no signature
        std::uint8_t signature = 1; // LBA low
    };
    struct seen {
        fis::register_h2d command;
        std::uint8_t slot;
        sim_time when;
    };
    options opt;
    sata::link& link;
    std::vector<seen> commands;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> trims;
    std::function<std::uint8_t(const fis::register_h2d&)> fails; // error of ATA, 0 = none
    std::uint64_t resets = 0;

    ata_standin(const sc_core::sc_module_name& name, sata::link& wire, const options& o)
        : block(name), opt(o), link(wire)
    {
        m_agenda.wakes<&ata_standin::act>(*this);
    }

    bool on_frame(const sata::frame& f, sim_time arrival) override;
    void on_sent(const sata::frame&, const sata::sent& s) override { m_last = s; }
    void on_phy(bool up) override;

private:
    struct job {
        enum kind_t { signature, command, execute, data } kind;
        fis::register_h2d f;
        std::uint8_t slot;
        std::vector<unsigned char> bytes;
    };

    static bool is_queued(const fis::register_h2d& f);
    static std::uint32_t sectors_of(const fis::register_h2d& f);
    template <typename Fis>
    void send(const Fis& f, const unsigned char* data = nullptr, std::uint32_t length = 0,
              bool metadata = false)
    {
        sata::frame frame;
        frame.header = &f;
        frame.header_length = sizeof f;
        frame.data = data;
        frame.data_length = length;
        frame.metadata = metadata;
        link.send(sata::side::device, frame, later(m_next, now()));
        m_next = m_last.end;
    }
    void end(const fis::register_h2d& f, std::uint8_t error = 0);
    void act();
    void take(const job& j);
    void execute(const fis::register_h2d& f);
    void read(const fis::register_h2d& f);
    /// The next write's data, when no other's are on their way.
    void ask();
    void data(const std::vector<unsigned char>& bytes);
    void trim();
    void page(const fis::register_h2d& f);

    timed_queue<job> m_agenda;
    std::map<std::uint64_t, std::array<unsigned char, sector_size>> m_sectors;
    std::vector<fis::register_h2d> m_out; // writes whose data are to come
    std::optional<fis::register_h2d> m_writing;
    std::vector<unsigned char> m_received;
    std::uint32_t m_left = 0;
    std::optional<std::array<unsigned char, 4>> m_error; // of the log 10h
    sata::sent m_last;
    sim_time m_next;
};

} // namespace ssdvp::test
