// SPDX-License-Identifier: Apache-2.0
//
// Credits at their edge: exactly enough = no wait; one fewer = until the UpdateFC is there.
// Generation 2 x4: 0.5 ns a byte, so an MWr of 256 B takes 140 ns, a CplD of 256 B 138 ns, an MRd
// 12 ns, a register write of 4 B 14 ns.
#include "tests/models/pcie_bench.h"

namespace pcie_credits_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::pcie_test;

namespace {

constexpr sim_time propagation = 150_ns;
constexpr sim_time buffered = 3_us; // in the receiver: longer than all other times here
/// TLP off the wire until its credits are back: there, freed, and an UpdateFC of 8 B.
constexpr sim_time loop = propagation + buffered + 4_ns + propagation;

pcie::link_config gen2()
{
    pcie::link_config c;
    c.generation = 2;
    c.propagation = propagation;
    c.host_latency = 400_ns;
    c.credit_latency = buffered;
    c.ack_factor = 0; // their DLLPs would lengthen some of the transfers
    c.update_factor = 0;
    return c;
}

struct credit_bench : bench {
    explicit credit_bench(const pcie::link_config& config)
        : bench(sc_core::sc_gen_unique_name("bench"), config)
    {}
};

} // namespace

TEST_CASE("write headers: 16 credits for 16 writes, or the last waits for the first one's")
{
    pcie::link_config c = gen2();
    c.host_credits.posted_headers = 16;
    credit_bench enough(c);
    CHECK(enough.dma(write, 0, 4096, 1_us) == 1_us + 16 * 140_ns + propagation);
    CHECK(enough.link.stats().credit_stalls_up == 0);
    c.host_credits.posted_headers = 15;
    credit_bench fewer(c);
    // The first write is off the wire at 1.14 us.
    CHECK(fewer.dma(write, 0, 4096, 1_us) == 1_us + 140_ns + loop + 140_ns + propagation);
    const auto s = fewer.at_the_end();
    CHECK(s.credit_stalls_up == 1);
    CHECK(s.credit_stall_time_up == loop - 14 * 140_ns);
    CHECK(s.tlps_up == 16);
    CHECK(s.bytes_up == 16 * 280);
    CHECK(s.busy_up == 16 * 140_ns);
    CHECK(s.credit_stalls_down == 0);
}

TEST_CASE("write data: 256 credits of 16 bytes for 4 KiB, or the last waits")
{
    pcie::link_config c = gen2();
    c.host_credits.posted_data = 256;
    credit_bench enough(c);
    CHECK(enough.dma(write, 0, 4096, 1_us) == 1_us + 16 * 140_ns + propagation);
    c.host_credits.posted_data = 255;
    credit_bench fewer(c);
    CHECK(fewer.dma(write, 0, 4096, 1_us) == 1_us + 140_ns + loop + 140_ns + propagation);
    CHECK(fewer.link.stats().credit_stalls_up == 1);
    // 16 bytes at an address that is no multiple of 16 are one unit all the same; 20 are two.
    c.max_payload_size = 128;
    c.host_credits.posted_data = 8;
    credit_bench small(c);
    for (int i = 0; i < 8; ++i) {
        small.dma(write, 8, 16, 0_us);
    }
    CHECK(small.link.stats().credit_stalls_up == 0);
    small.dma(write, 8, 16, 0_us);
    CHECK(small.link.stats().credit_stalls_up == 1);
    credit_bench longer(c);
    for (int i = 0; i < 5; ++i) {
        longer.dma(write, 0, 20, 0_us);
    }
    CHECK(longer.link.stats().credit_stalls_up == 1);
}

TEST_CASE("a transfer that follows waits for the credits of the one before")
{
    pcie::link_config c = gen2();
    c.host_credits.posted_headers = 17;
    credit_bench b(c);
    CHECK(b.dma(write, 0, 4096, 1_us) == 1_us + 16 * 140_ns + propagation);
    // The second of its writes starts when the first credit is back, the others follow.
    CHECK(b.dma(write, 0, 4096, 1_us) == 1_us + 140_ns + loop + 15 * 140_ns + propagation);
    CHECK(b.link.stats().credit_stalls_up == 1);
    // Much later all are back.
    CHECK(b.dma(write, 0, 4096, 1_ms) == 1_ms + 16 * 140_ns + propagation);
    CHECK(b.link.stats().credit_stalls_up == 1);
}

TEST_CASE("read requests need headers of their own class")
{
    pcie::link_config c = gen2();
    c.host_credits.nonposted_headers = 8;
    c.host_credits.posted_headers = 1;
    credit_bench enough(c);
    // 8 MRd for 4 KiB, the first there after 12 ns; 16 CplD.
    const sim_time answered = 12_ns + propagation + 400_ns + 16 * 138_ns + propagation;
    CHECK(enough.dma(read, 0, 4096, 1_us) == 1_us + answered);
    CHECK(enough.link.stats().credit_stalls_up == 0);
    c.host_credits.nonposted_headers = 7;
    credit_bench fewer(c);
    // The eighth leaves when the first one's credit is back, and its two completions follow.
    CHECK(fewer.dma(read, 0, 4096, 1_us) ==
          1_us + 12_ns + loop + 12_ns + propagation + 400_ns + 2 * 138_ns + propagation);
    CHECK(fewer.link.stats().credit_stalls_up == 1);
    CHECK(fewer.link.stats().tlps_up == 8);
    CHECK(fewer.link.stats().tlps_down == 16);
    CHECK(fewer.link.stats().tag_stalls == 0);
}

TEST_CASE("completions wait for the drive's credits, headers and data")
{
    const sim_time first = 12_ns + propagation + 400_ns; // of the completions on the wire
    for (const bool data : {false, true}) {
        CAPTURE(data);
        pcie::link_config c = gen2();
        std::uint32_t& credits =
            data ? c.device_credits.completion_data : c.device_credits.completion_headers;
        credits = data ? 256 : 16;
        credit_bench enough(c);
        CHECK(enough.dma(read, 0, 4096, 1_us) == 1_us + first + 16 * 138_ns + propagation);
        --credits;
        credit_bench fewer(c);
        CHECK(fewer.dma(read, 0, 4096, 1_us) ==
              1_us + first + 138_ns + loop + 138_ns + propagation);
        CHECK(fewer.link.stats().credit_stalls_down == 1);
        CHECK(fewer.link.stats().credit_stall_time_down == loop - 14 * 138_ns);
        CHECK(fewer.link.stats().credit_stalls_up == 0);
    }
}

TEST_CASE("register writes wait for the drive's credits")
{
    for (const bool data : {false, true}) {
        CAPTURE(data);
        pcie::link_config c = gen2();
        (data ? c.device_credits.posted_data : c.device_credits.posted_headers) = 3;
        credit_bench b(c);
        for (int i = 0; i < 3; ++i) {
            CHECK(b.mmio(write, 0x1000, 1_us) == 1_us + (i + 1) * 12_ns);
        }
        CHECK(b.link.stats().credit_stalls_down == 0);
        CHECK(b.mmio(write, 0x1000, 1_us) == 1_us + 12_ns + loop + 12_ns);
        CHECK(b.link.stats().credit_stalls_down == 1);
    }
}

TEST_CASE("register reads wait for the drive's header and the root complex's completion credits")
{
    const sim_time trip = 10_ns + propagation + 12_ns + propagation; // MRd, CplD of 4 B
    pcie::link_config c = gen2();
    c.device_credits.nonposted_headers = 1;
    credit_bench asking(c);
    CHECK(asking.mmio(read, 0, 1_us) == 1_us + trip);
    CHECK(asking.mmio(read, 0, 1_us) == 1_us + 10_ns + loop + trip);
    CHECK(asking.link.stats().credit_stalls_down == 1);
    CHECK(asking.link.stats().credit_stalls_up == 0);
    for (const bool data : {false, true}) {
        CAPTURE(data);
        pcie::link_config d = gen2();
        (data ? d.host_credits.completion_data : d.host_credits.completion_headers) = 1;
        credit_bench answering(d);
        CHECK(answering.mmio(read, 0, 1_us) == 1_us + trip);
        CHECK(answering.mmio(read, 0, 1_us) ==
              1_us + trip - propagation + loop + 12_ns + propagation);
        CHECK(answering.link.stats().credit_stalls_up == 1);
    }
}

TEST_CASE("what credits bound goes at credits x payload / loop")
{
    for (const std::uint32_t credits : {1u, 3u, 8u}) {
        pcie::link_config c = gen2();
        c.host_credits.posted_headers = credits;
        credit_bench b(c);
        constexpr int transfers = 200;
        sim_time end;
        for (int i = 0; i < transfers; ++i) {
            end = b.dma(write, 0, 4096, 0_us);
        }
        const double expected = credits * 256.0 / (static_cast<double>((140_ns + loop).ps()));
        CHECK(transfers * 4096.0 / static_cast<double>(end.ps()) ==
              Approx(expected).epsilon(0.005));
    }
}

TEST_CASE("credits do not slow what comes no faster than they return")
{
    pcie::link_config c = gen2();
    c.credit_latency = 0_ns;
    c.host_credits.posted_headers = 4; // loop 304 ns: three writes later
    credit_bench b(c);
    CHECK(b.dma(write, 0, 4096, 1_us) == 1_us + 16 * 140_ns + propagation);
    CHECK(b.link.stats().credit_stalls_up == 0);
    c.host_credits.posted_headers = 3; // 140 + 304 against 3 x 140
    credit_bench d(c);
    CHECK(d.dma(write, 0, 4096, 1_us) == 1_us + 5 * (140_ns + 304_ns) + 140_ns + propagation);
}

TEST_CASE("a cut leaves the receivers empty")
{
    pcie::link_config c = gen2();
    c.host_credits.posted_headers = 1;
    c.tags = 1;
    credit_bench b(c);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.dma(write, 0, 256, 0_us);
    b.dma(read, 0, 512, 0_us);
    b.link.power_off();
    b.dma(write, 0, 256, 0_us);
    b.dma(read, 0, 512, 0_us);
    CHECK(b.link.stats().credit_stalls_up == 0);
    CHECK(b.link.stats().tag_stalls == 0);
}

} // namespace pcie_credits_test
