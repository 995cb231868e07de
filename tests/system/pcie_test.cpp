// SPDX-License-Identifier: Apache-2.0
//
// The link of a whole drive: bytes and TLPs per command, latency at QD1 and throughput of a full
// link against formulas of their own, on links of every generation.
#include <array>
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"
#include "tests/support/timed_path.h"

namespace pcie_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

struct link_case {
    std::uint32_t generation;
    std::uint32_t lanes;
    std::uint32_t mps; // MRRS 512
};

std::vector<std::string> sets_of(const link_case& c)
{
    return {"host.pcie.generation=" + std::to_string(c.generation),
            "host.pcie.lanes=" + std::to_string(c.lanes),
            "host.pcie.max_payload_size=" + std::to_string(c.mps) + "B"};
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// Picoseconds of a byte on one lane: 10 bits at 2.5 and 5 GT/s; 130 bits for 16 bytes at 8, 16 and
/// 32; 256 bytes for 236 at 64.
struct fraction {
    std::uint64_t up;
    std::uint64_t down;
};
constexpr std::array<fraction, 6> byte_time = {
    {{4000, 1}, {2000, 1}, {8125, 8}, {8125, 16}, {8125, 32}, {8000, 59}}};

/// Time of the bytes of one transfer, rounded up.
sim_time wire(const link_case& c, std::uint64_t bytes)
{
    const fraction f = byte_time[c.generation - 1];
    const std::uint64_t by = f.down * c.lanes;
    return sim_time((bytes * f.up + by - 1) / by);
}

/// What stands around the payload of a write or a read request; of a completion 4 bytes less.
std::uint64_t around(const link_case& c)
{
    return c.generation == 6 ? 16 : 24;
}

constexpr sim_time propagation = 150_ns;
constexpr sim_time host_latency = 300_ns;

/// Everything of a 4 KiB read at QD1 that is on the link: doorbell; MRd, CplD of the entry; data;
/// completion entry, message. Doorbell and message have addresses below 4 GiB: a header of three
/// doublewords, 4 bytes less.
sim_time link_part(const link_case& c)
{
    const std::uint64_t o = around(c);
    const std::uint64_t tlps = 4096 / c.mps;
    return wire(c, 4 + o - 4) + propagation + wire(c, o) + propagation + host_latency +
           wire(c, 64 + o - 4) + propagation + wire(c, 4096 + tlps * o) + wire(c, 16 + o) +
           wire(c, 4 + o - 4) + propagation;
}

/// The rest, as in latency_test.cpp: driver, decode, flash, ECC, DRAM twice, mover, reaping.
constexpr sim_time rest_of_read = 100_ns + 50_ns + 175_ns + 100_ns + 74_us + 20_ns + 2319 * 3_ns +
                                  1_us + 2 * 360_ns + 60_ns + 200_ns;

const std::vector<std::string> one_lun =
    test::timed_path({"flash.channels=1", "flash.luns_per_channel=1", "nand.planes=1",
                      "cache.policy=none", "nand.tR=74us", "nand.interface.mode=nv_ddr3",
                      "nand.interface.rate=667MT/s", "flash.ecc_latency=1us", "precondition.fill=1",
                      "run.requests=50", "workload.0.queue_depth=1"});

} // namespace

TEST_CASE("a 4 KiB read at QD1 is the sum of its parts on every generation")
{
    for (const link_case c : {link_case{1, 2, 128}, link_case{3, 4, 256}, link_case{4, 16, 512},
                              link_case{5, 8, 1024}, link_case{6, 2, 4096}}) {
        CAPTURE(c.generation, c.lanes, c.mps);
        const auto sets = joined(one_lun, sets_of(c));
        const std::vector<std::string> files = {"device/small", "workload/random-read"};
        const auto expected = static_cast<double>((link_part(c) + rest_of_read).ps());
        CHECK(test::measure_apart(files, sets, [](const test::platform_run& r) {
                  return static_cast<double>(r.reads().latency.min().ps());
              }) == expected);
        CHECK(test::measure_apart(files, sets, [](const test::platform_run& r) {
                  return static_cast<double>(r.reads().latency.max().ps());
              }) == expected);
    }
}

namespace {

/// The run ends when the last completion is reaped, before its doorbell.
constexpr std::uint64_t last_doorbell = 24;

/// Commands at QD1 whose counters are compared; MPS 256, MRRS 512.
test::platform_run hundred(const char* workload)
{
    return test::run({"device/small", workload},
                     test::timed_path({"precondition.fill=1", "run.requests=100",
                                       "workload.0.queue_depth=1", "workload.0.block_size=4KiB"}));
}

} // namespace

TEST_CASE("4 KiB reads: 4,568 bytes in 19 TLPs up, 132 in 3 down")
{
    const auto r = hundred("workload/random-read");
    const auto& l = *r.measured().link;
    CHECK(l.bytes_up == 100 * 4568);
    CHECK(l.tlps_up == 100 * 19);
    CHECK(l.bytes_down == 100 * 132 - last_doorbell);
    CHECK(l.tlps_down == 100 * 3 - 1);
    // One ACK of 8 bytes for four TLPs, of which up to three were sent before.
    CHECK(l.dllp_bytes_down / 8 - 1900 / 4 <= 1);
    CHECK(l.dllp_bytes_up / 8 - 299 / 4 <= 1);
    CHECK(l.tag_stalls + l.credit_stalls_up + l.credit_stalls_down == 0);
}

TEST_CASE("4 KiB writes: 280 bytes in 11 TLPs up, 4,548 in 19 down")
{
    const auto r = hundred("workload/random-write");
    const auto& l = *r.measured().link;
    CHECK(l.bytes_up == 100 * 280);
    CHECK(l.tlps_up == 100 * 11);
    CHECK(l.bytes_down == 100 * 4548 - last_doorbell);
    CHECK(l.tlps_down == 100 * 19 - 1);
}

TEST_CASE("writes fill the way down to 0.5 % of the formula")
{
    // Overwrites of what the buffer holds. Down: data, the command, the list of its pages and two
    // doorbells; DLLPs go on top. Data wait for the link, but commands and doorbells for no data.
    // No completion holds more than its request of 512 bytes asked for.
    struct {
        link_case link;
        std::uint32_t kib;
        const char* depth;
    } const cases[] = {
        {{1, 1, 128}, 128, "8"},  {{3, 4, 256}, 128, "32"}, {{3, 4, 256}, 16, "32"},
        {{3, 2, 512}, 16, "64"},  {{2, 4, 256}, 4, "64"},   {{2, 4, 256}, 128, "32"},
        {{4, 2, 1024}, 64, "32"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.link.generation, c.link.lanes, c.link.mps, c.kib, c.depth);
        const double measured = test::measure_apart(
            {"device/nvme-tlc", "workload/sequential-write"},
            joined(test::timed_path({"run.requests=4000", "run.warmup=1000", "dram.width=64",
                                     "host.pcie.ack_factor=0",
                                     "workload.0.block_size=" + std::to_string(c.kib) + "KiB",
                                     "workload.0.range.size=8MiB",
                                     std::string("workload.0.queue_depth=") + c.depth}),
                   sets_of(c.link)),
            [](const test::platform_run& r) { return r.bytes_per_second(); });
        const auto o = static_cast<double>(around(c.link));
        const double payload = c.kib * 1024.0;
        const std::uint32_t listed = c.kib == 4 ? 0 : c.kib / 4 - 1;
        const double list = listed > 1 ? 8.0 * listed + o - 4 : 0;
        const double bytes = payload + payload / std::min(c.link.mps, 512u) * (o - 4) +
                             (64 + o - 4) + list + 2 * o; // headers of doorbells are shorter
        const fraction f = byte_time[c.link.generation - 1];
        const double line =
            static_cast<double>(f.down * c.link.lanes) / static_cast<double>(f.up) * 1e12;
        CHECK(measured == Approx(line * payload / bytes).epsilon(0.005));
    }
}

TEST_CASE("a drive with flash to spare fills its link to 0.5 % of the formula")
{
    // Reads of what was never written need no flash. 128 KiB: data, 32 pages' list of 31 entries
    // and the command by MRd, CQE and MSI-X; ACKs for the few TLPs down are less than 0.01 %.
    for (const link_case c : {link_case{1, 1, 256}, link_case{2, 2, 128}, link_case{3, 4, 512},
                              link_case{4, 2, 1024}, link_case{6, 1, 4096}}) {
        CAPTURE(c.generation, c.lanes, c.mps);
        const double measured = test::measure_apart(
            {"device/small", "workload/sequential-read"},
            joined(test::timed_path({"run.requests=600", "run.warmup=100", "dram.width=64"}),
                   sets_of(c)),
            [](const test::platform_run& r) { return r.bytes_per_second(); });
        const auto o = static_cast<double>(around(c));
        const double bytes = 131072 + 131072.0 / c.mps * o + 2 * o + (16 + o) + o;
        const fraction f = byte_time[c.generation - 1];
        const double line =
            static_cast<double>(f.down * c.lanes) / static_cast<double>(f.up) * 1e12;
        CHECK(measured == Approx(line * 131072 / bytes).epsilon(0.005));
    }
}

} // namespace pcie_test
