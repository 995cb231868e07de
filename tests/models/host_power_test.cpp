// SPDX-License-Identifier: Apache-2.0
//
// The host and a drive that loses power: what was under way is lost, and it starts again.
#include <catch2/catch.hpp>

#include "tests/models/host_standin.h"

namespace host_power_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::test;
using host::request_kind;

namespace {

struct loser : host::request_client {
    std::vector<std::uint64_t> done;
    std::vector<std::uint64_t> lost;
    void on_done(std::uint64_t cookie, const host::request_result&) override
    {
        done.push_back(cookie);
    }
    void on_lost(std::uint64_t cookie, const host::request&) override { lost.push_back(cookie); }
    void on_batch_end() override {}
};

/// Starts and carries a write of 8 sectors out, as request 1.
void start_and_write(bench& b, loser& client)
{
    b.build();
    b.host->check().expect_power_cuts();
    REQUIRE(b.start());
    REQUIRE(b.host->submit(make(request_kind::write, 0, 8), nullptr, client, 1));
    b.host->ring();
    sc_core::sc_start();
}

bool restart(bench& b)
{
    bool good = false;
    b.host->start([&](bool ok) { good = ok; });
    sc_core::sc_start();
    return good;
}

/// Of a drive that forgets all it holds when it loses power.
std::uint64_t mismatches_after_loss(bench& b)
{
    loser client;
    start_and_write(b, client);
    b.host->power_lost();
    b.drv->tags.clear();
    REQUIRE(restart(b));
    b.host->verify(true, [] {});
    sc_core::sc_start();
    return b.host->check().mismatches();
}

/// Of a drive whose link spoils the next `times` reads of what was written.
std::uint64_t mismatches_when_spoiled(bench& b, unsigned times)
{
    loser client;
    start_and_write(b, client);
    b.host->power_lost();
    REQUIRE(restart(b));
    b.drv->spoiled[0] = times;
    bool verified = false;
    b.host->verify(true, [&] { verified = true; });
    sc_core::sc_start();
    CHECK(verified);
    CHECK(b.host->verified_sectors() == 8);
    return b.host->check().mismatches();
}

} // namespace

TEST_CASE("requests without a completion are lost, the queues work again after the next start")
{
    bench b;
    loser client;
    start_and_write(b, client);
    REQUIRE(b.host->submit(make(request_kind::write, 8, 8), nullptr, client, 2));
    b.host->power_lost(); // its doorbell was not rung
    CHECK(client.done == std::vector<std::uint64_t>{1});
    CHECK(client.lost == std::vector<std::uint64_t>{2});
    CHECK(b.host->drive().lost() == 1);
    CHECK(b.host->drive().idle());
    CHECK_FALSE(b.host->ready());
    const std::uint64_t allocated = b.host->ram().allocated();
    REQUIRE(restart(b));
    CHECK(b.host->ram().allocated() == allocated); // buffers stay where they are
    REQUIRE(b.host->submit(make(request_kind::read, 0, 8), nullptr, client, 3));
    b.host->ring();
    sc_core::sc_start();
    CHECK(client.done == std::vector<std::uint64_t>{1, 3});
    CHECK(b.done.results.size() == 2);
    CHECK(b.faults.count() == 0);
}

TEST_CASE("a drive that declares a write cache may lose what it acknowledged")
{
    bench b;
    CHECK(mismatches_after_loss(b) == 0);
    CHECK(b.host->drive().info().write_cache);
}

TEST_CASE("a drive that declares no write cache may lose nothing that it acknowledged")
{
    bench b;
    b.device.write_cache = false;
    CHECK(mismatches_after_loss(b) == 8);
    CHECK_FALSE(b.host->drive().info().write_cache);
}

TEST_CASE("verification reads what is uncertain, unseen by observers, and settles it")
{
    bench b;
    loser client;
    start_and_write(b, client);
    b.host->power_lost();
    REQUIRE(restart(b));
    bool verified = false;
    b.host->verify(false, [&] { verified = true; });
    sc_core::sc_start();
    CHECK(verified);
    CHECK(b.host->verified_sectors() == 8);
    CHECK(b.host->first_verified() != sim_time());
    CHECK(b.done.results.size() == 1); // the write
    CHECK(b.host->drive().completed() == 1);
    verified = false;
    b.host->verify(false, [&] { verified = true; });
    CHECK(verified); // nothing is left
    b.host->verify(true, [] {});
    sc_core::sc_start();
    CHECK(b.host->verified_sectors() == 16);
    CHECK(b.host->check().mismatches() == 0);
}

TEST_CASE("verification: what the link spoiled is read again, and is no loss")
{
    bench b;
    CHECK(mismatches_when_spoiled(b, host::verifier::attempts - 1) == 0);
    CHECK(b.faults.count() == 0);
    CHECK(b.host->check().sectors_checked() == 8);
}

TEST_CASE("verification: what the link spoils each time is given up, and said")
{
    bench b;
    CHECK(mismatches_when_spoiled(b, 1000) == 8);
    CHECK(b.faults.count() == 1);
    CHECK(b.drv->spoiled[0] == 1000 - host::verifier::attempts);
}

} // namespace host_power_test
