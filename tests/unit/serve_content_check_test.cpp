// SPDX-License-Identifier: Apache-2.0
//
// What clients wrote against what they read: checked where it is sure, and nowhere else.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "platform/serve/block_door.h"
#include "platform/serve/content_check.h"

namespace serve_content_check_test {

using namespace ssdvp;
using host::request_kind;
using platform::block_request;
using platform::content_check;

namespace {

constexpr std::uint64_t capacity = 1024;

struct request {
    request(request_kind kind, std::uint64_t lba, std::uint32_t sectors, unsigned char fill = 0)
        : data(std::size_t{sectors} * sector_size, fill)
    {
        r.kind = kind;
        r.lba = lba;
        r.sectors = sectors;
        const bool moves = kind == request_kind::read || kind == request_kind::write;
        r.data = moves ? data.data() : nullptr;
    }

    std::vector<unsigned char> data;
    block_request r;
};

request reading(std::uint64_t lba, std::uint32_t sectors, unsigned char finds)
{
    return {request_kind::read, lba, sectors, finds};
}

request writing(std::uint64_t lba, std::uint32_t sectors, unsigned char fill)
{
    return {request_kind::write, lba, sectors, fill};
}

struct bench {
    bench() { check.configure(capacity, faults, "clients"); }

    void begin(request& q)
    {
        content_check::begin(q.r, inside);
        inside.push_back(&q.r);
    }
    void end(request& q, bool ok = true)
    {
        inside.erase(std::find(inside.begin(), inside.end(), &q.r));
        check.end(q.r, ok);
    }
    void alone(request q, bool ok = true)
    {
        begin(q);
        end(q, ok);
    }
    /// Sectors that a read of all of them compares, when it finds `fill` in each.
    std::uint64_t known(std::uint64_t lba, std::uint32_t sectors, unsigned char fill)
    {
        const std::uint64_t before = check.sectors_checked();
        alone(reading(lba, sectors, fill));
        return check.sectors_checked() - before;
    }

    fault_log faults;
    content_check check;
    std::vector<block_request*> inside;
};

} // namespace

TEST_CASE("content check: what was written is compared, the rest is not known", "[serve]")
{
    bench b;
    CHECK(b.known(0, 1024, 7) == 0);
    b.alone(writing(100, 8, 1));
    b.alone(writing(104, 2, 0)); // zeros are data too
    CHECK(b.known(90, 14, 1) == 4);
    CHECK(b.known(104, 2, 0) == 2);
    CHECK(b.known(106, 100, 1) == 2);
    b.alone(writing(1023, 1, 3));
    CHECK(b.known(1023, 1, 3) == 1);
    CHECK(b.check.mismatches() == 0);
    CHECK(b.faults.count() == 0);
}

TEST_CASE("content check: one wrong byte is found, once for its sector", "[serve]")
{
    bench b;
    b.alone(writing(8, 8, 1));
    request q = reading(8, 8, 1);
    q.data[3 * sector_size + 511] ^= 1;
    b.begin(q);
    b.end(q);
    CHECK(b.check.sectors_checked() == 8);
    CHECK(b.check.mismatches() == 1);
    REQUIRE(b.faults.count() == 1);
    CHECK(b.faults.faults()[0].who == "clients");
    CHECK(b.faults.faults()[0].what == "read of sector 11: not what a client wrote there last");
    // All are counted, so many are recorded.
    b.alone(writing(100, 100, 1));
    b.alone(reading(100, 100, 2));
    CHECK(b.check.mismatches() == 101);
    CHECK(b.faults.count() == fault_log::kept);
}

TEST_CASE("content check: a sector in another's place is found", "[serve]")
{
    bench b;
    b.alone(writing(0, 1, 1));
    b.alone(writing(1, 1, 2));
    b.alone(reading(0, 1, 2));
    CHECK(b.check.mismatches() == 1);
}

TEST_CASE("content check: writes that overlap in flight leave nothing known", "[serve]")
{
    bench b;
    b.alone(writing(0, 16, 9));
    request first = writing(0, 8, 1);
    request second = writing(7, 2, 2);
    request third = writing(8, 2, 3); // overlaps only the second, which outlives the first
    b.begin(first);
    b.begin(second);
    b.end(first);
    b.begin(third);
    b.end(second);
    b.end(third);
    CHECK(b.known(0, 10, 4) == 0);
    CHECK(b.known(10, 6, 9) == 6);
    b.alone(writing(4, 4, 5));
    CHECK(b.known(0, 10, 5) == 4);
    request left = writing(0, 8, 6); // side by side they are no matter to each other
    request right = writing(8, 8, 6);
    b.begin(left);
    b.begin(right);
    b.end(left);
    b.end(right);
    CHECK(b.known(0, 16, 6) == 16);
    CHECK(b.check.mismatches() == 0);
}

TEST_CASE("content check: a read beside a write is not checked, reads beside reads are", "[serve]")
{
    bench b;
    b.alone(writing(0, 8, 1));
    request late = reading(0, 8, 2);
    request w = writing(7, 1, 2);
    request early = reading(7, 1, 1);
    b.begin(early);
    b.begin(w);
    b.begin(late);
    b.end(w);
    b.end(early);
    b.end(late);
    CHECK(b.check.sectors_checked() == 0);
    request one = reading(0, 4, 1);
    request other = reading(0, 4, 1);
    request flush(request_kind::flush, 2, 0); // that follows a trim keeps its address
    b.begin(one);
    b.begin(flush);
    b.begin(other);
    b.end(flush);
    b.end(one);
    b.end(other);
    CHECK(b.check.sectors_checked() == 8);
    CHECK(b.check.mismatches() == 0);
}

TEST_CASE("content check: a trim, a failed write, a lost one leave nothing known", "[serve]")
{
    bench b;
    b.alone(writing(0, 24, 1));
    b.alone({request_kind::trim, 0, 8});
    b.alone({request_kind::trim, 8, 1}, false); // may be done in part
    b.alone(writing(16, 4, 2), false);
    CHECK(b.known(0, 9, 3) == 0);
    CHECK(b.known(9, 7, 1) == 7);
    CHECK(b.known(16, 4, 3) == 0);
    b.alone(reading(20, 4, 3), false); // an error brings no data
    CHECK(b.known(20, 4, 1) == 4);
    CHECK(b.check.mismatches() == 0);
}

TEST_CASE("content check: beyond the end, and without a drive, nothing happens", "[serve]")
{
    bench b;
    b.alone(writing(capacity - 1, 2, 1));
    b.alone(reading(~std::uint64_t{0}, 1, 2));
    CHECK(b.known(capacity - 1, 1, 2) == 0);
    content_check none;
    none.end(writing(0, 1, 1).r, true);
    none.end(reading(0, 1, 2).r, true);
    CHECK(none.sectors_checked() == 0);
}

} // namespace serve_content_check_test
