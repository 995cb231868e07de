// SPDX-License-Identifier: Apache-2.0
//
// A bank schedule with a checker behind it, and what the tests ask of it.
#pragma once

#include <string>
#include <vector>

#include "models/dram/bank_schedule.h"
#include "models/dram/dram_checker.h"
#include "models/dram/standards.h"

namespace ssdvp::dram::test {

inline const std::vector<dram_standard> all_standards = {
    dram_standard::ddr3, dram_standard::ddr4, dram_standard::lpddr4, dram_standard::lpddr5};

/// 32 bits of a standard, as its tables have it, without the way through the controller.
inline dram_config standard_config(dram_standard s)
{
    dram_config c;
    c.capacity = 1ull << 30;
    c.model = dram_model::bank;
    c.standard = s;
    c.transfers = table_of(s).transfers;
    c.width = 32;
    c.bandwidth = rate(c.transfers.per_second() * 4);
    c.banks = table_of(s).banks;
    c.row_size = row_of(s, c.width);
    c.timing = timing_of(s, c.transfers);
    return c;
}

/// Keeps what it is told.
struct recorder final : command_log {
    std::vector<command> commands;
    void note(const command& c) override { commands.push_back(c); }
    void settled(sim_time) override {}
    void cut(sim_time) override {}
    [[nodiscard]] std::size_t count(dram_command what) const
    {
        return static_cast<std::size_t>(std::count_if(
            commands.begin(), commands.end(), [&](const command& c) { return c.what == what; }));
    }
    [[nodiscard]] std::vector<sim_time> times(dram_command what) const
    {
        std::vector<sim_time> t;
        for (const command& c : commands) {
            if (c.what == what) {
                t.push_back(c.when);
            }
        }
        return t;
    }
};

struct checked_schedule {
    fault_log faults;
    bank_schedule banks;
    dram_checker checker;

    explicit checked_schedule(const dram_config& c)
        : banks(c), checker("dram", banks.timing(), &faults)
    {
        banks.attach(&checker);
    }
    sim_time read(std::uint64_t address, std::uint64_t bytes, sim_time from = sim_time())
    {
        return banks.transfer(sim_time(), from, address, bytes, false);
    }
    sim_time write(std::uint64_t address, std::uint64_t bytes, sim_time from = sim_time())
    {
        return banks.transfer(sim_time(), from, address, bytes, true);
    }
    /// What the checker found until `t`.
    std::string troubles(sim_time t)
    {
        banks.tell(t);
        std::string text;
        for (const auto& f : faults.faults()) {
            text += f.what + "\n";
        }
        return text;
    }
};

} // namespace ssdvp::dram::test
