// SPDX-License-Identifier: Apache-2.0
//
// Physical region pages of a command. NVM Express base 1.4 section 4.3.
#pragma once

#include <cstdint>
#include <vector>

#include "models/regs/nvme_regs.h"

namespace ssdvp::nvme {

constexpr std::uint32_t host_page = 4096; // CAP.MPSMIN = MPSMAX = 0

/// Where the host data of one command lies: PRP1, then whole pages.
struct page_map {
    std::uint64_t first = 0;          // PRP1, may have an offset
    std::uint32_t length = 0;         // bytes of host data
    std::vector<std::uint64_t> pages; // second page and on
    std::uint64_t bad_page = ~0ull;   // from this page on the entries cannot be used

    [[nodiscard]] std::uint32_t first_offset() const
    {
        return static_cast<std::uint32_t>(first % host_page);
    }
    /// Page, counted from 0, that byte `offset` of the data lies on.
    [[nodiscard]] std::uint64_t page_of(std::uint64_t offset) const
    {
        return (offset + first_offset()) / host_page;
    }
    /// Pages that `length` bytes touch.
    [[nodiscard]] std::uint64_t page_count() const
    {
        return (std::uint64_t{first_offset()} + length + host_page - 1) / host_page;
    }
};

/// A stretch of host memory without a hole.
struct host_run {
    std::uint64_t address;
    std::uint32_t length;
};

/// The run that starts at byte `offset` of the command's data: at most `left` and `limit` bytes,
/// and when `limit` cuts it, it ends on a page boundary. Precondition: offset + left <= length.
[[nodiscard]] host_run run_at(const page_map& map, std::uint32_t offset, std::uint32_t left,
                              std::uint32_t limit);

/// Bytes of host data that a command announces; `admin` tells which command set. 0 = none.
[[nodiscard]] std::uint64_t data_length(const nvme_sqe& sqe, bool admin, std::uint32_t lba_shift);

} // namespace ssdvp::nvme
