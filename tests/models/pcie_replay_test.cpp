// SPDX-License-Identifier: Apache-2.0
//
// TLPs that arrive wrong: a NAK comes back and they are sent again. Generation 2 x4, 0.5 ns a byte.
#include <cmath>

#include "tests/models/pcie_bench.h"

namespace pcie_replay_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::pcie_test;

namespace {

constexpr sim_time propagation = 150_ns;

pcie::link_config gen2(double rate)
{
    pcie::link_config c;
    c.generation = 2;
    c.propagation = propagation;
    c.host_latency = 400_ns;
    c.ack_factor = 0;
    c.bit_error_rate = rate;
    return c;
}

/// A TLP of 280 B, then its NAK.
constexpr sim_time lost = 140_ns + propagation + 4_ns + propagation;

} // namespace

TEST_CASE("a write is late by the wire time that its replays lose, and its bytes count once")
{
    bench b("bench", gen2(1e-5));
    sim_time t;
    std::uint64_t before = 0;
    bool some = false;
    for (int i = 0; i < 200; ++i) {
        const sim_time start = t + 1_us;
        t = b.dma(write, 0, 4096, start);
        const std::uint64_t replays = b.link.stats().replays_up - before;
        before += replays;
        some = some || replays != 0;
        CHECK(t == start + 16 * 140_ns + propagation + lost * replays);
    }
    CHECK(some);
    CHECK(b.link.stats().bytes_up == 200 * 4480);
    CHECK(b.at_the_end().busy_up == 200 * 16 * 140_ns);
    CHECK(b.link.stats().dllp_bytes_down == before * 8);
    CHECK(b.link.stats().replays_down == 0);
}

TEST_CASE("replays are as frequent as the rate says, and cost what the formula says")
{
    for (const double rate : {1e-5, 1e-6}) {
        CAPTURE(rate);
        bench b(sc_core::sc_gen_unique_name("bench"), gen2(rate));
        constexpr int transfers = 20000;
        sim_time end;
        for (int i = 0; i < transfers; ++i) {
            end = b.dma(write, 0, 4096, 0_us);
        }
        const double bits = 8.0 * 4480 * transfers;
        const double expected = bits * rate / (1 - 8 * 280 * rate);
        const auto replays = static_cast<double>(b.link.stats().replays_up);
        // Poisson: four times the standard deviation.
        CHECK(std::abs(replays - expected) < 4 * std::sqrt(expected));
        CHECK(end == 140_ns * 16 * transfers + lost * b.link.stats().replays_up + propagation);
    }
}

TEST_CASE("the same seed has the same errors, another one others, the two directions their own")
{
    pcie::link_config c = gen2(1e-5);
    bench a("a", c);
    bench b("b", c);
    c.seed = 2;
    bench other("other", c);
    for (bench* each : {&a, &b, &other}) {
        for (int i = 0; i < 300; ++i) {
            each->dma(write, 0, 4096, 0_us);
            each->dma(read, 0, 4096, 0_us);
        }
    }
    const auto s = a.link.stats();
    CHECK(s.replays_up == b.link.stats().replays_up);
    CHECK(s.replays_down == b.link.stats().replays_down);
    CHECK(s.replays_up != s.replays_down);
    CHECK((s.replays_up != other.link.stats().replays_up ||
           s.replays_down != other.link.stats().replays_down));
}

TEST_CASE("read requests and single TLPs are replayed, too")
{
    pcie::link_config c = gen2(1e-5);
    c.tags = 1;
    bench b("bench", c);
    const sim_time trip = 12_ns + propagation + 400_ns + 276_ns + propagation;
    sim_time end;
    constexpr int transfers = 3000;
    for (int i = 0; i < transfers; ++i) {
        end = b.dma(read, 0, 512, 0_us);
    }
    const auto s = b.link.stats();
    CHECK(s.replays_up > 0);   // 24 B of 12 ns
    CHECK(s.replays_down > 0); // 276 B of 138 ns
    const sim_time nak = propagation + 4_ns + propagation;
    CHECK(end == trip * transfers + (12_ns + nak) * s.replays_up + (138_ns + nak) * s.replays_down);
}

} // namespace pcie_replay_test
