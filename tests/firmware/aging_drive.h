// SPDX-License-Identifier: Apache-2.0
//
// A RAM drive whose shallow pages can be read for a limited time, and what firmware did with them.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "models/regs/choices/shallow_policy.h"
#include "tests/firmware/drive_bench.h"

namespace ssdvp::test {

inline constexpr std::uint64_t unit_ns = 1000000; // of time: a retention is 10
inline constexpr std::uint64_t limit_ns = 10 * unit_ns;
inline constexpr std::uint64_t margin_ns = unit_ns / 2;

/// One LUN, one plane, pages of one unit: each host write is a program.
inline ram_config aging_config(std::uint32_t policy = SHALLOW_ALL)
{
    ram_config c = one_plane();
    c.params.flash.host_program_mode = FLASH_MODE_SHALLOW;
    c.params.retention.limit_ns = limit_ns;
    c.params.retention.margin_ns = margin_ns;
    c.params.retention.policy = policy;
    c.params.retention.small = 512;
    c.params.retention.rewrite = 1;
    c.params.retention.regions = 8;
    c.params.retention.threshold = 400;
    c.clock = true;
    return c;
}

class aging_drive {
public:
    explicit aging_drive(ram_config c)
    {
        c.on_program = [this](const nand_place& p, const flash_desc& d) {
            cells(p)[{p.plane, d.block, d.page}] = {d.program_mode == FLASH_MODE_SHALLOW,
                                                    d0 != nullptr ? d0->nand.time_ns() : 0};
            ++(d.program_mode == FLASH_MODE_SHALLOW ? shallow : deep);
            if (d.purpose == FLASH_PURPOSE_HOST) {
                last_program = d0 != nullptr ? d0->nand.time_ns() : 0;
            }
            return false;
        };
        c.on_read = [this](const nand_place& p, const flash_desc& d) {
            const auto at = cells(p).find({p.plane, d.block, d.page});
            ram_config::read_result r;
            r.uncorrectable = d.length != 0 && at != cells(p).end() && at->second.shallow &&
                              d0->nand.time_ns() >= at->second.since + limit_ns;
            expired += r.uncorrectable ? 1 : 0;
            return r;
        };
        c.on_point = [this](const flash_point& f) {
            if (!f.ended && f.op == FLASH_OP_PROGRAM && f.purpose == FLASH_PURPOSE_HOST) {
                last_begin = d0 != nullptr ? d0->nand.time_ns() : 0;
            }
            return false;
        };
        m_drive = std::make_unique<drive>(c);
        d0 = m_drive.get();
        d0->create_queues();
    }
    drive& operator*() { return *m_drive; }
    drive* operator->() { return m_drive.get(); }

    /// Written through, at rest; returns when its program began.
    std::uint64_t write(std::uint64_t lba, std::uint32_t sectors = 1)
    {
        REQUIRE(m_drive->start_write(lba, sectors, true));
        m_drive->idle();
        return last_begin;
    }
    void wait_until(std::uint64_t ns) { m_drive->nand.wait_until(ns); }
    [[nodiscard]] const ram_cells::operation_count& refresh() const
    {
        return d0->nand.count(FLASH_PURPOSE_REFRESH);
    }
    [[nodiscard]] const telemetry_retention& told() const { return d0->nand.counters().retention; }
    void check()
    {
        m_drive->check_everything();
        m_drive->check_identities();
        m_drive->check_rules();
        CHECK(m_drive->statuses.size() == 1);
        CHECK(m_drive->statuses.begin()->first == 0);
    }

    std::uint64_t shallow = 0, deep = 0; // pages programmed
    std::uint64_t expired = 0;           // reads of a page whose limit had passed
    std::uint64_t last_begin = 0, last_program = 0;

private:
    struct cell {
        bool shallow;
        std::uint64_t since;
    };
    using page = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    std::map<page, cell>& cells(const nand_place& p) { return m_cells[{p.channel, p.lun}]; }

    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<page, cell>> m_cells;
    drive* d0 = nullptr;
    std::unique_ptr<drive> m_drive;
};

} // namespace ssdvp::test
