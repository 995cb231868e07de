// SPDX-License-Identifier: Apache-2.0
//
// Where the host data of a command lies, as its PRPs or its SGL tell. NVM Express base 1.4
// sections 4.3 (PRP), 4.4 (SGL).
#pragma once

#include <cstdint>
#include <vector>

#include "models/regs/nvme_fe_regs.h"

namespace ssdvp::nvme {

constexpr std::uint32_t host_page = 4096;           // CAP.MPSMIN = MPSMAX = 0
constexpr std::uint32_t sgl_descriptors_max = 4096; // of one command, all segments together

/// A stretch of host memory without a hole.
struct host_run {
    std::uint64_t address;
    std::uint32_t length;
    bool bucket = false; // bit bucket: the bytes go nowhere
};

/// One data block or bit bucket of an SGL.
struct sgl_run {
    std::uint64_t address;
    std::uint32_t end; // in the command's data, first byte behind it
    bool bucket;
};

struct data_map {
    std::uint32_t length = 0; // bytes of host data
    std::uint16_t error = 0;  // status of moves that touch what is wrong, 0 = nothing is
    bool by_runs = false;     // an SGL, or one stretch of metadata; else PRPs

    std::uint64_t first = 0;          // PRP1, may have an offset
    std::vector<std::uint64_t> pages; // second page and on
    std::uint64_t bad_page = ~0ull;   // from this page on the entries cannot be used
    std::vector<sgl_run> runs;

    void clear()
    {
        length = 0;
        error = 0;
        by_runs = false;
        first = 0;
        bad_page = ~0ull;
        pages.clear();
        runs.clear();
    }
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
    /// Status that a move of [offset, offset + bytes) fails with before it starts; 0 = it can
    /// start.
    [[nodiscard]] std::uint16_t refusal(std::uint32_t offset, std::uint32_t bytes) const;
};

/// The run that starts at byte `offset` of the command's data: at most `left` and `limit` bytes,
/// and when `limit` cuts it, it ends on a page boundary. Precondition: offset + left <= length.
[[nodiscard]] host_run run_at(const data_map& map, std::uint32_t offset, std::uint32_t left,
                              std::uint32_t limit);

/// Bytes that a command announces.
struct transfer_size {
    std::uint64_t data = 0;
    std::uint64_t metadata = 0; // at MPTR
};

/// Of a command of the admin queue.
[[nodiscard]] transfer_size admin_size(const nvme_sqe& sqe);
/// Of a command of an I/O queue. `format`: FE_REG_NS_FORMAT of its namespace; `lba_shift`: where
/// that has no shift.
[[nodiscard]] transfer_size io_size(const nvme_sqe& sqe, std::uint32_t format,
                                    std::uint32_t lba_shift);

} // namespace ssdvp::nvme
