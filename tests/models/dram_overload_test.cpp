// SPDX-License-Identifier: Apache-2.0
//
// More is asked for than the part can do: the books grow, and the work on each transfer does not.
#include <array>
#include <catch2/catch.hpp>

#include "tests/models/dram_support.h"

namespace dram_overload_test {

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

struct asked {
    sim_time present;
    sim_time from;
    std::uint64_t address;
    std::uint64_t bytes;
    bool write;
};

/// One transfer each `gap` on the average; some know of theirs 50 us ahead.
class asking {
public:
    explicit asking(sim_time gap) : m_gap(gap) {}
    asked next()
    {
        m_present += sim_time(draw(m_seed) % (2 * m_gap.ps()));
        asked a;
        a.present = m_present;
        a.from = m_present + sim_time(draw(m_seed) % 3 == 0 ? draw(m_seed) % 50000000 : 0);
        a.bytes = draw(m_seed) % 4 == 0 ? 1 + draw(m_seed) % 64 : 4096;
        a.address = draw(m_seed) % 4096 * 16384 + draw(m_seed) % 4 * 1000;
        a.write = draw(m_seed) % 2 == 0;
        return a;
    }

private:
    sim_time m_gap;
    sim_time m_present;
    std::uint64_t m_seed = 7;
};

constexpr unsigned runs = 9; // of 4096 bytes, in pieces of 512

dram_config interleaved(dram_standard s, sim_time tRRD)
{
    dram_config c = dram::test::standard_config(s);
    c.mapping = address_mapping::bank_interleaved;
    c.timing.tRRD = c.timing.tRRD_L = later(c.timing.tRRD, tRRD);
    c.timing.tFAW = later(c.timing.tFAW, tRRD);
    return c;
}

/// FNV-1a of the ends of `transfers`.
std::uint64_t ends(const dram_config& c, sim_time gap, unsigned transfers)
{
    bank_schedule banks(c);
    asking host(gap);
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (unsigned i = 0; i < transfers; ++i) {
        const asked a = host.next();
        hash ^= banks.transfer(a.present, a.from, a.address, a.bytes, a.write).ps();
        hash *= 0x100000001B3ull;
    }
    return hash;
}

} // namespace

// The numbers are those of a search that looks at all that is booked.
TEST_CASE("dram bank: where the part keeps up, a bounded search finds the same places")
{
    using s = dram_standard;
    CHECK(ends(interleaved(s::ddr3, sim_time()), 700_ns, 2000) == 0x4EB2BE00BEAD98DFull);
    CHECK(ends(interleaved(s::ddr4, sim_time()), 500_ns, 2000) == 0x1D2E7D33AE824531ull);
    CHECK(ends(interleaved(s::lpddr4, sim_time()), 400_ns, 2000) == 0x4B87A8DEB76E4889ull);
    CHECK(ends(interleaved(s::lpddr5, sim_time()), 400_ns, 2000) == 0x2A562068F0FA39CDull);
    CHECK(ends(dram::test::standard_config(s::ddr3), 700_ns, 2000) == 0xF18221D00F6EA6C5ull);
    // An overload that lasts for 200 transfers: 0.7 ms of activations are booked ahead.
    CHECK(ends(interleaved(s::ddr4, 200_ns), 600_ns, 200) == 0x339220E7D29F7B65ull);
}

TEST_CASE("dram bank: the work on a transfer does not grow with what is booked")
{
    for (const dram_standard standard : dram::test::all_standards) {
        INFO(table_of(standard).name);
        bank_schedule banks(interleaved(standard, 200_ns));
        asking host(200_ns);
        constexpr unsigned transfers = 2000;
        std::array<std::uint64_t, 2> half{};
        sim_time backlog;
        for (unsigned i = 0; i < transfers; ++i) {
            const asked a = host.next();
            const std::uint64_t before = banks.looked();
            const sim_time end = banks.transfer(a.present, a.from, a.address, a.bytes, a.write);
            const std::uint64_t looked = banks.looked() - before;
            CHECK(looked <= runs * (bank_schedule::most_looked + 4 * column_bus::reach));
            half[i * 2 / transfers] += looked;
            backlog = later(backlog, end - a.present);
        }
        CHECK(backlog > 1_ms);
        CHECK(half[1] < 4 * half[0]);
    }
}

TEST_CASE("dram bank: an overload breaks no rule")
{
    for (const dram_standard standard : dram::test::all_standards) {
        INFO(table_of(standard).name);
        dram::test::checked_schedule s(interleaved(standard, sim_time()));
        asking host(100_ns);
        sim_time end;
        for (unsigned i = 0; i < 1500; ++i) {
            const asked a = host.next();
            end = later(end, s.banks.transfer(a.present, a.from, a.address, a.bytes, a.write));
        }
        CHECK(s.troubles(end + 1_us) == "");
    }
}

} // namespace dram_overload_test
