// SPDX-License-Identifier: Apache-2.0
//
// Puts the commands that the bank model books into the order of time, holds them against the rules
// and records each broken one as a fault. Costs no activation; it allocates, as tests may.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/common/fault_log.h"
#include "models/dram/command_checker.h"

namespace ssdvp::dram {

class dram_checker final : public command_log {
public:
    /// `name` is the who of its faults.
    dram_checker(std::string name, const bank_timing& timing, fault_log* faults)
        : m_name(std::move(name)), m_faults(faults), m_checker(timing, [this](const violation& v) {
              if (m_faults != nullptr) {
                  m_faults->record(m_name, describe(v));
              }
          })
    {}

    void note(const command& c) override { m_noted.push_back(c); }
    void settled(sim_time t) override
    {
        const auto before = [](const command& a, const command& b) { return a.when < b.when; };
        const auto end = std::stable_partition(m_noted.begin(), m_noted.end(),
                                               [t](const command& c) { return c.when < t; });
        std::stable_sort(m_noted.begin(), end, before);
        std::for_each(m_noted.begin(), end, [this](const command& c) { m_checker.observe(c); });
        m_noted.erase(m_noted.begin(), end);
    }
    void cut(sim_time t) override
    {
        settled(t);
        m_noted.clear();
        m_checker.restart();
    }

    [[nodiscard]] std::uint64_t commands() const { return m_checker.commands(); }
    [[nodiscard]] std::uint64_t violations() const { return m_checker.violations(); }

private:
    std::string m_name;
    fault_log* m_faults;
    command_checker m_checker;
    std::vector<command> m_noted;
};

} // namespace ssdvp::dram
