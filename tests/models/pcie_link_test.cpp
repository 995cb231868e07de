// SPDX-License-Identifier: Apache-2.0
//
// The link's timing against sums by hand. Generation 3 x4: 253.90625 ps a byte.
#include "tests/models/pcie_bench.h"

namespace pcie_link_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::pcie_test;

namespace {

constexpr sim_time propagation = 150_ns;
constexpr sim_time host_latency = 400_ns;

pcie::link_config gen3()
{
    pcie::link_config c;
    c.generation = 3;
    c.propagation = propagation;
    c.host_latency = host_latency;
    return c;
}

} // namespace

TEST_CASE("a write takes its wire time and the propagation, and the host sees its arrival")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.buffer[0] = 0x5A;
    // 4480 bytes on the wire: 1,137,500 ps.
    CHECK(b.dma(write, 0x1000, 4096, 1_us) == sim_time(1000000 + 1137500 + 150000));
    CHECK(b.ext.wire_begin == 1_us);
    CHECK(b.ext.wire_end == sim_time(2137500));
    REQUIRE(b.at_host.size() == 1);
    CHECK(b.at_host[0].when == sim_time(2287500));
    CHECK(b.bytes[0x1000] == 0x5A);
    CHECK(b.gp.is_response_ok());
    CHECK(b.link.stats().tlps_up == 16);
    CHECK(b.link.stats().bytes_up == 4480);
    CHECK(b.at_the_end().busy_up == sim_time(1137500));
    CHECK(b.link.stats().bytes_down == 0);
}

TEST_CASE("a read waits for request, host and completions")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.bytes[0x2000] = 0xC3;
    // MRd 24 B: 6,094 ps; 84 B of completion: 21,329 ps (21,328.1 rounded up).
    CHECK(b.dma(read, 0x2000, 64, 2_us) ==
          sim_time(2000000 + 6094 + 150000 + 400000 + 21329 + 150000));
    CHECK(b.buffer[0] == 0xC3);
    REQUIRE(b.at_host.size() == 1);
    CHECK(b.at_host[0].when == sim_time(2000000 + 6094 + 150000));
    CHECK(b.ext.wire_begin == sim_time(2000000 + 6094 + 150000 + 400000));
    CHECK(b.link.stats().tlps_up == 1);
    CHECK(b.link.stats().bytes_up == 24);
    CHECK(b.link.stats().tlps_down == 1);
    CHECK(b.link.stats().bytes_down == 84);
}

TEST_CASE("a request below 4 GiB has a header of three doublewords")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const auto carried = [&b](tlm::tlm_command command, std::uint64_t address) {
        const pcie::link_stats before = b.link.stats();
        b.dma_at(command, address, 4, now());
        const pcie::link_stats after = b.link.stats();
        return std::pair(after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down);
    };
    CHECK(carried(write, ram) == std::pair(28ul, 0ul));
    CHECK(carried(write, ram - 4) == std::pair(24ul, 0ul));
    CHECK(carried(read, ram) == std::pair(24ul, 24ul));
    CHECK(carried(read, ram - 4) == std::pair(20ul, 24ul));
    // The earlier request is there earlier.
    const sim_time high = b.dma_at(read, ram, 64, 10_us) - 10_us;
    const sim_time low = b.dma_at(read, 0x1000, 64, 20_us) - 20_us;
    CHECK(high - low == sim_time(6094 - 5079));
}

TEST_CASE("completions start after the first request, however many follow")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    // 8 MRd: the first is there after 6,094 ps; 4416 B of completions: 1,121,250 ps.
    CHECK(b.dma(read, 0x2000, 4096, 0_us) == sim_time(6094 + 150000 + 400000 + 1121250 + 150000));
    CHECK(b.link.stats().tlps_up == 8);
    CHECK(b.link.stats().tlps_down == 16);
    CHECK(b.link.stats().bytes_down == 4416);
}

TEST_CASE("larger read requests put fewer headers on the wire to the host")
{
    // 4 KiB in 32, 8 and 1 requests of 24 B; a completion is no longer than its request.
    struct expectation {
        std::uint32_t mrrs;
        std::uint64_t requests;
        std::uint64_t completions;
    };
    for (const expectation e :
         {expectation{128, 32, 32}, expectation{512, 8, 16}, expectation{4096, 1, 16}}) {
        pcie::link_config config = gen3();
        config.max_read_request_size = e.mrrs;
        CAPTURE(e.mrrs);
        bench b(sc_core::sc_gen_unique_name("bench"), config);
        const sim_time end = b.dma(read, 0x2000, 4096, 0_us);
        const std::uint64_t answer = 4096 + e.completions * 20;
        CHECK(b.link.stats().tlps_up == e.requests);
        CHECK(b.link.stats().bytes_up == e.requests * 24);
        CHECK(b.link.stats().tlps_down == e.completions);
        CHECK(b.link.stats().bytes_down == answer);
        CHECK(end == sim_time(6094 + 150000 + 400000 + 150000) + wire_time(config, answer));
    }
}

TEST_CASE("a wider read completion boundary splits an unaligned read into more completions")
{
    pcie::link_config narrow = gen3();
    narrow.max_payload_size = 128;
    pcie::link_config wide = narrow;
    wide.read_completion_boundary = 128;
    bench a("narrow", narrow);
    bench b("wide", wide);
    // 256 bytes from 0x40. Boundary 64: 128 + 128; boundary 128: 64 + 128 + 64, 20 B more.
    const sim_time short_end = a.dma(read, 0x2040, 256, 0_us);
    const sim_time long_end = b.dma(read, 0x2040, 256, 0_us);
    CHECK(a.link.stats().tlps_down == 2);
    CHECK(a.link.stats().bytes_down == 256 + 2 * 20);
    CHECK(b.link.stats().tlps_down == 3);
    CHECK(b.link.stats().bytes_down == 256 + 3 * 20);
    CHECK(long_end - short_end == wire_time(wide, 316) - wire_time(narrow, 296));
    CHECK(long_end > short_end);
    // From a boundary of both on there is no difference.
    a.dma(read, 0x3000, 4096, 10_us);
    b.dma(read, 0x3000, 4096, 10_us);
    CHECK(b.link.stats().bytes_down - a.link.stats().bytes_down == 20);
}

TEST_CASE("one direction serves one transfer at a time, the two do not disturb each other")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const sim_time first = b.dma(write, 0, 4096, 0_us);
    const sim_time second = b.dma(write, 0x1000, 4096, 0_us);
    CHECK(second - first == sim_time(1137500));
    // Between the two there is no room, after a pause there is: a transfer asked for later but
    // wanted earlier takes the gap.
    b.dma(write, 0, 4096, 10_us);
    CHECK(b.dma(write, 0, 16, 3_us) == sim_time(3000000 + 10157) + propagation); // 40 B
    // The down direction is free all the time.
    CHECK(b.mmio(write, 0x1000, 0_us) == sim_time(6094)); // 24 B: 6,093.75 ps
}

TEST_CASE("throughput is that of the line less overhead, and never more")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sim_time end;
    constexpr std::uint32_t transfers = 1000;
    for (std::uint32_t i = 0; i < transfers; ++i) {
        end = b.dma(write, 0, 4096, 0_us);
    }
    // 4480 bytes are exactly 1,137,500 ps, so nothing is lost to rounding.
    CHECK(end == sim_time(1137500) * transfers + propagation);
    CHECK(b.at_the_end().busy_up == sim_time(1137500) * transfers);
    const double rate = transfers * 4096.0 / (static_cast<double>(end.ps()) * 1e-12);
    CHECK(rate <= 3938461538.0 * 256 / 280);
}

TEST_CASE("a register write is posted: the driver goes on when it has left")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    CHECK(b.mmio(write, 0x1008, 5_us) == sim_time(5006094));
    REQUIRE(b.at_bar.size() == 1);
    CHECK(b.at_bar[0].address == 0x1008);
    CHECK(b.at_bar[0].when == sim_time(5006094) + propagation);
    CHECK(b.link.stats().tlps_down == 1);
    CHECK(b.link.stats().bytes_down == 24);
}

TEST_CASE("posted writes of the host keep their order")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.mmio(write, 0, 0_us);                 // until 6,094 ps
    b.dma(read, 0, 64, 0_us);               // completion from 556,094 ps
    b.mmio(write, 8, sim_time(550020), 8);  // 28 B, 7,110 ps: not before the completion
    b.mmio(write, 16, sim_time(550020), 4); // 24 B, 6,094 ps: ends at 556,114, does not fit
    b.mmio(write, 24, sim_time(549500), 4); // fits, and was asked for earlier
    REQUIRE(b.at_bar.size() == 4);
    CHECK(b.at_bar[1].when == sim_time(556094 + 21329 + 7110) + propagation);
    CHECK(b.at_bar[2].when == sim_time(556094 + 21329 + 7110 + 6094) + propagation);
    CHECK(b.at_bar[3].when == sim_time(549500 + 6094) + propagation);
}

TEST_CASE("a short posted write does not slip into a gap before a longer one")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.dma(read, 0, 64, 0_us);               // completion from 556,094 ps for 21,329 ps
    b.mmio(write, 8, sim_time(549500), 8);  // 7,110 ps: too long for the gap
    b.mmio(write, 16, sim_time(549501), 4); // 6,094 ps would fit in it
    REQUIRE(b.at_bar.size() == 2);
    CHECK(b.at_bar[1].when > b.at_bar[0].when);
}

TEST_CASE("a register read makes the round trip")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    // MRd down 20 B: 5,079 ps; CplD up 24 B: 6,094 ps.
    CHECK(b.mmio(read, 0x1C, 1_us) == sim_time(1000000 + 5079 + 6094) + propagation * 2);
    CHECK(b.link.stats().bytes_down == 20);
    CHECK(b.link.stats().bytes_up == 24);
}

TEST_CASE("an address without memory behind it is an error for the sender")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.dma_at(read, 1ull << 40, 64, 0_us);
    CHECK(b.gp.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("wire time and bytes of a posted write can go apart")
{
    bench b("bench", gen3());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.buffer[0] = 0x77;
    b.ext.carries = tlp::portion::wire;
    const sim_time arrival = b.dma(write, 0x3000, 16, 1_us);
    CHECK(arrival == sim_time(1000000 + 10157) + propagation);
    CHECK(b.at_host.empty());
    CHECK(b.bytes[0x3000] == 0);
    const auto before = b.link.stats();
    CHECK(before.bytes_up == 40);
    sc_core::sc_start((arrival - now()).to_sc());
    b.ext.carries = tlp::portion::bytes;
    CHECK(b.dma(write, 0x3000, 16, now()) == arrival);
    CHECK(b.bytes[0x3000] == 0x77);
    CHECK(b.at_host.at(0).when == arrival);
    CHECK(b.link.stats().bytes_up == before.bytes_up);
    CHECK(b.link.activations() == 0);
}

} // namespace pcie_link_test
