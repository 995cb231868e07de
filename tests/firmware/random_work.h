// SPDX-License-Identifier: Apache-2.0
//
// Random commands of every kind against the shadow copy.
#pragma once

#include <random>

#include "tests/firmware/drive_bench.h"

namespace ssdvp::test {

struct mix {
    std::uint32_t read = 40, write = 45, zeroes = 3, trim = 6, flush = 2; // the rest: FUA writes
    std::uint32_t sectors_max = 24;
    std::uint64_t operations = 60000;
    std::uint32_t fua_reads = 0; // one of so many reads has FUA; 0 = none
    double hot = 0.0;            // share of accesses to the first eighth
};

inline void run_random(drive& d, const mix& m, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    for (std::uint64_t n = 0; n < m.operations;) {
        const auto kind = static_cast<std::uint32_t>(random() % 100);
        const std::uint64_t space =
            static_cast<double>(random() % 1000) < m.hot * 1000 ? d.sectors() / 8 : d.sectors();
        std::uint32_t len = 1 + static_cast<std::uint32_t>(random() % m.sectors_max);
        std::uint64_t lba = random() % space;
        if (random() % 2 == 0) { // whole, aligned units are common
            lba &= ~7ull;
            len = (len + 7) & ~7u;
        }
        len = static_cast<std::uint32_t>(std::min<std::uint64_t>(len, d.sectors() - lba));
        bool started = false;
        std::uint32_t limit = m.read;
        if (kind < limit) {
            started = d.start_read(lba, len, m.fua_reads != 0 && random() % m.fua_reads == 0);
        } else if (kind < (limit += m.write)) {
            started = d.start_write(lba, len);
        } else if (kind < (limit += m.zeroes)) {
            started = d.start_zeroes(lba, len, random() % 4 == 0);
        } else if (kind < (limit += m.trim)) {
            std::vector<std::pair<std::uint64_t, std::uint32_t>> ranges;
            for (std::uint64_t r = 1 + random() % 3; r != 0; --r) {
                const std::uint64_t start = random() % d.sectors();
                ranges.emplace_back(start, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                               random() % 100, d.sectors() - start)));
            }
            started = d.start_trim(ranges);
        } else if (kind < limit + m.flush) {
            started = d.start_flush();
        } else {
            started = d.start_write(lba, len, true);
        }
        n += started ? 1 : 0;
        // Sometimes let the queue fill, sometimes drain it.
        for (std::uint64_t k = started ? random() % 6 : 8; k != 0; --k) {
            if (!d.pump()) {
                REQUIRE(started);
                break;
            }
        }
        if (d.mismatches != 0 || d.nand.panicked() || !d.nand.broken().empty()) {
            break;
        }
    }
    d.drain();
    d.check_everything();
    d.check_identities();
    d.check_rules();
    CHECK(d.statuses.size() == 1);
    CHECK(d.statuses[0] == d.completed);
}

} // namespace ssdvp::test
