// SPDX-License-Identifier: Apache-2.0
//
// What the link layer puts on the wire beside TLPs: ACKs, flow-control updates, SKP ordered sets,
// and the end-to-end CRC inside of TLPs.
#include "tests/models/pcie_bench.h"

namespace pcie_dllps_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::pcie_test;

namespace {

pcie::link_config gen2(std::uint32_t ack_factor)
{
    pcie::link_config c; // 0.5 ns a byte
    c.generation = 2;
    c.propagation = 150_ns;
    c.host_latency = 400_ns;
    c.ack_factor = ack_factor;
    return c;
}

struct pair_times {
    double up;
    double down;
};

/// Per 4 KiB write up, 4 KiB read down when both directions are full.
pair_times times_of(const pcie::link_config& config)
{
    bench b(sc_core::sc_gen_unique_name("bench"), config);
    sim_time up_begin, up_end, down_begin, down_end;
    constexpr int pairs = 400;
    constexpr int measured = 300;
    for (int i = 0; i < pairs; ++i) {
        if (i == pairs - measured) {
            up_begin = up_end;
            down_begin = down_end;
        }
        up_end = b.dma(write, 0, 4096, 0_us);
        down_end = b.dma(read, 0x2000, 4096, 0_us);
    }
    return {static_cast<double>((up_end - up_begin).ps()) / measured,
            static_cast<double>((down_end - down_begin).ps()) / measured};
}

} // namespace

TEST_CASE("one ACK of 8 bytes for so many TLPs, on the other direction")
{
    struct expectation {
        std::uint32_t factor;
        std::uint64_t down; // for 16 MWr and 8 MRd up
        std::uint64_t up;   // for 16 CplD down
    };
    for (const expectation e : {expectation{1, 24 * 8, 16 * 8}, expectation{4, 6 * 8, 4 * 8},
                                expectation{5, 4 * 8, 3 * 8}, expectation{0, 0, 0}}) {
        CAPTURE(e.factor);
        bench b(sc_core::sc_gen_unique_name("bench"), gen2(e.factor));
        b.dma(write, 0, 4096, 0_us);
        b.dma(read, 0, 4096, 0_us);
        const auto s = b.link.stats();
        CHECK(s.dllp_bytes_down == e.down);
        CHECK(s.dllp_bytes_up == e.up);
        CHECK(s.bytes_up == 4480 + 192);
        CHECK(s.bytes_down == 4416);
    }
}

TEST_CASE("flits carry acknowledgements and updates without bytes of their own")
{
    pcie::link_config c = gen2(1);
    c.generation = 6;
    c.host_credits.posted_headers = 16;
    bench b("bench", c);
    b.dma(write, 0, 4096, 0_us);
    CHECK(b.link.stats().dllp_bytes_down == 0);
}

TEST_CASE("UpdateFCs are sent for classes with credits, and for no others")
{
    pcie::link_config c = gen2(0);
    c.update_factor = 4;
    c.host_credits.posted_data = 1024;
    bench b("bench", c);
    b.dma(write, 0, 4096, 0_us);
    CHECK(b.link.stats().dllp_bytes_down == 4 * 8);
    b.dma(read, 0, 4096, 0_us);
    CHECK(b.link.stats().dllp_bytes_down == 4 * 8);
    CHECK(b.link.stats().dllp_bytes_up == 0);
    c.update_factor = 16;
    bench d("rarely", c);
    d.dma(write, 0, 4096, 0_us);
    CHECK(d.link.stats().dllp_bytes_down == 8);
}

TEST_CASE("DLLPs fit into gaps: they delay nothing on a wire with room")
{
    bench with("with", gen2(1));
    bench without("without", gen2(0));
    for (bench* b : {&with, &without}) {
        sim_time t = 1_us;
        for (int i = 0; i < 20; ++i) {
            t = b->dma(write, 0, 4096, t) + 8_ns;
            t = b->dma(read, 0, 4096, t) + 8_ns;
        }
        CHECK(t == 1_us + 20 * (16 * 140_ns + 150_ns + 8_ns + 12_ns + 150_ns + 400_ns +
                                16 * 138_ns + 150_ns + 8_ns));
    }
}

TEST_CASE("on full wires each TLP pays for the DLLPs of the other direction")
{
    // Up: 16 MWr of 280 B and 8 MRd of 24 B, with ACKs for 16 CplD. Down: 16 CplD of 276 B, with
    // ACKs for 24 TLPs; it is faster, so that fewer of these arrive in its time.
    for (const std::uint32_t factor : {0u, 1u, 4u}) {
        CAPTURE(factor);
        const double share = factor == 0 ? 0.0 : 8.0 / factor;
        const double up = 4480 + 192 + 16 * share;
        const double down = 4416 / (1 - 24 * share / up);
        const pair_times t = times_of(gen2(factor));
        CHECK(t.up == Approx(up * 500).epsilon(0.001));
        CHECK(t.down == Approx(down * 500).epsilon(0.001));
    }
}

TEST_CASE("SKP ordered sets take their share of every wire time")
{
    pcie::link_config c = gen2(0);
    c.skip_fraction = 0.0026; // 4 of 1,538 symbols, to four digits
    // 4480 B at 0.5 ns, with 0.9974 of the time to themselves: 2,245,839.18 ps, rounded up.
    CHECK(wire_time(c, 4480) == sim_time(2245840));
    bench b("bench", c);
    CHECK(b.dma(write, 0, 4096, 1_us) == 1_us + sim_time(2245840) + 150_ns);
    CHECK(b.link.stats().bytes_up == 4480);
    CHECK(line_rate(c).per_second() == 1994800000);
    c.skip_fraction = 0.05;
    CHECK(wire_time(c, 95) == sim_time(50000));
}

TEST_CASE("an end-to-end CRC is 4 bytes in every TLP")
{
    pcie::link_config c = gen2(0);
    c.ecrc = true;
    bench b("bench", c);
    b.dma(write, 0, 4096, 0_us);
    b.dma(read, 0, 4096, 0_us);
    CHECK(b.link.stats().bytes_up == 16 * (256 + 28) + 8 * 28);
    CHECK(b.link.stats().bytes_down == 16 * (256 + 24));
    b.mmio(write, 0, 100_us);
    CHECK(b.link.stats().bytes_down == 16 * (256 + 24) + 28);
    c.generation = 6;
    CHECK(write_cost(c, ram, 4096) == pcie::tlp_cost{16, 4096 + 16 * 20});
}

} // namespace pcie_dllps_test
