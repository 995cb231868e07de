// SPDX-License-Identifier: Apache-2.0
//
// Modelled errors that make a run fail: firmware broke the flash's physics, firmware panicked,
// data came back wrong. Blocks record them here; the platform turns them into exit code 1.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

class fault_log {
public:
    struct fault {
        sim_time when;
        std::string who;  // hierarchical block name
        std::string what; // one sentence
    };
    static constexpr std::size_t kept = 32;

    void record(std::string who, std::string what)
    {
        record_at(now(), std::move(who), std::move(what));
    }
    /// For those whose time is ahead of the kernel's.
    void record_at(sim_time when, std::string who, std::string what)
    {
        ++m_count;
        if (m_faults.size() < kept) {
            m_faults.push_back({when, std::move(who), std::move(what)});
        }
    }
    [[nodiscard]] std::uint64_t count() const { return m_count; }
    [[nodiscard]] const std::vector<fault>& faults() const { return m_faults; }

private:
    std::uint64_t m_count = 0;
    std::vector<fault> m_faults; // the first `kept`
};

} // namespace ssdvp
