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
        : block(name), opt(o), link(wire), m_agenda("agenda")
    {
        SC_METHOD(act);
        sensitive << m_agenda.event();
        dont_initialize();
    }
    SC_HAS_PROCESS(ata_standin);

    bool on_frame(const sata::frame& f, sim_time arrival) override
    {
        if (f.damaged) {
            return false;
        }
        job j{f.type() == fis::DATA ? job::data : job::command, {}, f.slot, {}};
        if (f.type() == fis::REGISTER_H2D) {
            std::memcpy(&j.f, f.header, sizeof j.f);
        }
        j.bytes.assign(f.data, f.data + f.data_length);
        m_agenda.push(arrival, j);
        return true;
    }
    void on_sent(const sata::frame&, const sata::sent& s) override { m_last = s; }
    void on_phy(bool up) override
    {
        m_agenda.clear();
        m_out.clear();
        m_writing.reset();
        m_error.reset();
        m_next = sim_time();
        ++resets;
        if (up && !opt.silent) {
            m_agenda.push(now() + opt.ready_after, {job::signature, {}, 0, {}});
        }
    }

private:
    struct job {
        enum kind_t { signature, command, execute, data } kind;
        fis::register_h2d f;
        std::uint8_t slot;
        std::vector<unsigned char> bytes;
    };

    static bool is_queued(const fis::register_h2d& f)
    {
        return f.command == ATA_READ_FPDMA_QUEUED || f.command == ATA_WRITE_FPDMA_QUEUED;
    }
    static std::uint32_t sectors_of(const fis::register_h2d& f)
    {
        const std::uint32_t n =
            is_queued(f) ? f.features | f.features_high << 8u : f.count | f.count_high << 8u;
        return n == 0 ? 65536 : n;
    }
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
    void end(const fis::register_h2d& f, std::uint8_t error = 0)
    {
        if (is_queued(f)) {
            fis::set_device_bits s;
            s.flags = fis::FLAG_INTERRUPT;
            s.status = error == 0 ? 0x40 : 0x41;
            s.error = error;
            s.active = error == 0 ? 1u << (f.count >> 3) : 0;
            send(s);
            return;
        }
        fis::register_d2h d;
        d.flags = fis::FLAG_INTERRUPT;
        d.status = error == 0 ? 0x50 : 0x51;
        d.error = error;
        send(d);
    }
    void act()
    {
        activated();
        job j{job::command, {}, 0, {}};
        while (m_agenda.pop_due(j)) {
            if (j.kind == job::signature) {
                fis::register_d2h d;
                d.status = 0x50;
                d.error = d.count = 1;
                d.lba_low[0] = opt.signature;
                send(d);
            } else if (j.kind == job::command) {
                take(j);
            } else if (j.kind == job::execute) {
                execute(j.f);
            } else {
                data(j.bytes);
            }
        }
    }
    void take(const job& j)
    {
        commands.push_back({j.f, j.slot, now()});
        if (m_error && j.f.command != ATA_READ_LOG_EXT) {
            fis::register_h2d plain = j.f;
            plain.command = ATA_NOP;
            end(plain, fis::ERROR_ABRT);
            return;
        }
        if (is_queued(j.f)) {
            fis::register_d2h d;
            d.status = 0x50;
            send(d);
        }
        m_agenda.push(now() + opt.latency, {job::execute, j.f, 0, {}});
    }
    void execute(const fis::register_h2d& f)
    {
        if (m_error && is_queued(f)) {
            return; // aborted with the one that failed
        }
        const std::uint8_t error = fails ? fails(f) : std::uint8_t{0};
        if (error != 0) {
            if (is_queued(f)) {
                m_error = std::array<unsigned char, 4>{static_cast<unsigned char>(f.count >> 3), 0,
                                                       0x41, error};
            }
            end(f, error);
            return;
        }
        switch (f.command) {
        case ATA_READ_FPDMA_QUEUED:
        case ATA_READ_DMA_EXT:
            read(f);
            break;
        case ATA_WRITE_FPDMA_QUEUED:
        case ATA_WRITE_DMA_EXT:
        case ATA_WRITE_DMA_FUA_EXT:
        case ATA_DATA_SET_MANAGEMENT:
            m_out.push_back(f);
            ask();
            break;
        case ATA_IDENTIFY_DEVICE:
        case ATA_READ_LOG_EXT:
            page(f);
            break;
        default:
            end(f);
            break;
        }
    }
    void read(const fis::register_h2d& f)
    {
        const std::uint32_t length = sectors_of(f) * sector_size;
        std::vector<unsigned char> bytes(length, 0);
        for (std::uint32_t i = 0; i < sectors_of(f); ++i) {
            const auto it = m_sectors.find(fis::lba_of(f) + i);
            if (it != m_sectors.end()) {
                std::memcpy(bytes.data() + i * sector_size, it->second.data(), sector_size);
            }
        }
        if (is_queued(f)) {
            fis::dma_setup s;
            s.flags = fis::FLAG_TO_HOST;
            s.buffer_low = f.count >> 3;
            s.count = length;
            send(s);
        }
        for (std::uint32_t at = 0; at < length; at += fis::DATA_MAX) {
            send(fis::data_header{}, bytes.data() + at, std::min(fis::DATA_MAX, length - at));
            if (!m_last.ok) {
                return; // the host resets the link
            }
        }
        end(f);
    }
    /// The next write's data, when no other's are on their way.
    void ask()
    {
        if (m_writing || m_out.empty()) {
            return;
        }
        m_writing = m_out.front();
        m_out.erase(m_out.begin());
        m_received.clear();
        const bool ranges = m_writing->command == ATA_DATA_SET_MANAGEMENT;
        m_left = ranges ? m_writing->count * 512u : sectors_of(*m_writing) * sector_size;
        if (is_queued(*m_writing)) {
            fis::dma_setup s;
            s.flags = opt.auto_activate ? fis::FLAG_AUTO_ACTIVATE : std::uint8_t{0};
            s.buffer_low = m_writing->count >> 3;
            s.count = m_left;
            send(s);
        }
        if (!is_queued(*m_writing) || !opt.auto_activate) {
            send(fis::dma_activate{}, nullptr, 0, ranges);
        }
    }
    void data(const std::vector<unsigned char>& bytes)
    {
        if (!m_writing) {
            return;
        }
        m_received.insert(m_received.end(), bytes.begin(), bytes.end());
        m_left -= static_cast<std::uint32_t>(bytes.size());
        if (m_left != 0) {
            send(fis::dma_activate{});
            return;
        }
        const fis::register_h2d f = *m_writing;
        m_writing.reset();
        if (f.command == ATA_DATA_SET_MANAGEMENT) {
            trim();
        } else {
            for (std::uint32_t i = 0; i < sectors_of(f); ++i) {
                auto& sector = m_sectors[fis::lba_of(f) + i];
                std::memcpy(sector.data(), m_received.data() + i * sector_size, sector_size);
            }
        }
        end(f);
        ask();
    }
    void trim()
    {
        for (std::size_t at = 0; at < m_received.size(); at += 8) {
            std::uint64_t range = 0;
            std::memcpy(&range, m_received.data() + at, sizeof range);
            const auto sectors = static_cast<std::uint32_t>(range >> 48);
            const std::uint64_t lba = range & 0xFFFFFFFFFFFFull;
            if (sectors != 0) {
                trims.emplace_back(lba, sectors);
                m_sectors.erase(m_sectors.lower_bound(lba), m_sectors.lower_bound(lba + sectors));
            }
        }
    }
    void page(const fis::register_h2d& f)
    {
        std::array<unsigned char, 512> p{};
        const auto word = [&p](std::size_t i, std::uint32_t v) {
            p[2 * i] = static_cast<unsigned char>(v);
            p[2 * i + 1] = static_cast<unsigned char>(v >> 8);
        };
        if (f.command == ATA_IDENTIFY_DEVICE) {
            const char* name = "tsna-dni"; // "stand-in", two characters a word
            std::memset(p.data() + 54, ' ', 40);
            std::memcpy(p.data() + 54, name, 8);
            word(75, 31);
            word(76, opt.queued ? 0x10Eu : 0x0Eu);
            word(78, opt.auto_activate ? 4u : 0u);
            word(82, 0x60);
            word(83, 0x6400);
            for (std::size_t i = 0; i < 4; ++i) {
                word(100 + i, static_cast<std::uint32_t>(opt.capacity >> 16 * i) & 0xFFFF);
            }
            word(169, opt.trim ? 1u : 0u);
        } else {
            CHECK(f.lba_low[0] == ATA_LOG_QUEUE_ERROR);
            std::memcpy(p.data(), m_error->data(), m_error->size());
            m_error.reset();
            fis::set_device_bits s;
            s.status = 0x40;
            s.active = ~0u;
            send(s);
        }
        fis::pio_setup s;
        s.flags = fis::FLAG_TO_HOST | fis::FLAG_INTERRUPT;
        s.status = 0x58;
        s.end_status = 0x50;
        s.transfer_count = 512;
        send(s);
        send(fis::data_header{}, p.data(), 512, true);
    }

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
