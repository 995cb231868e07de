// SPDX-License-Identifier: Apache-2.0
//
// What a full link carries, against the closed formula, for every generation, width and payload:
// line rate x payload / (payload + overhead).
#include <array>

#include "tests/models/pcie_bench.h"

namespace pcie_throughput_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::pcie_test;

namespace {

/// Bytes per second of a lane after line code; 236 of 256 bytes of a flit.
constexpr std::array<double, 6> lane_rate = {250e6,
                                             500e6,
                                             8e9 / 8 * 128 / 130,
                                             16e9 / 8 * 128 / 130,
                                             32e9 / 8 * 128 / 130,
                                             64e9 / 8 * 236 / 256};

pcie::link_config link_of(std::uint32_t generation, std::uint32_t lanes, std::uint32_t mps)
{
    pcie::link_config c;
    c.generation = generation;
    c.lanes = lanes;
    c.max_payload_size = mps;
    c.max_read_request_size = 4096;
    c.propagation = 150_ns;
    c.host_latency = 300_ns;
    return c;
}

/// Bytes per second of the last three quarters of `transfers` of 4 KiB.
double rate_of(bench& b, tlm::tlm_command command)
{
    constexpr int transfers = 80;
    constexpr int measured = 60;
    sim_time begin;
    sim_time end;
    for (int i = 0; i < transfers; ++i) {
        begin = i == transfers - measured ? end : begin;
        end = b.dma(command, 0, 4096, 0_us);
    }
    return measured * 4096.0 / (static_cast<double>((end - begin).ps()) * 1e-12);
}

} // namespace

TEST_CASE("a full link carries what the formula says")
{
    for (std::uint32_t generation = 1; generation <= 6; ++generation) {
        for (const std::uint32_t lanes : {1u, 2u, 4u, 8u, 16u}) {
            for (const std::uint32_t mps : {128u, 256u, 512u, 1024u, 2048u, 4096u}) {
                CAPTURE(generation, lanes, mps);
                const double line = lane_rate[generation - 1] * lanes;
                const double around = generation == 6 ? 16 : 24;
                bench writes(sc_core::sc_gen_unique_name("writes"),
                             link_of(generation, lanes, mps));
                CHECK(rate_of(writes, write) == Approx(line * mps / (mps + around)).epsilon(0.005));
                bench reads(sc_core::sc_gen_unique_name("reads"), link_of(generation, lanes, mps));
                CHECK(rate_of(reads, read) ==
                      Approx(line * mps / (mps + around - 4)).epsilon(0.005));
            }
        }
    }
}

TEST_CASE("both directions are full at once, and requests take their share of the way up")
{
    pcie::link_config c = link_of(3, 4, 256);
    c.max_read_request_size = 512;
    c.ack_factor = 0;
    bench b("bench", c);
    constexpr int pairs = 200;
    sim_time written;
    sim_time got;
    for (int i = 0; i < pairs; ++i) {
        written = b.dma(write, 0, 4096, 0_us);
        got = b.dma(read, 0, 4096, 0_us);
    }
    const double line = lane_rate[2] * 4;
    const double up = (4480.0 + 192) * pairs / line * 1e12;
    const double last = 192 / line * 1e12; // of requests that are booked with the next write
    const double down = 4416.0 * pairs / line * 1e12;
    CHECK(static_cast<double>(written.ps()) == Approx(up).epsilon(0.005));
    CHECK(static_cast<double>(got.ps()) == Approx(down).epsilon(0.005));
    const auto s = b.at_the_end();
    CHECK(static_cast<double>(s.busy_up.ps()) == Approx(up - last).epsilon(0.0001));
    CHECK(static_cast<double>(s.busy_down.ps()) == Approx(down).epsilon(0.0001));
}

TEST_CASE("register writes of the host share the way down with completions")
{
    pcie::link_config c = link_of(3, 1, 256);
    bench b("bench", c);
    sim_time got;
    for (int i = 0; i < 100; ++i) {
        got = b.dma(read, 0, 4096, 0_us);
        b.mmio(write, 0x1000, 0_us);
    }
    // 100 x (4416 + 24) B, and the first completion's way.
    const double bytes = 100 * 4416.0 + 99 * 24;
    CHECK(static_cast<double>(got.ps()) >= bytes / lane_rate[2] * 1e12);
    CHECK(static_cast<double>(got.ps()) <= (bytes * 1.005) / lane_rate[2] * 1e12 + 800e3);
}

} // namespace pcie_throughput_test
