// SPDX-License-Identifier: Apache-2.0
//
// Whatever is asked for in whatever order: the commands keep the rules, and the data bus is never
// used twice.
#include <catch2/catch.hpp>

#include "tests/models/dram_support.h"

namespace dram_fuzz_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::dram;

namespace {

/// A counter-based draw.
std::uint64_t draw(std::uint64_t& n)
{
    std::uint64_t z = (n += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

struct mix {
    dram_standard standard;
    page_policy policy;
    address_mapping mapping;
    std::uint32_t refresh_group;
};

void any_order(const mix& m)
{
    dram_config c = dram::test::standard_config(m.standard);
    c.policy = m.policy;
    c.mapping = m.mapping;
    c.refresh_group = m.refresh_group;
    dram::test::checked_schedule s(c);
    std::uint64_t seed = 7 + static_cast<std::uint64_t>(m.standard);
    sim_time present;
    std::uint64_t bytes = 0;
    for (unsigned i = 0; i < 3000; ++i) {
        present += sim_time(draw(seed) % 4 == 0 ? draw(seed) % 6000000 : draw(seed) % 100000);
        const sim_time from = present + sim_time(draw(seed) % 3 == 0 ? draw(seed) % 20000000 : 0);
        const std::uint64_t length = draw(seed) % 4 == 0 ? 1 + draw(seed) % 64 : 4096;
        const std::uint64_t address = draw(seed) % 64 * 16384 + draw(seed) % 4 * 1000;
        const bool write = draw(seed) % 2 == 0;
        const sim_time end = s.banks.transfer(present, from, address, length, write);
        bytes += length;
        CHECK(end >= from + s.banks.timing().to_data(write) + s.banks.timing().burst);
    }
    present += 1_ms;
    CHECK(s.troubles(present) == "");
    const dram_stats stats = s.banks.stats(present);
    CHECK(stats.bytes_read + stats.bytes_written == bytes);
    CHECK(stats.open <= present);
    CHECK(stats.row_hits + stats.row_misses + stats.row_conflicts >= 3000);
    const std::uint64_t opened = stats.row_misses + stats.row_conflicts;
    CHECK(stats.activates == opened * s.banks.timing().ways);
    const std::uint64_t columns = stats.bursts_read + stats.bursts_written;
    CHECK(s.checker.commands() > columns + stats.activates + stats.refreshes);
}

} // namespace

TEST_CASE("dram bank: no order of transfers breaks a rule")
{
    for (const dram_standard standard : dram::test::all_standards) {
        for (const page_policy policy : {page_policy::open, page_policy::closed}) {
            for (const address_mapping mapping :
                 {address_mapping::row_bank_column, address_mapping::bank_interleaved}) {
                INFO(table_of(standard).name << " policy " << static_cast<int>(policy)
                                             << " mapping " << static_cast<int>(mapping));
                any_order({standard, policy, mapping, 1});
                any_order({standard, policy, mapping, 4});
            }
        }
    }
}

} // namespace dram_fuzz_test
