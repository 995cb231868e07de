// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous events, Abort and what a reset makes of both, on a whole drive: NVM Express base 1.4
// sections 5.1, 5.2 and 7.3.
#include <set>

#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_events_test {

namespace {
constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint32_t temperature_event = 1 | 1u << 8 | 2u << 16; // SMART, temperature, log 02h
} // namespace

TEST_CASE("events wait for requests, requests for events, and the log unmasks")
{
    conformance_bench b;
    b.enable();
    std::vector<std::uint16_t> ids;
    for (int i = 0; i < 4; ++i) {
        ids.push_back(b.submit(0, command(NVME_ADMIN_ASYNC_EVENT)));
    }
    CHECK(b.completed(0, 100000).empty());
    CHECK(b.status(0, command(NVME_ADMIN_ASYNC_EVENT)) == (NVME_SC_ASYNC_EVENT_LIMIT | dnr));
    REQUIRE(b.set_feature(0x0B, 0x02) == 0);
    REQUIRE(b.set_feature(0x04, 300) == 0);
    auto done = b.completed(0, 100000);
    REQUIRE(done.size() == 1);
    CHECK(done[ids[0]].dw0 == temperature_event);
    CHECK(done[ids[0]].status >> 1 == 0);
    REQUIRE(b.set_feature(0x04, 301) == 0);
    REQUIRE(b.set_feature(0x04, 299) == 0);
    CHECK(b.completed(0, 100000).empty());
    b.log_page(NVME_LOG_SMART | 0x8000, 512); // RAE
    CHECK(b.completed(0, 100000).empty());
    b.log_page(NVME_LOG_SMART, 512);
    done = b.completed(0, 100000);
    REQUIRE(done.size() == 1);
    CHECK(done[ids[1]].dw0 == temperature_event);
    b.disable(); // the other two are never completed
    b.enable();
    CHECK(b.completed(0, 100000).empty());
    REQUIRE(b.set_feature(0x0B, 0x02) == 0);
    REQUIRE(b.set_feature(0x04, 300) == 0);
    CHECK(b.execute(0, command(NVME_ADMIN_ASYNC_EVENT)).dw0 == temperature_event);
    b.submit(0, command(NVME_ADMIN_ASYNC_EVENT));
    b.shut_down(); // a request that waits does not hold it up
    CHECK(b.completed(0, 100000).empty());
}

TEST_CASE("a wrong doorbell is an event of type error, and the drive goes on")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    const std::uint16_t first = b.submit(0, command(NVME_ADMIN_ASYNC_EVENT));
    const std::uint16_t second = b.submit(0, command(NVME_ADMIN_ASYNC_EVENT));
    b.run(100000);
    const auto doorbell = [&](std::uint32_t queue, std::uint32_t value) {
        b.write32(NVME_REG_DOORBELL + queue * NVME_DOORBELL_STRIDE, value);
    };
    doorbell(3, 1); // no such queue
    auto done = b.completed(0, 100000);
    REQUIRE(done.size() == 1);
    CHECK(done[first].dw0 == (0 | 0 << 8 | 1u << 16)); // error, invalid doorbell register, log 01h
    doorbell(1, 16);                                   // beyond the queue
    CHECK(b.completed(0, 100000).empty());
    b.log_page(NVME_LOG_ERROR, 64);
    done = b.completed(0, 100000);
    REQUIRE(done.size() == 1);
    CHECK(done[second].dw0 == (0 | 1u << 8 | 1u << 16)); // invalid doorbell value
    b.log_page(NVME_LOG_ERROR, 64);
    doorbell(4, 0); // before anybody asks
    b.run(100000);
    CHECK(b.execute(0, command(NVME_ADMIN_ASYNC_EVENT)).dw0 == (1u << 16));
    bytes data(4096);
    CHECK(b.status(1, io(NVME_IO_READ, 0, 8), &data) == 0);
}

TEST_CASE("Abort ends a request for events, and knows what it does not know")
{
    conformance_bench b;
    b.enable();
    const std::uint16_t id = b.submit(0, command(NVME_ADMIN_ASYNC_EVENT));
    b.run(100000);
    CHECK(b.execute(0, command(NVME_ADMIN_ABORT, 0xFFFFu << 16)).dw0 == 1);
    CHECK(b.execute(0, command(NVME_ADMIN_ABORT, std::uint32_t{id} << 16)).dw0 == 0);
    CHECK(b.await(0, id).status >> 1 == NVME_SC_ABORT_REQUESTED);
    CHECK(b.execute(0, command(NVME_ADMIN_ABORT, std::uint32_t{id} << 16)).dw0 == 1);
    CHECK(b.status(0, command(NVME_ADMIN_ABORT, 3)) == conformance_bench::invalid_field);
}

namespace {

void race(std::vector<std::string> sets)
{
    sets.insert(sets.end(), {"nand.tPROG=700us", "cache.capacity=64KiB"});
    conformance_bench b(sets);
    b.enable();
    b.create_queues(1, 64);
    std::map<std::uint16_t, std::uint16_t> aborts; // of which command
    std::map<std::uint16_t, nvme_cqe> all, answers;
    unsigned aborted = 0;
    for (int round = 0; round < 12; ++round) {
        std::vector<std::uint16_t> ids;
        for (std::uint64_t i = 0; i < 24; ++i) {
            nvme_sqe q = io(i % 8 == 7   ? NVME_IO_FLUSH
                            : i % 3 == 2 ? NVME_IO_READ
                                         : NVME_IO_WRITE,
                            (i * 37 + static_cast<std::uint64_t>(round) * 7) * 32, 32);
            b.point(q, 16384);
            ids.push_back(b.submit(1, q, false));
        }
        b.ring(1);
        b.run(2000 + static_cast<std::uint64_t>(round) * 5000);
        for (const std::uint16_t id : ids) {
            const nvme_sqe q = command(NVME_ADMIN_ABORT, 1 | std::uint32_t{id} << 16);
            aborts[b.submit(0, q, false)] = id;
        }
        b.ring(0);
        for (const auto& c : b.completed(1, 40000000)) {
            CHECK(all.emplace(c).second);
        }
        for (const auto& c : b.completed(0, 10000)) {
            CHECK(answers.emplace(c).second);
        }
    }
    REQUIRE(all.size() == 12 * 24);
    REQUIRE(answers.size() == aborts.size());
    for (const auto& a : answers) {
        const nvme_cqe& c = all.at(aborts.at(a.first));
        CHECK(a.second.status >> 1 == 0);
        CHECK((c.status >> 1 == NVME_SC_ABORT_REQUESTED) == (a.second.dw0 == 0));
        CHECK((c.status >> 1 == 0) == (a.second.dw0 == 1));
        aborted += a.second.dw0 == 0 ? 1 : 0;
    }
    CHECK(aborted > 10); // both ways happen
    CHECK(aborted < 12 * 20);
}

} // namespace

TEST_CASE("races of aborts with completions: each command ends once, as its abort says")
{
    race({});
}

TEST_CASE("races of aborts with completions: each role on its own core")
{
    race({"cpu.cores=3"});
}

TEST_CASE("resets with commands of every kind in flight leave a drive that works")
{
    conformance_bench b({"nand.tPROG=200us"});
    for (std::uint64_t round = 0; round < 6; ++round) {
        b.enable();
        b.create_queues(1, 64);
        for (std::uint64_t i = 0; i < 30; ++i) {
            const std::uint8_t opcodes[] = {NVME_IO_WRITE,
                                            NVME_IO_READ,
                                            NVME_IO_COMPARE,
                                            NVME_IO_FLUSH,
                                            NVME_IO_VERIFY,
                                            NVME_IO_WRITE_ZEROES,
                                            NVME_IO_WRITE_UNCORRECTABLE};
            nvme_sqe q = io(opcodes[(i + round) % 7], i * 40, 32);
            b.point(q, 16384);
            b.submit(1, q, false);
        }
        b.submit(0, command(NVME_ADMIN_ASYNC_EVENT), false);
        b.submit(0, of(1, command(NVME_ADMIN_FORMAT)), false);
        b.ring(1);
        b.ring(0);
        b.run(3000 + 17000 * round);
        b.disable();
    }
    b.enable();
    b.create_queues(1, 64);
    REQUIRE(b.status(0, of(1, command(NVME_ADMIN_FORMAT))) == 0); // and what was spoilt is not
    bytes data = pattern(65536, 1);
    const bytes written = data;
    for (std::uint64_t lba = 0; lba + 128 <= b.sectors(); lba += 1280) {
        data = written;
        REQUIRE(b.status(1, io(NVME_IO_WRITE, lba, 128), &data) == 0);
    }
    for (std::uint64_t lba = 0; lba + 128 <= b.sectors(); lba += 1280) {
        data.assign(65536, 0);
        REQUIRE(b.status(1, io(NVME_IO_READ, lba, 128), &data) == 0);
        REQUIRE(data == written);
    }
    b.shut_down();
}

} // namespace ssdvp::test::conformance_events_test
