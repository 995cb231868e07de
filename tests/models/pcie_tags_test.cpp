// SPDX-License-Identifier: Apache-2.0
//
// Tags bound the reads under way: tags x MRRS / round trip.
#include "tests/models/pcie_bench.h"

namespace pcie_tags_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::pcie_test;

namespace {

pcie::link_config gen2(std::uint32_t tags)
{
    pcie::link_config c; // 0.5 ns a byte
    c.generation = 2;
    c.propagation = 150_ns;
    c.host_latency = 700_ns;
    c.tags = tags;
    c.ack_factor = 0;
    return c;
}

/// MRd 24 B; completions of 512 B: 2 x 20 B around them.
constexpr sim_time round_trip = 12_ns + 150_ns + 700_ns + 276_ns + 150_ns;

} // namespace

TEST_CASE("eight tags hold the eight requests of 4 KiB, with seven the last waits")
{
    pcie::link_config c = gen2(8);
    c.host_latency = 3_us;
    bench enough("enough", c);
    // The wire has long been free when the completions of a second round come.
    const sim_time slow_trip = round_trip - 700_ns + 3_us;
    const sim_time whole = slow_trip + 7 * 276_ns;
    CHECK(enough.dma(read, 0, 4096, 1_us) == 1_us + whole);
    CHECK(enough.link.stats().tag_stalls == 0);
    c.tags = 7;
    bench fewer("fewer", c);
    CHECK(fewer.dma(read, 0, 4096, 1_us) == 1_us + 2 * slow_trip);
    CHECK(fewer.link.stats().tag_stalls == 1);
    CHECK(fewer.link.stats().tag_stall_time == slow_trip - 7 * 12_ns);
    CHECK(fewer.link.stats().tlps_up == 8);
    CHECK(fewer.link.stats().tlps_down == 16);
    CHECK(fewer.link.stats().bytes_down == 4416);
    CHECK(fewer.at_the_end().busy_down == 8 * 276_ns);
}

TEST_CASE("one request at a time: a read is the sum of round trips")
{
    bench b("bench", gen2(1));
    CHECK(b.dma(read, 0, 4096, 0_us) == 8 * round_trip);
    CHECK(b.link.stats().tag_stalls == 7);
    // The next transfer waits for the last tag of the one before.
    CHECK(b.dma(read, 0, 512, 0_us) == 9 * round_trip);
}

TEST_CASE("throughput is tags x MRRS / round trip until the wire is full")
{
    for (const std::uint32_t mrrs : {128u, 512u, 4096u}) {
        for (const std::uint32_t tags : {1u, 2u, 4u, 8u, 16u, 32u}) {
            CAPTURE(mrrs, tags);
            pcie::link_config c = gen2(tags);
            c.max_read_request_size = mrrs;
            bench b(sc_core::sc_gen_unique_name("bench"), c);
            constexpr int transfers = 60;
            constexpr int measured = 40; // of them, the last: all tags hold four at most
            sim_time begin;
            sim_time end;
            for (int i = 0; i < transfers; ++i) {
                begin = i == transfers - measured ? end : begin;
                end = b.dma(read, 0, 32768, 0_us);
            }
            const double completions = mrrs <= 256 ? 1.0 : mrrs / 256.0;
            const double answer = 0.5e-9 * (mrrs + completions * 20);
            const double trip = 12e-9 + 150e-9 + 700e-9 + answer + 150e-9;
            const double expected = std::min(tags * mrrs / trip, mrrs / answer);
            const double seconds = static_cast<double>((end - begin).ps()) * 1e-12;
            CHECK(measured * 32768.0 / seconds == Approx(expected).epsilon(0.005));
        }
    }
}

TEST_CASE("reads of several initiators share the tags, writes need none")
{
    bench b("bench", gen2(2));
    b.dma(read, 0x1000, 512, 0_us);
    b.dma(read, 0x2000, 512, 0_us);
    CHECK(b.link.stats().tag_stalls == 0);
    b.dma(write, 0x3000, 4096, 0_us);
    CHECK(b.link.stats().tag_stalls == 0);
    b.dma(read, 0x4000, 64, 0_us); // a command fetch waits as well
    CHECK(b.link.stats().tag_stalls == 1);
    CHECK(b.link.stats().tag_stall_time == round_trip);
}

TEST_CASE("the usual number of tags follows the generation")
{
    CHECK(pcie::usual_tags(1) == 32);
    CHECK(pcie::usual_tags(2) == 32);
    CHECK(pcie::usual_tags(3) == 256);
    CHECK(pcie::usual_tags(4) == 768);
    CHECK(pcie::usual_tags(6) == 768);
}

} // namespace pcie_tags_test
