// SPDX-License-Identifier: Apache-2.0
//
// What clients wrote last, by a sum of each sector: their data are their own, so the host's shadow
// copy, which invents what is written, has no part in them. Only what is sure is checked: requests
// that overlap in flight may be done in any order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/fault_log.h"
#include "models/common/lazy_array.h"

namespace ssdvp::platform {

struct block_request;

class content_check {
public:
    /// Of a drive of so many sectors of 512 bytes, none of them known. Without it nothing is
    /// checked.
    void configure(std::uint64_t capacity, fault_log& faults, std::string who);

    /// The driver took `r`; `inside`: what it had before, and has not answered.
    static void begin(block_request& r, const std::vector<block_request*>& inside);
    /// The driver is done with `r`, whose data are still those that it read or wrote. `ok`: so says
    /// the drive.
    void end(const block_request& r, bool ok);

    [[nodiscard]] std::uint64_t sectors_checked() const { return m_checked; }
    [[nodiscard]] std::uint64_t mismatches() const { return m_mismatches; }

private:
    [[nodiscard]] bool covers(const block_request& r) const;
    void compare(const block_request& r);
    void remember(const block_request& r);
    void forget(const block_request& r);
    void mismatch(std::uint64_t lba);

    lazy_array<std::uint64_t> m_sums; // by sector; 0: not known
    fault_log* m_faults = nullptr;
    std::string m_who;
    std::uint64_t m_checked = 0;
    std::uint64_t m_mismatches = 0;
};

} // namespace ssdvp::platform
