// SPDX-License-Identifier: Apache-2.0
//
// Units that the code cannot read any more, and the marks that stay of them.
#pragma once

#include <algorithm>

#include "tests/firmware/erring_drive.h"

namespace ssdvp::test {

/// From now on the fourth page of every block cannot be read.
inline void lose_a_page(erring_drive& x)
{
    x.fate = [](const nand_place&, const flash_desc& r) {
        return ram_config::read_result{r.page == 3, 0, false};
    };
    x.armed = true;
}

/// First sectors of the units whose reads end with `status`.
inline std::vector<std::uint64_t> units_that_read(drive& d, std::uint16_t status)
{
    std::vector<std::uint64_t> units;
    for (std::uint64_t lba = 0; lba < d.sectors(); lba += 8) {
        if (status_of_read(d, lba, 8) == status) {
            units.push_back(lba);
        }
    }
    return units;
}

/// The units around them are written until everything has moved several times.
inline void write_around(drive& d, const std::vector<std::uint64_t>& lost)
{
    std::mt19937_64 random(4);
    for (int i = 0; i < 12000; ++i) {
        const std::uint64_t lba = random() % (d.sectors() / 8) * 8;
        while (!std::binary_search(lost.begin(), lost.end(), lba) && !d.start_write(lba, 8)) {
            REQUIRE(d.pump());
        }
    }
    d.idle();
}

/// What lies on the flash says so itself, for whoever rebuilds the map from it.
inline void check_marks(drive& d, const std::vector<std::uint64_t>& lost)
{
    const std::vector<std::uint64_t> words = unit_words(d);
    for (const std::uint64_t lba : lost) {
        const std::uint64_t word = lba / 8 | 1ull << 35 | 1ull << 36; // lost, data
        CHECK(std::count(words.begin(), words.end(), word) > 0);
    }
}

} // namespace ssdvp::test
