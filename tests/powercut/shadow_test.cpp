// SPDX-License-Identifier: Apache-2.0
//
// The rules of what a drive may hold after a power cut, at their edges.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/powercut/durable_shadow.h"

namespace ssdvp::test::shadow_test {
namespace {

using values = std::vector<std::uint64_t>;
using how = durable_shadow::outcome;

/// One sector, written and flushed by name.
struct sector_story {
    durable_shadow s{2};
    std::uint64_t begin(std::uint64_t value)
    {
        const std::uint64_t t = s.tick();
        s.begin_write(0, value, t);
        return t;
    }
    void end(std::uint64_t begun, how h = how::ACKNOWLEDGED)
    {
        s.tick();
        s.end_write(0, begun, h);
    }
    void write(std::uint64_t value, how h = how::ACKNOWLEDGED) { end(begin(value), h); }
    std::uint64_t flush_begin() { return s.tick(); }
    void flush_end(std::uint64_t begun)
    {
        s.tick();
        s.end_flush(begun);
    }
    void flush() { flush_end(flush_begin()); }
    bool read(std::uint64_t value)
    {
        s.begin_read();
        const std::uint64_t t = s.tick();
        s.tick();
        return s.end_read(0, value, t);
    }
    values legal()
    {
        values v = s.legal_after_cut(0);
        std::sort(v.begin(), v.end());
        return v;
    }
};

} // namespace

TEST_CASE("shadow: acknowledged is not durable, in flight may have happened")
{
    sector_story t;
    CHECK(t.legal() == values{0});
    const std::uint64_t b = t.begin(1);
    CHECK(t.legal() == values{0, 1});
    t.end(b);
    CHECK(t.legal() == values{0, 1});
    t.write(2);
    CHECK(t.legal() == values{0, 1, 2});
    t.flush();
    CHECK(t.legal() == values{2});
}

TEST_CASE("shadow: a flush covers what ended before it began, and nothing before it completed")
{
    sector_story t;
    t.write(1);
    const std::uint64_t f = t.flush_begin();
    t.write(2);
    CHECK(t.legal() == values{0, 1, 2});
    t.flush_end(f);
    CHECK(t.legal() == values{1, 2});

    sector_story u; // the write was under way when the flush began
    const std::uint64_t w = u.begin(1);
    const std::uint64_t g = u.flush_begin();
    u.end(w);
    u.flush_end(g);
    CHECK(u.legal() == values{0, 1});
}

TEST_CASE("shadow: FUA is durable when it is acknowledged, not before, and not when it failed")
{
    sector_story t;
    const std::uint64_t b = t.begin(1);
    CHECK(t.legal() == values{0, 1});
    t.end(b, how::DURABLE);
    CHECK(t.legal() == values{1});
    t.write(2, how::FAILED);
    CHECK(t.legal() == values{1, 2});
    t.flush();
    CHECK(t.legal() == values{1, 2});
}

TEST_CASE("shadow: of writes at the same time either may be the last one")
{
    sector_story t;
    const std::uint64_t a = t.begin(1);
    const std::uint64_t b = t.begin(2);
    t.end(a);
    t.end(b);
    CHECK(t.read(1));
    CHECK(t.read(2));
    CHECK_FALSE(t.read(0));
    t.flush();
    CHECK(t.legal() == values{1, 2});
    t.write(3);
    CHECK_FALSE(t.read(1));
    t.flush();
    CHECK(t.legal() == values{3});
}

TEST_CASE("shadow: without a cut a read returns what was acknowledged last, durable or not")
{
    sector_story t;
    t.write(1);
    t.write(2);
    CHECK_FALSE(t.read(0));
    CHECK_FALSE(t.read(1));
    CHECK(t.read(2));
    CHECK(t.legal() == values{0, 1, 2}); // a read makes nothing durable
    const std::uint64_t b = t.begin(3);
    CHECK(t.read(2));
    CHECK(t.read(3));
    t.end(b);
    CHECK_FALSE(t.read(2));
}

TEST_CASE("shadow: the first read after a cut settles the sector")
{
    for (const std::uint64_t found : {0u, 1u, 2u}) {
        sector_story t;
        t.write(1);
        t.begin(2);
        t.s.cut();
        CHECK_FALSE(t.read(7));
        CHECK(t.legal() == values{0, 1, 2});
        CHECK(t.read(found));
        for (const std::uint64_t other : {0u, 1u, 2u}) {
            CHECK(t.read(other) == (other == found));
        }
        CHECK(t.legal() == values{found});
        t.s.cut();
        CHECK(t.legal() == values{found});
    }
}

TEST_CASE("shadow: nobody looked between two cuts, and a flush cannot bless what is not known")
{
    sector_story t;
    t.write(1);
    t.s.cut();
    t.flush();
    CHECK(t.legal() == values{0, 1});
    t.write(2);
    CHECK_FALSE(t.read(0));
    CHECK(t.read(2));
    t.s.cut();
    CHECK(t.legal() == values{0, 1, 2});
    t.write(3);
    t.flush();
    CHECK(t.legal() == values{3});
}

TEST_CASE("shadow: a sector that was not written keeps its value")
{
    sector_story t;
    t.write(1, how::DURABLE);
    t.s.begin_read();
    CHECK(t.s.end_read(1, 0, t.s.tick()));
    t.s.cut();
    CHECK(t.s.legal_after_cut(1) == values{0});
    CHECK(t.read(1));
    CHECK_FALSE(t.read(0));
}

TEST_CASE("shadow: long histories are cut short without changing what is legal")
{
    sector_story t;
    for (std::uint64_t v = 1; v < 100; ++v) {
        t.write(v);
        if (v % 10 == 0) {
            t.flush();
        }
        CHECK(t.legal().front() == v / 10 * 10);
        CHECK(t.legal().size() == v % 10 + 1);
    }
}

} // namespace ssdvp::test::shadow_test
