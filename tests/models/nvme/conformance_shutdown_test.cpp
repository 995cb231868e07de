// SPDX-License-Identifier: Apache-2.0
//
// Shutdown of a whole drive that has work: NVM Express base 1.4 section 7.6.2. What had completed
// before a normal one is complete is there afterwards, cache or not.
#include <algorithm>

#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_shutdown_test {

namespace {

constexpr std::uint32_t page = 4096;
constexpr std::uint32_t blocks = 8; // of a page
constexpr std::uint32_t commands = 40;
constexpr std::uint32_t flushed_each = 10;

struct work {
    bytes before, now;                                // of all pages
    std::map<std::uint16_t, std::uint32_t> submitted; // page by command identifier
};

/// Writes of every page, some with FUA, and flushes among them; nobody waits.
void begin(conformance_bench& b, work& w, std::uint32_t round)
{
    w.before = w.now;
    w.now = pattern(std::size_t{commands} * page, round + 1);
    w.submitted.clear();
    std::memcpy(b.data(), w.now.data(), w.now.size());
    for (std::uint32_t i = 0; i < commands; ++i) {
        nvme_sqe q = io(NVME_IO_WRITE, std::uint64_t{i} * blocks, blocks);
        q.prp1 = b.data_address() + std::uint64_t{i} * page;
        q.cdw12 |= i % 3 == 0 ? NVME_RW_FUA : 0;
        w.submitted[b.submit(1, q, false)] = i;
        if (i % flushed_each == flushed_each - 1) {
            b.submit(1, of(1, command(NVME_IO_FLUSH)), false);
        }
    }
    b.ring(1);
}

/// Pages whose write had completed; a command completes once, and well or not at all.
std::vector<bool> completed(conformance_bench& b, const work& w)
{
    std::vector<bool> done(commands);
    for (const auto& c : b.completed(1, 100000)) {
        CHECK(c.second.status >> 1 == 0);
        const auto it = w.submitted.find(c.first);
        if (it != w.submitted.end()) {
            CHECK_FALSE(done[it->second]);
            done[it->second] = true;
        }
    }
    return done;
}

/// How many pages are as they were before the round.
std::uint32_t compare(conformance_bench& b, work& w, const std::vector<bool>& done)
{
    std::uint32_t old = 0;
    for (std::uint32_t i = 0; i < commands; ++i) {
        bytes got(page);
        REQUIRE(b.status(1, io(NVME_IO_READ, std::uint64_t{i} * blocks, blocks), &got) == 0);
        const std::size_t at = std::size_t{i} * page;
        const bool is_new = std::memcmp(got.data(), &w.now[at], page) == 0;
        const bool is_old = std::memcmp(got.data(), &w.before[at], page) == 0;
        CAPTURE(i, is_new, is_old);
        CHECK((is_new || (is_old && !done[i])));
        old += is_old ? 1 : 0;
        std::memcpy(&w.now[at], got.data(), page);
    }
    return old;
}

std::uint64_t unsafe_shutdowns(conformance_bench& b)
{
    return get(b.log_page(NVME_LOG_SMART, 512), 144, 8);
}

void shut_down_under_load(std::uint32_t how, const std::vector<std::string>& sets)
{
    std::vector<std::string> all = {"nand.tPROG=200us"};
    all.insert(all.end(), sets.begin(), sets.end());
    conformance_bench b(all);
    b.enable();
    b.create_queues(1, 64);
    const std::uint64_t unsafe = unsafe_shutdowns(b);
    work w;
    w.now.assign(std::size_t{commands} * page, 0);
    std::uint32_t done_ever = 0, old_ever = 0;
    for (std::uint32_t round = 0; round < 8; ++round) {
        begin(b, w, round);
        b.run(round * 40000);
        b.shut_down(how);
        const std::vector<bool> done = completed(b, w);
        done_ever += static_cast<std::uint32_t>(std::count(done.begin(), done.end(), true));
        if (round % 2 == 0) {
            b.power_cycle();
        } else {
            b.disable();
            b.enable();
        }
        b.create_queues(1, 64);
        old_ever += compare(b, w, done);
    }
    CHECK(done_ever != 0); // it does come under load: some are done and some are not
    CHECK(old_ever != 0);
    CHECK(unsafe_shutdowns(b) == unsafe);
}

} // namespace

TEST_CASE("shutdown under load: what had completed is there, commands end once or never")
{
    shut_down_under_load(NVME_CC_SHN_NORMAL, {});
}

TEST_CASE("shutdown under load, abrupt, on three cores")
{
    shut_down_under_load(NVME_CC_SHN_ABRUPT, {"cpu.cores=3"});
}

TEST_CASE("shutdown under load, without a buffer")
{
    shut_down_under_load(NVME_CC_SHN_NORMAL, {"cache.policy=none"});
}

} // namespace ssdvp::test::conformance_shutdown_test
