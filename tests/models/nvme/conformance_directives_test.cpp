// SPDX-License-Identifier: Apache-2.0
//
// Directives on a whole drive: NVM Express base 1.4 section 9.
#include "platform/config/config.h"
#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_directives_test {

namespace {

constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;
constexpr std::uint32_t all = 0xFFFFFFFF;

constexpr std::uint32_t operation(std::uint32_t type, std::uint32_t op, std::uint32_t id = 0)
{
    return id << 16 | type << 8 | op;
}

std::uint16_t send(conformance_bench& b, std::uint32_t dword11, std::uint32_t dword12 = 0,
                   std::uint32_t nsid = 1)
{
    nvme_sqe q = of(nsid, command(NVME_ADMIN_DIRECTIVE_SEND, 0, dword11));
    q.cdw12 = dword12;
    return b.status(0, q);
}

/// `dwords` of what comes back.
std::uint16_t receive(conformance_bench& b, std::uint32_t dword11, bytes& data,
                      std::uint32_t nsid = 1)
{
    const auto dwords = static_cast<std::uint32_t>(data.size() / 4);
    return b.status(0, of(nsid, command(NVME_ADMIN_DIRECTIVE_RECEIVE, dwords - 1, dword11)), &data);
}

nvme_cqe allocate(conformance_bench& b, std::uint32_t streams, std::uint32_t nsid = 1)
{
    nvme_sqe q =
        of(nsid, command(NVME_ADMIN_DIRECTIVE_RECEIVE, 0,
                         operation(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_RECEIVE_ALLOCATE)));
    q.cdw12 = streams;
    return b.execute(0, q);
}

std::uint16_t enable(conformance_bench& b, bool on = true, std::uint32_t nsid = 1)
{
    return send(b, operation(NVME_DIRECTIVE_IDENTIFY, NVME_IDENTIFY_SEND_ENABLE),
                NVME_DIRECTIVE_STREAMS << 8 | (on ? 1 : 0), nsid);
}

std::uint16_t write(conformance_bench& b, std::uint32_t id, std::uint32_t type = 1)
{
    bytes data = pattern(4096, id);
    nvme_sqe q = io(NVME_IO_WRITE, id % 64 * 8, 8);
    q.cdw12 |= type << NVME_RW_DTYPE_SHIFT;
    q.cdw13 = id << NVME_RW_DSPEC_SHIFT;
    return b.status(1, q, &data);
}

/// MSL, NSSA, NSSO, SWS, SGS, NSA, NSO.
std::vector<std::uint64_t> parameters(conformance_bench& b, std::uint32_t nsid = 1)
{
    bytes p(32);
    REQUIRE(receive(b, operation(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_RECEIVE_PARAMETERS), p,
                    nsid) == 0);
    return {get(p, 0, 2),  get(p, 2, 2),  get(p, 4, 2), get(p, 16, 4),
            get(p, 20, 2), get(p, 22, 2), get(p, 24, 2)};
}

/// Identifiers of open streams.
std::vector<std::uint64_t> open_streams(conformance_bench& b, std::uint32_t nsid = 1)
{
    bytes p(64);
    REQUIRE(receive(b, operation(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_RECEIVE_STATUS), p, nsid) ==
            0);
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 1; i <= get(p, 0, 2); ++i) {
        ids.push_back(get(p, 2 * i, 2));
    }
    return ids;
}

using ids = std::vector<std::uint64_t>;

const std::vector<std::string> four_streams = {"ftl.streams=4"};

} // namespace

TEST_CASE("a drive without streams has no directives, and takes no notice of those of a write")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    CHECK((get(b.identify(1), 256, 2) & 0x20) == 0);
    CHECK(get(b.log_page(NVME_LOG_EFFECTS, 4096), 0x19 * 4, 4) == 0);
    CHECK(enable(b) == (NVME_SC_INVALID_OPCODE | dnr));
    bytes p(32);
    CHECK(receive(b, operation(0, 1), p) == (NVME_SC_INVALID_OPCODE | dnr));
    CHECK(write(b, 7) == 0);
}

TEST_CASE("directives: identify, enable, and what is wrong with types, operations and namespaces")
{
    conformance_bench b(four_streams);
    b.enable();
    b.create_queues(1, 16);
    CHECK(get(b.identify(1), 256, 2) == 0x2E);
    CHECK(get(b.log_page(NVME_LOG_EFFECTS, 4096), 0x19 * 4, 4) == 1);
    CHECK(get(b.log_page(NVME_LOG_EFFECTS, 4096), 0x1A * 4, 4) == 1);
    const std::uint32_t ask = operation(NVME_DIRECTIVE_IDENTIFY, NVME_IDENTIFY_RECEIVE_PARAMETERS);
    bytes p(4096);
    REQUIRE(receive(b, ask, p) == 0);
    CHECK(get(p, 0, 8) == 3);  // supported: Identify, Streams
    CHECK(get(p, 32, 8) == 1); // enabled
    const std::uint32_t streams =
        operation(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_RECEIVE_PARAMETERS);
    bytes q(32);
    CHECK(receive(b, streams, q) == invalid_field); // not enabled
    CHECK(write(b, 1) == invalid_field);
    CHECK(write(b, 0, 0) == 0);
    CHECK(write(b, 9, 0) == 0); // no type: what is particular to it is not looked at
    const std::uint32_t on = operation(NVME_DIRECTIVE_IDENTIFY, NVME_IDENTIFY_SEND_ENABLE);
    CHECK(send(b, on, NVME_DIRECTIVE_IDENTIFY << 8 | 1) == invalid_field); // it always is
    CHECK(send(b, on, 2 << 8 | 1) == invalid_field);
    REQUIRE(enable(b) == 0);
    REQUIRE(receive(b, ask, p) == 0);
    CHECK(get(p, 32, 8) == 3);
    for (const std::uint32_t bad :
         {operation(0, 0), operation(0, 2), operation(1, 0), operation(1, 4), operation(2, 1)}) {
        CHECK(receive(b, bad, q) == invalid_field);
    }
    for (const std::uint32_t bad : {operation(0, 0), operation(0, 2), operation(1, 0),
                                    operation(1, 3), operation(2, 1), operation(1, 1, 0)}) {
        CHECK(send(b, bad) == invalid_field);
    }
    // More than MDTS: the pages of such a command are not looked for.
    for (const std::uint32_t many : {0x3FFFFFFFu, 0xFFFFFFFFu}) {
        CHECK(b.status(0, of(1, command(NVME_ADMIN_DIRECTIVE_RECEIVE, many, ask))) ==
              invalid_field);
    }
    CHECK(receive(b, ask, p, 0) == (NVME_SC_INVALID_NAMESPACE | dnr));
    CHECK(receive(b, ask, p, 17) == (NVME_SC_INVALID_NAMESPACE | dnr));
    CHECK(receive(b, ask, p, 2) == invalid_field); // inactive
    CHECK(write(b, 3, 2) == invalid_field);
    CHECK(write(b, 3, 15) == invalid_field);
    REQUIRE(enable(b, false) == 0);
    CHECK(write(b, 3) == invalid_field);
    REQUIRE(enable(b, true, all) == 0); // of every namespace
    CHECK(write(b, 3) == 0);
    b.disable(); // a reset forgets it
    b.enable();
    REQUIRE(receive(b, ask, p) == 0);
    CHECK(get(p, 32, 8) == 1);
}

TEST_CASE("streams: opened by a write, closed by a release, or by a new one when all are in use")
{
    conformance_bench b(four_streams);
    b.enable();
    b.create_queues(1, 16);
    REQUIRE(enable(b) == 0);
    const auto& geo = b.drive().config().channel.die.geo;
    const std::uint64_t luns =
        std::uint64_t{b.drive().config().channels} * b.drive().config().channel.luns;
    const std::uint64_t sws = geo.page_size * geo.planes / 512;
    const std::uint64_t sgs = luns * geo.pages_per_block;
    CHECK(parameters(b) == ids{4, 4, 0, sws, sgs, 0, 0});
    CHECK(open_streams(b).empty());
    CHECK(write(b, 0) == 0); // of none
    CHECK(open_streams(b).empty());
    for (const std::uint32_t id : {500u, 3u, 65535u, 3u}) {
        REQUIRE(write(b, id) == 0);
    }
    CHECK(open_streams(b) == ids{3, 500, 65535});
    CHECK(open_streams(b, all) == ids{3, 500, 65535});
    CHECK(parameters(b) == ids{4, 4, 3, sws, sgs, 0, 3});
    CHECK(parameters(b, all) == ids{4, 4, 3, 0, 0, 0, 0});
    const std::uint32_t release =
        operation(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_SEND_RELEASE_IDENTIFIER);
    REQUIRE(send(b, release | 500u << 16) == 0);
    CHECK(open_streams(b) == ids{3, 65535});
    CHECK(send(b, release | 500u << 16) == 0); // it is not open
    CHECK(send(b, release | 3u << 16, 0, all) == invalid_field);
    for (const std::uint32_t id : {10u, 11u}) {
        REQUIRE(write(b, id) == 0);
    }
    CHECK(open_streams(b) == ids{3, 10, 11, 65535});
    REQUIRE(write(b, 65535) == 0);
    REQUIRE(write(b, 12) == 0); // instead of what was written longest ago
    CHECK(open_streams(b) == ids{10, 11, 12, 65535});
}

TEST_CASE("streams: what a namespace has for itself")
{
    conformance_bench b(four_streams);
    b.enable();
    b.create_queues(1, 16);
    REQUIRE(enable(b) == 0);
    for (const std::uint32_t id : {1u, 2u, 3u, 4u}) {
        REQUIRE(write(b, id) == 0);
    }
    CHECK(allocate(b, 2, all).status >> 1 == invalid_field);
    CHECK(allocate(b, 0).status >> 1 == invalid_field);
    const nvme_cqe three = allocate(b, 3);
    REQUIRE(three.status >> 1 == 0);
    CHECK(three.dw0 == 3);
    CHECK(open_streams(b) == ids{2, 3, 4});
    std::vector<std::uint64_t> p = parameters(b);
    CHECK((p[1] == 1 && p[2] == 0 && p[5] == 3 && p[6] == 3));
    CHECK(allocate(b, 1).status >> 1 == invalid_field); // it has some
    REQUIRE(write(b, 5) == 0);
    CHECK(open_streams(b) == ids{3, 4, 5});
    const std::uint32_t release =
        operation(NVME_DIRECTIVE_STREAMS, NVME_STREAMS_SEND_RELEASE_RESOURCES);
    CHECK(send(b, release, 0, all) == invalid_field);
    REQUIRE(send(b, release) == 0);
    REQUIRE(send(b, release) == 0); // it has none
    p = parameters(b);
    CHECK((p[1] == 4 && p[2] == 0 && p[5] == 0 && p[6] == 0));
    CHECK(allocate(b, 100).dw0 == 4); // as many as there are
    // A second namespace finds none left.
    bytes ns(4096);
    REQUIRE(b.status(0, of(1, command(NVME_ADMIN_NS_MANAGEMENT, 1))) == 0); // deletes the first
    const auto create = [&](std::uint64_t blocks) {
        put(ns, 0, blocks);
        put(ns, 8, blocks);
        const nvme_cqe made = b.execute(0, command(NVME_ADMIN_NS_MANAGEMENT), &ns);
        REQUIRE(made.status >> 1 == 0);
        bytes list(4096);
        put(list, 0, 1 | 1 << 16); // controller 1
        REQUIRE(b.status(0, of(made.dw0, command(NVME_ADMIN_NS_ATTACHMENT)), &list) == 0);
        return made.dw0;
    };
    const std::uint32_t first = create(1024);
    const std::uint32_t second = create(1024);
    REQUIRE(enable(b, true, all) == 0);
    CHECK(parameters(b, first)[1] == 4); // its deletion gave them back
    CHECK(allocate(b, 4, first).dw0 == 4);
    CHECK(allocate(b, 1, second).status >> 1 == (NVME_SC_STREAM_ALLOCATION_FAILED | dnr));
    bytes data = pattern(4096, 1);
    nvme_sqe q = of(second, io(NVME_IO_WRITE, 0, 8));
    q.cdw12 |= 1u << NVME_RW_DTYPE_SHIFT;
    q.cdw13 = 9u << NVME_RW_DSPEC_SHIFT;
    CHECK(b.status(1, q, &data) == 0); // written without a stream
    CHECK(open_streams(b, second).empty());
}

} // namespace ssdvp::test::conformance_directives_test
