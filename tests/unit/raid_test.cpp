// SPDX-License-Identifier: Apache-2.0
//
// Arrays of drives against members that the test answers for.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "models/host/raid/array.h"

namespace raid_test {

using namespace ssdvp;
using namespace ssdvp::host;

namespace {

/// A drive that keeps the tags of its sectors, and ends requests when the test says so.
struct member_drive final : request_target {
    struct held {
        request req;
        unsigned char* data;
        request_client* client;
        std::uint64_t cookie;
    };
    std::vector<held> waiting;
    std::vector<request> seen;
    std::map<std::uint64_t, std::uint64_t> tags;
    std::size_t room = 1000;
    unsigned rings = 0;
    request_client* client = nullptr;

    bool submit(const request& req, unsigned char* data, request_client& from,
                std::uint64_t cookie) override
    {
        client = &from;
        if (waiting.size() >= room) {
            return false;
        }
        seen.push_back(req);
        waiting.push_back({req, data, &from, cookie});
        return true;
    }
    void ring() override { ++rings; }
    void end(std::size_t i, std::uint16_t status = 0)
    {
        const held h = waiting.at(i);
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::uint32_t n = 0; n < h.req.sectors && status == 0; ++n) {
            std::uint64_t& tag = tags[h.req.lba + n];
            if (h.req.kind == request_kind::write) {
                std::memcpy(&tag, h.data + std::size_t{n} * sector_size, tag_size);
            } else if (h.req.kind == request_kind::read) {
                std::memcpy(h.data + std::size_t{n} * sector_size, &tag, tag_size);
            } else {
                tag = 0;
            }
        }
        request_result r;
        r.req = h.req;
        r.submitted = r.completed = now();
        r.status = status;
        h.client->on_done(h.cookie, r);
    }
    void batch() { client->on_batch_end(); }
    void end_all(std::uint16_t status = 0)
    {
        while (!waiting.empty()) {
            end(0, status);
        }
        batch();
    }
};

struct user final : request_client {
    std::vector<std::pair<std::uint64_t, std::uint16_t>> done; // cookie, status
    unsigned batches = 0;
    void on_done(std::uint64_t cookie, const request_result& r) override
    {
        done.emplace_back(cookie, r.status);
    }
    void on_batch_end() override { ++batches; }
};

/// An array of members of 1000 sectors; chunks of 8.
struct bench {
    fault_log faults;
    std::vector<member_drive> drives;
    array_config config;
    std::unique_ptr<array> a;
    user host;

    bench(raid_level level, std::size_t members, std::uint32_t slots = 64,
          mirror_reads reads = mirror_reads::round_robin)
        : drives(members)
    {
        config.name = "md";
        config.level = level;
        config.chunk = 4096;
        config.reads = reads;
        a = std::make_unique<array>(config, &faults, nullptr);
        std::vector<array::member> list;
        for (member_drive& d : drives) {
            list.push_back({&d, 1000});
        }
        a->open(list, slots, 64);
    }
    bool ask(request_kind kind, std::uint64_t lba, std::uint32_t sectors, std::uint64_t cookie = 0,
             bool fua = false)
    {
        request r;
        r.kind = kind;
        r.lba = lba;
        r.sectors = sectors;
        r.fua = fua;
        r.arrival = now();
        return a->submit(r, nullptr, host, cookie);
    }
    void end_all()
    {
        for (bool any = true; any;) {
            any = false;
            for (member_drive& d : drives) {
                any = any || !d.waiting.empty();
                if (!d.waiting.empty()) {
                    d.end_all();
                }
            }
        }
    }
};

void check_extent(const stripe_map::extent& e, std::uint64_t lba, std::uint32_t sectors)
{
    CHECK(e.sectors == sectors);
    CHECK(e.lba == lba);
}

constexpr std::uint16_t unrecovered = 0x281; // NVMe: media error, unrecovered read error

} // namespace

TEST_CASE("a stripe map places chunks by hand")
{
    const stripe_map m(3, 8); // chunks 0, 3, 6 on member 0; 1, 4, 7 on 1; 2, 5, 8 on 2
    check_extent(m.on(0, 0, 8), 0, 8);
    check_extent(m.on(1, 0, 8), 0, 0);
    check_extent(m.on(1, 8, 1), 0, 1);  // first sector of chunk 1
    check_extent(m.on(1, 15, 1), 7, 1); // its last
    check_extent(m.on(2, 15, 1), 0, 0);
    check_extent(m.on(0, 25, 4), 9, 4); // inside chunk 3
    check_extent(m.on(0, 4, 24), 4, 8); // chunks 0..3: the end of 0 and the start of 3, merged
    check_extent(m.on(1, 4, 24), 0, 8);
    check_extent(m.on(2, 4, 24), 0, 8);
    check_extent(m.on(0, 0, 72), 0, 24); // three whole stripes
    check_extent(m.on(2, 0, 72), 0, 24);
    check_extent(m.on(2, 71, 1), 23, 1); // the last sector of the last stripe
    CHECK(m.capacity(1000) == 3 * 1000);
    CHECK(m.capacity(1007) == 3 * 1000); // the rest of a chunk stays unused
    CHECK_FALSE(m.wraps(0, 24));
    CHECK(m.wraps(1, 24));
    for (std::uint64_t lba = 0; lba < 100; ++lba) {
        for (std::uint32_t i = 0; i < 3; ++i) {
            const auto e = m.on(i, lba, 1);
            CHECK((e.sectors == 0 || m.address_of(i, e.lba) == lba));
        }
    }
}

TEST_CASE("RAID-0 gives each member one piece, and checks what comes back")
{
    bench b(raid_level::stripe, 3);
    CHECK(b.a->capacity() == 3000);
    REQUIRE(b.ask(request_kind::write, 4, 60, 1, true)); // chunks 0..7
    CHECK(b.a->counts().pieces == 3);
    for (const member_drive& d : b.drives) {
        REQUIRE(d.seen.size() == 1);
        CHECK(d.seen[0].fua);
    }
    check_extent({b.drives[0].seen[0].lba, b.drives[0].seen[0].sectors}, 4, 20);
    check_extent({b.drives[1].seen[0].lba, b.drives[1].seen[0].sectors}, 0, 24);
    check_extent({b.drives[2].seen[0].lba, b.drives[2].seen[0].sectors}, 0, 16);
    CHECK(b.drives[0].rings == 0);
    b.a->ring();
    CHECK(b.drives[0].rings == 1);
    CHECK(b.drives[2].rings == 1);
    b.drives[2].end_all();
    b.drives[0].end_all();
    CHECK(b.host.done.empty());
    b.drives[1].end_all();
    REQUIRE(b.host.done.size() == 1);
    CHECK(b.host.batches == 1);
    CHECK(b.drives[0].tags[4] == make_tag(4, 1)); // tags are of the array's addresses
    CHECK(b.drives[1].tags[8] == make_tag(32, 1));
    CHECK(b.drives[2].tags[15] == make_tag(47, 1));
    for (std::uint64_t lba = 0; lba + 29 <= 70; lba += 5) { // within a stripe and across
        REQUIRE(b.ask(request_kind::read, lba, 29));
        REQUIRE(b.ask(request_kind::read, lba, 3));
        b.end_all();
    }
    CHECK(b.a->check().sectors_checked() > 200);
    CHECK(b.a->check().mismatches() == 0);
    std::swap(b.drives[0].tags[9], b.drives[0].tags[10]);
    REQUIRE(b.ask(request_kind::read, 24, 8));
    b.end_all();
    CHECK(b.a->check().mismatches() == 2);
}

TEST_CASE("RAID-0 trims like it writes, flushes all members, and reports an error")
{
    bench b(raid_level::stripe, 2);
    REQUIRE(b.ask(request_kind::write, 0, 32, 1));
    b.end_all();
    REQUIRE(b.ask(request_kind::trim, 8, 24, 2));
    check_extent({b.drives[0].seen[1].lba, b.drives[0].seen[1].sectors}, 8, 8);
    check_extent({b.drives[1].seen[1].lba, b.drives[1].seen[1].sectors}, 0, 16);
    b.end_all();
    REQUIRE(b.ask(request_kind::read, 0, 32, 3));
    b.end_all();
    CHECK(b.a->check().trimmed_zeros() == 24);
    REQUIRE(b.ask(request_kind::flush, 0, 0, 4));
    CHECK(b.drives[0].waiting.size() == 1);
    CHECK(b.drives[1].waiting.size() == 1);
    b.drives[1].end_all(unrecovered);
    b.drives[0].end_all();
    REQUIRE(b.host.done.size() == 4);
    CHECK(b.host.done.back() == std::make_pair(std::uint64_t{4}, unrecovered));
    CHECK(b.a->member_counts(1).errors == 1);
    CHECK_FALSE(b.a->degraded());
    CHECK(b.a->check().mismatches() == 0);
}

TEST_CASE("what a member refuses goes to it later, in order, and a full array says so")
{
    bench b(raid_level::stripe, 2, 3);
    b.drives[0].room = 1;
    REQUIRE(b.ask(request_kind::write, 0, 4, 1));
    REQUIRE(b.ask(request_kind::write, 16, 4, 2));
    REQUIRE(b.ask(request_kind::write, 32, 4, 3));
    CHECK_FALSE(b.ask(request_kind::write, 48, 4, 4)); // three slots
    b.a->ring();
    CHECK(b.drives[0].seen.size() == 1);
    b.drives[0].end(0);
    b.drives[0].batch();
    CHECK(b.host.batches == 1); // also because it was refused
    REQUIRE(b.drives[0].seen.size() == 2);
    CHECK(b.drives[0].seen[1].lba == 8);
    b.end_all();
    REQUIRE(b.host.done.size() == 3);
    CHECK(b.host.done[1].first == 2);
    CHECK(b.host.done[2].first == 3);
    CHECK(b.a->member_counts(0).in == 3);
    CHECK(b.a->member_counts(0).out == 3);
}

TEST_CASE("RAID-1 writes to all and reads from one")
{
    bench b(raid_level::mirror, 2);
    CHECK(b.a->capacity() == 1000);
    REQUIRE(b.ask(request_kind::write, 0, 32));
    CHECK(b.a->counts().pieces == 2);
    b.end_all();
    CHECK(b.drives[0].tags == b.drives[1].tags);
    for (int i = 0; i < 4; ++i) {
        REQUIRE(b.ask(request_kind::read, 0, 8));
    }
    CHECK(b.drives[0].waiting.size() == 2);
    CHECK(b.drives[1].waiting.size() == 2);
    b.end_all();
    CHECK(b.a->check().sectors_checked() == 32);
    CHECK(b.a->check().mismatches() == 0);
}

TEST_CASE("least_loaded reads where fewest are under way")
{
    bench b(raid_level::mirror, 2, 64, mirror_reads::least_loaded);
    for (int i = 0; i < 4; ++i) {
        REQUIRE(b.ask(request_kind::read, 0, 8));
    }
    b.drives[0].end_all();
    REQUIRE(b.ask(request_kind::read, 0, 8));
    REQUIRE(b.ask(request_kind::read, 0, 8));
    CHECK(b.drives[0].waiting.size() == 2);
    CHECK(b.drives[1].waiting.size() == 2);
}

TEST_CASE("overlapping writes reach the mirrors one after the other, others at once")
{
    bench b(raid_level::mirror, 2);
    REQUIRE(b.ask(request_kind::write, 8, 8, 1));
    REQUIRE(b.ask(request_kind::write, 15, 8, 2)); // its first sector is the last of the first
    REQUIRE(b.ask(request_kind::trim, 22, 2, 3));  // overlaps one that waits
    REQUIRE(b.ask(request_kind::write, 0, 8, 4));  // ends where the first begins
    REQUIRE(b.ask(request_kind::read, 8, 8, 5));
    CHECK(b.a->counts().waited == 2);
    CHECK(b.drives[0].seen.size() + b.drives[1].seen.size() == 5);
    b.drives[0].end(0);
    b.drives[0].batch();
    CHECK(b.drives[1].seen.size() == 2); // the other mirror has not written it yet
    b.drives[1].end(0);
    b.drives[1].batch();
    CHECK(b.drives[1].seen.size() == 3);
    CHECK(b.drives[1].seen.back().lba == 15);
    CHECK(b.drives[0].rings == 1); // by the batch of the other member
    b.end_all();
    CHECK(b.host.done.size() == 5);
    CHECK(b.drives[0].tags == b.drives[1].tags);
    REQUIRE(b.ask(request_kind::read, 0, 32));
    b.end_all();
    CHECK(b.a->check().mismatches() == 0);
}

TEST_CASE("a read that fails is read from another member")
{
    bench b(raid_level::mirror, 3);
    REQUIRE(b.ask(request_kind::write, 0, 8, 1));
    b.end_all();
    const unsigned rung = b.drives[1].rings;
    REQUIRE(b.ask(request_kind::read, 0, 8, 2));
    b.drives[0].end(0, unrecovered);
    CHECK(b.drives[1].waiting.empty());
    b.drives[0].batch();
    REQUIRE(b.drives[1].waiting.size() == 1);
    CHECK(b.drives[1].rings == rung + 1);
    b.drives[1].end_all();
    CHECK(b.host.done.back() == std::make_pair(std::uint64_t{2}, std::uint16_t{0}));
    CHECK(b.a->counts().reads_recovered == 1);
    CHECK_FALSE(b.a->degraded()); // the member can still be written
    REQUIRE(b.ask(request_kind::read, 0, 8, 3));
    for (int i = 0; i < 3; ++i) {
        for (member_drive& d : b.drives) {
            if (!d.waiting.empty()) {
                d.end_all(unrecovered);
            }
        }
    }
    CHECK(b.host.done.back() == std::make_pair(std::uint64_t{3}, unrecovered)); // nobody has it
    CHECK(b.a->counts().reads_recovered == 1);
    CHECK(b.a->check().mismatches() == 0);
}

TEST_CASE("a member that cannot write leaves, the last one stays")
{
    bench b(raid_level::mirror, 2);
    REQUIRE(b.ask(request_kind::write, 0, 8, 1));
    b.drives[0].end_all(unrecovered);
    b.drives[1].end_all();
    CHECK(b.host.done.back() == std::make_pair(std::uint64_t{1}, std::uint16_t{0}));
    CHECK(b.a->degraded());
    CHECK_FALSE(b.a->member_counts(0).good);
    for (int i = 0; i < 3; ++i) {
        REQUIRE(b.ask(request_kind::read, 0, 8, 2));
    }
    REQUIRE(b.ask(request_kind::write, 0, 8, 3));
    REQUIRE(b.ask(request_kind::flush, 0, 0, 4));
    CHECK(b.drives[0].waiting.empty());
    b.drives[1].end_all();
    CHECK(b.host.done.size() == 6);
    REQUIRE(b.ask(request_kind::write, 8, 8, 5));
    b.drives[1].end_all(unrecovered);
    CHECK(b.host.done.back() == std::make_pair(std::uint64_t{5}, unrecovered));
    CHECK(b.a->member_counts(1).good);
    CHECK(b.a->check().mismatches() == 0);
    CHECK(b.a->check().sectors_checked() == 24);
}

TEST_CASE("an array of one member is refused")
{
    array_config config;
    array a(config, nullptr, nullptr);
    member_drive d;
    CHECK_THROWS_AS(a.open({{&d, 1000}}, 8, 8), std::invalid_argument);
    CHECK_THROWS_AS(a.open(std::vector<array::member>(17, {&d, 1000}), 8, 8),
                    std::invalid_argument);
}

} // namespace raid_test
