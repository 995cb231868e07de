// SPDX-License-Identifier: Apache-2.0
//
// A drive that loses power when told: RAM NAND with faults of its own, shadow, host, and a counter
// of flash operations.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/powercut/cut_host.h"
#include "tests/powercut/cut_setup.h"

namespace ssdvp::test {

/// Where power went, or may go. A cut before an operation is one after the end of the one before
/// it.
struct cut_points {
    static constexpr std::uint64_t never = ~0ull;
    /// Cut at the n-th point from now, n from 1. Programs, copybacks and erases have two: begun,
    /// and ended with nobody knowing; with `reads` each read has them too.
    void arm(std::uint64_t n, bool reads = false)
    {
        left = n;
        count_reads = reads;
    }
    void disarm() { left = never; }
    bool operator()(const flash_point& p);

    std::uint64_t left = never;
    bool count_reads = false;
    std::uint64_t passed = 0;                      // points of programs, copybacks and erases
    std::uint64_t all = 0;                         // ... and of reads
    flash_point last{};                            // where power went
    std::function<void(const flash_point&)> watch; // of what `passed` counts
};

class cut_drive {
    bool m_faults = false; // not before the drive stands: it boots in its constructor

public:
    explicit cut_drive(const cut_setup& setup);
    /// Becomes another drive that has just lost power.
    void become(const ram_image& cells, const durable_shadow& of);

    cut_setup setup;
    cut_points points;
    durable_shadow shadow;
    ram_nand nand;
    cut_host host;

private:
    ram_config with_faults();
    bool program_fails(const nand_place& p, const flash_desc& d) const;
    bool erase_fails(const nand_place& p) const;
    ram_config::read_result read_result(const nand_place& p, const flash_desc& d) const;
    [[nodiscard]] std::uint64_t dice(const nand_place& p, std::uint32_t page, int what) const;
};

} // namespace ssdvp::test
