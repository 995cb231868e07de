// SPDX-License-Identifier: Apache-2.0
//
// TLP counts and wire bytes against the tables of the PCIe and NVMe facts (sections 9.1, 9.2):
// 20 bytes around a completion's payload, 24 around a 64-bit request's.
#include <catch2/catch.hpp>

#include <random>

#include "models/pcie/tlp_cost.h"
#include "models/pcie/tlp_split.h"

namespace pcie_tlp_cost_test {

using namespace ssdvp;
using namespace ssdvp::pcie;

namespace {

constexpr std::uint64_t ram = long_addresses; // where hosts' memory begins

link_config gen4(std::uint32_t mps = 256, std::uint32_t mrrs = 512)
{
    link_config c;
    c.max_payload_size = mps;
    c.max_read_request_size = mrrs;
    return c;
}

} // namespace

TEST_CASE("each step of a command has the bytes of the table")
{
    const link_config c = gen4();
    CHECK(write_cost(c, 0x1008, 4) == tlp_cost{1, 24});                   // doorbell
    CHECK(write_cost(c, 0xFEE00000, 4) == tlp_cost{1, 24});               // MSI-X
    CHECK(read_request_cost(c, ram + 0x4000, 64) == tlp_cost{1, 24});     // SQE
    CHECK(completion_cost(c, 0x4000, 64) == tlp_cost{1, 84});             //
    CHECK(write_cost(c, ram + 0x10000, 4096) == tlp_cost{16, 4480});      // read data
    CHECK(read_request_cost(c, ram + 0x10000, 4096) == tlp_cost{8, 192}); // write data
    CHECK(completion_cost(c, 0x10000, 4096) == tlp_cost{16, 4416});
    CHECK(write_cost(c, ram + 0x5010, 16) == tlp_cost{1, 40}); // CQE
    // PRP list of a p-page transfer: 20 + 8 (p - 1), one completion up to 33 pages.
    for (std::uint64_t p = 3; p <= 33; ++p) {
        CHECK(completion_cost(c, 0x6000, 8 * (p - 1)) == tlp_cost{1, 20 + 8 * (p - 1)});
    }
}

TEST_CASE("4 KiB of write data by payload size")
{
    CHECK(write_cost(gen4(128), ram, 4096) == tlp_cost{32, 4864});
    CHECK(write_cost(gen4(256), ram, 4096) == tlp_cost{16, 4480});
    CHECK(write_cost(gen4(512), ram, 4096) == tlp_cost{8, 4288});
    CHECK(write_cost(gen4(1024), ram, 4096) == tlp_cost{4, 4192});
    CHECK(write_cost(gen4(2048), ram, 4096) == tlp_cost{2, 4144});
    CHECK(write_cost(gen4(4096), ram, 4096) == tlp_cost{1, 4120});
}

TEST_CASE("4 KiB of read data by payload and request size")
{
    for (const std::uint32_t mps : {128u, 256u, 512u, 1024u, 2048u, 4096u}) {
        for (const std::uint32_t mrrs : {128u, 256u, 512u, 1024u, 2048u, 4096u}) {
            const link_config c = gen4(mps, mrrs);
            const std::uint64_t requests = 4096 / mrrs;
            const std::uint64_t answers = 4096 / std::min(mps, mrrs);
            CAPTURE(mps, mrrs);
            CHECK(read_request_cost(c, ram, 4096) == tlp_cost{requests, requests * 24});
            CHECK(completion_cost(c, 0, 4096) == tlp_cost{answers, 4096 + answers * 20});
        }
    }
}

namespace {

std::uint64_t around_request(std::uint64_t address)
{
    return address < ram ? 20 : 24;
}
std::uint64_t around_completion(std::uint64_t /*address*/)
{
    return 20;
}

/// Counts the TLPs of a split and checks each: a whole number of doublewords within the limits.
tlp_cost visit(tlp_split split, doublewords range, std::uint64_t limit,
               std::uint64_t (*overhead)(std::uint64_t address))
{
    tlp_cost sum;
    std::uint64_t at = range.begin;
    for (; !split.done(); ++sum.tlps) {
        const doublewords tlp = split.next();
        REQUIRE(tlp.begin == at);
        REQUIRE(tlp.length > 0);
        REQUIRE(tlp.length % 4 == 0);
        REQUIRE(tlp.length <= limit);
        REQUIRE(tlp.begin / 4096 == (tlp.begin + tlp.length - 1) / 4096);
        at += tlp.length;
        sum.bytes += tlp.length + overhead(tlp.begin);
    }
    REQUIRE(at == range.begin + range.length);
    return sum;
}

/// The same for the completions of one request: all but the last end on a boundary.
tlp_cost visit_completions(const link_config& c, doublewords request)
{
    tlp_split split = tlp_split::completions(c, request);
    while (!split.done()) {
        const doublewords tlp = split.next();
        REQUIRE((split.done() || (tlp.begin + tlp.length) % c.read_completion_boundary == 0));
    }
    return visit(tlp_split::completions(c, request), request, c.max_payload_size,
                 around_completion);
}

} // namespace

TEST_CASE("TLPs visited one by one are those that are counted, wherever a transfer lies")
{
    std::mt19937 random(1); // its sequence is part of the C++ standard
    for (int i = 0; i < 20000; ++i) {
        link_config c = gen4(128u << random() % 6, 128u << random() % 6);
        c.read_completion_boundary = random() % 2 == 0 ? 64 : 128;
        const std::uint64_t address = ram - 8192 + random() % 16384; // on either side of 4 GiB
        const std::uint64_t length = 1 + random() % (i % 2 == 0 ? 300 : 12000);
        const doublewords range(address, length);
        CAPTURE(c.max_payload_size, c.max_read_request_size, address, length);
        REQUIRE(visit(tlp_split::writes(c, range), range, c.max_payload_size, around_request) ==
                write_cost(c, address, length));
        const tlp_cost asked = read_request_cost(c, address, length);
        const tlp_cost visited =
            visit(tlp_split::requests(c, range), range, c.max_read_request_size, around_request);
        REQUIRE(visited.tlps == asked.tlps);
        REQUIRE(visited.bytes - range.length == asked.bytes); // requests carry no payload
        tlp_cost answered;
        for (tlp_split requests = tlp_split::requests(c, range); !requests.done();) {
            const tlp_cost some = visit_completions(c, requests.next());
            answered.tlps += some.tlps;
            answered.bytes += some.bytes;
        }
        REQUIRE(answered == completion_cost(c, address, length));
    }
}

TEST_CASE("no request crosses 4 KiB")
{
    const link_config c = gen4();
    // 4 KiB from offset 4: 4092 = 15 * 256 + 252 before the boundary, 4 after.
    CHECK(write_cost(c, ram + 4, 4096) == tlp_cost{17, 4096 + 17 * 24});
    // 128 bytes astride the boundary: two TLPs although one payload would hold them.
    CHECK(write_cost(c, ram + 4096 - 64, 128) == tlp_cost{2, 128 + 2 * 24});
    CHECK(read_request_cost(c, ram + 4096 - 64, 128) == tlp_cost{2, 2 * 24});
    CHECK(completion_cost(c, 4096 - 64, 128) == tlp_cost{2, 128 + 2 * 20});
    // Many pages cost what they cost one by one.
    CHECK(write_cost(c, ram + 0x3000, 5 * 4096) == tlp_cost{5 * 16, 5 * 4480});
    CHECK(write_cost(c, ram + 0x3000 + 512, 2 * 4096) == tlp_cost{32, 2 * 4480});
    CHECK(read_request_cost(c, ram + 0x3000 + 256, 4096) == tlp_cost{8 + 1, 9 * 24});
}

TEST_CASE("completions but the last end on a read completion boundary")
{
    link_config c = gen4(128, 512);
    // 512 bytes from 0x20: 0x20..0x80 (96 bytes: 0x20 + 128 rounded down to 64), then 128s.
    CHECK(completion_cost(c, 0x20, 512) == tlp_cost{5, 512 + 5 * 20});
    // 192 bytes from 0x20 with 64: 96 + 96. With 128: 96 + 96 too.
    CHECK(completion_cost(c, 0x20, 192) == tlp_cost{2, 192 + 2 * 20});
    // From 0x60, 256 bytes: boundary 64: 0x60..0xC0 = 96, 128, 32. Boundary 128: 32, 128, 96.
    CHECK(completion_cost(c, 0x60, 256) == tlp_cost{3, 256 + 3 * 20});
    // From 0x40, 256 bytes: 64: 128, 128. 128: 64, 128, 64.
    CHECK(completion_cost(c, 0x40, 256) == tlp_cost{2, 256 + 2 * 20});
    c.read_completion_boundary = 128;
    CHECK(completion_cost(c, 0x40, 256) == tlp_cost{3, 256 + 3 * 20});
}

TEST_CASE("ends that are not doublewords travel as whole doublewords")
{
    CHECK(write_cost(gen4(), ram + 0x1001, 2) == tlp_cost{1, 28});
    CHECK(write_cost(gen4(), ram + 0x1003, 2) == tlp_cost{1, 32});
    CHECK(write_cost(gen4(), 0x1000, 0) == tlp_cost{0, 0});
    CHECK(read_request_cost(gen4(), 0x1000, 0) == tlp_cost{0, 0});
    CHECK(completion_cost(gen4(), 0x1000, 0) == tlp_cost{0, 0});
}

TEST_CASE("line rates per lane and direction")
{
    const auto per_lane = [](std::uint32_t generation) {
        link_config c;
        c.generation = generation;
        c.lanes = 1;
        return line_rate(c).per_second();
    };
    CHECK(per_lane(1) == 250000000);
    CHECK(per_lane(2) == 500000000);
    CHECK(per_lane(3) == 984615384);
    CHECK(per_lane(4) == 1969230769);
    CHECK(per_lane(5) == 3938461538);
    CHECK(per_lane(6) == 7375000000);
    link_config c;
    c.generation = 3;
    c.lanes = 4;
    CHECK(line_rate(c).per_second() == 3938461538);
}

TEST_CASE("time on the wire is exact and rounds up once")
{
    link_config c;
    c.generation = 3;
    c.lanes = 4;
    // 128 payload bytes of 130 travel in 130 byte times of 1/4 ns.
    CHECK(wire_time(c, 128) == sim_time(32500));
    CHECK(wire_time(c, 128000000) == sim_time(32500000000));
    CHECK(wire_time(c, 1) == sim_time(254));        // 253.906... ps
    CHECK(wire_time(c, 4568) == sim_time(1159844)); // 1.160 us of the table
    CHECK(wire_time(c, 132) == sim_time(33516));    // 0.034 us
    CHECK(wire_time(c, 280) == sim_time(71094));    // 0.071 us
    CHECK(wire_time(c, 4548) == sim_time(1154766)); // 1.155 us
}

TEST_CASE("time on the wire is exact on every link")
{
    struct lane_time {
        std::uint32_t generation;
        std::uint64_t bytes;
        std::uint64_t seconds; // that they take on one lane
    };
    constexpr std::uint64_t giga = 1000ull * 1000 * 1000;
    const lane_time times[] = {{1, giga / 4, 1},     {2, giga / 2, 1},     {3, 128 * giga, 130},
                               {4, 256 * giga, 130}, {5, 512 * giga, 130}, {6, 236 * giga, 32}};
    for (const lane_time& lane : times) {
        for (const std::uint32_t lanes : {1u, 2u, 4u, 8u, 16u}) {
            link_config c;
            c.generation = lane.generation;
            c.lanes = lanes;
            const sim_time whole(lane.seconds * 1000 * giga / lanes);
            CHECK(wire_time(c, lane.bytes) == whole);
            CHECK(wire_time(c, lane.bytes + 1) > whole);
            CHECK(wire_clock(c).time(lane.bytes / 2) == sim_time(whole.ps() / 2));
        }
    }
}

TEST_CASE("generation 6 has flits: headers only, 236 of 256 bytes")
{
    link_config c;
    c.generation = 6;
    c.lanes = 1;
    CHECK(write_cost(c, ram, 4096) == tlp_cost{16, 4096 + 16 * 16});
    CHECK(read_request_cost(c, ram, 4096) == tlp_cost{8, 8 * 16});
    CHECK(completion_cost(c, 0, 4096) == tlp_cost{16, 4096 + 16 * 12});
    CHECK(wire_time(c, 236) == sim_time(32000)); // one flit of 256 bytes at 8 GB/s
}

} // namespace pcie_tlp_cost_test
