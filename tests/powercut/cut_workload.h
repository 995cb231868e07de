// SPDX-License-Identifier: Apache-2.0
//
// Seeded requests of every kind, so skewed that collection, wear levelling and refresh have work.
#pragma once

#include <cstdint>
#include <random>

#include "tests/powercut/cut_drive.h"

namespace ssdvp::test {

/// What was asked for, so that a test can insist on all of it.
struct asked {
    std::uint64_t reads = 0, writes = 0, partial = 0, forced = 0, flushes = 0, zeroes = 0;
    std::uint64_t small_trims = 0, large_trims = 0, idles = 0, comresets = 0;
    std::uint64_t formats = 0;
    void add(const asked& o);
};

/// What firmware did about it, summed over the times it had power.
struct exercised {
    std::uint64_t collected = 0, levelled = 0, refreshed = 0, trimmed = 0;
    std::uint64_t programs_failed = 0, erases_failed = 0, retried = 0, copied = 0;
    std::uint64_t folded = 0;
    std::uint64_t lent = 0, damaged = 0; // map pages that came from the host's memory, whole or not
    void add(const telemetry& t);
    void add(const exercised& o);
};

class cut_workload {
public:
    explicit cut_workload(std::uint64_t seed) : m_random(seed) {}
    /// Writes every sector once, and flushes.
    bool fill(cut_drive& d);
    /// So many requests, and steps of the drive between them. False: the power went, or worse.
    bool run(cut_drive& d, std::uint64_t requests);
    asked was_asked;

private:
    host_op next(const cut_setup& s);
    host_op access(const cut_setup& s);
    host_op trim(const cut_setup& s);
    bool post(cut_drive& d, const host_op& op);
    bool reset(cut_drive& d);
    bool call_off(cut_drive& d);
    bool format(cut_drive& d);
    std::uint64_t below(std::uint64_t n) { return m_random() % n; }

    std::mt19937_64 m_random;
};

} // namespace ssdvp::test
