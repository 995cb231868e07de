// SPDX-License-Identifier: Apache-2.0
//
// What the shadow copy accepts after a power cut.
#include <catch2/catch.hpp>
#include <cstring>

#include "models/host/shadow/shadow.h"

namespace shadow_power_test {

using namespace ssdvp;
using host::shadow;

namespace {

constexpr std::uint64_t lba = 1000;

struct bench {
    fault_log faults;
    shadow s{data_mode::tag, "shadow", &faults};
    std::uint32_t slot = 0;

    explicit bench(bool write_through = false)
    {
        s.expect_power_cuts();
        s.set_write_through(write_through);
        s.configure(1u << 20, 256, 256);
    }
    shadow::span begin_write()
    {
        unsigned char sector[sector_size];
        const shadow::span span = {slot++, lba, 1};
        s.begin_write(span, sector);
        return span;
    }
    void write(bool fua = false) { s.end_write(begin_write(), true, fua); }
    void trim()
    {
        const shadow::span span = {slot++, lba, 1};
        s.begin_trim(span);
        s.end_trim(span, true);
    }
    void flush()
    {
        s.begin_flush(slot);
        s.end_flush(slot++, true);
    }
    /// Whether a read may find that version; 0 = zeros.
    bool reads(std::uint64_t version, std::uint64_t at = lba)
    {
        unsigned char sector[sector_size];
        const shadow::span span = {slot++, at, 1};
        s.begin_read(span, sector);
        const std::uint64_t tag = make_tag(at, version);
        std::memcpy(sector, &tag, sizeof tag);
        const std::uint64_t before = s.mismatches();
        s.end_read(span, sector, true);
        return s.mismatches() == before;
    }
    std::size_t uncertain() { return s.uncertain(256).size(); }
};

} // namespace

TEST_CASE("after a cut an unflushed write is old or new")
{
    bench old;
    old.write();
    old.s.power_lost();
    CHECK(old.uncertain() == 1);
    CHECK(old.reads(0));
    CHECK_FALSE(old.reads(1)); // settled
    CHECK(old.uncertain() == 0);

    bench young;
    young.write();
    young.s.power_lost();
    CHECK(young.reads(1));
    CHECK_FALSE(young.reads(0));
}

TEST_CASE("a flushed write survives the cut")
{
    bench b;
    b.write();
    b.flush();
    b.s.power_lost();
    CHECK(b.uncertain() == 0);
    CHECK_FALSE(b.reads(0));
    CHECK(b.reads(1));
}

TEST_CASE("a Flush that began before the acknowledgement, or did not complete, promises nothing")
{
    bench early;
    const shadow::span w = early.begin_write();
    early.s.begin_flush(200);
    early.s.end_write(w, true);
    early.s.end_flush(200, true);
    early.s.power_lost();
    CHECK(early.reads(0));

    bench open;
    open.write();
    open.s.begin_flush(200);
    open.s.power_lost();
    CHECK(open.reads(0));

    bench failed;
    failed.write();
    failed.s.begin_flush(200);
    failed.s.end_flush(200, false);
    failed.s.power_lost();
    CHECK(failed.reads(0));
}

TEST_CASE("between the flushed version and the newest any may be there, none before")
{
    for (const std::uint64_t found : {2u, 3u, 4u}) {
        bench b;
        b.write();
        b.write();
        b.flush();
        b.write();
        b.begin_write(); // not acknowledged
        b.s.power_lost();
        CHECK(b.reads(found));
        for (const std::uint64_t other : {1u, 2u, 3u, 4u}) {
            CHECK(b.reads(other) == (other == found));
        }
    }
    bench b;
    b.write();
    b.write();
    b.flush();
    b.write();
    b.s.power_lost();
    CHECK_FALSE(b.reads(1));
    CHECK_FALSE(b.reads(0));
}

TEST_CASE("a version acknowledged between the begin and the end of a Flush is not covered by it")
{
    bench b;
    b.write();
    b.s.begin_flush(200);
    b.write();
    b.s.end_flush(200, true);
    b.s.power_lost();
    CHECK_FALSE(b.reads(0));
    CHECK(b.reads(1));
}

TEST_CASE("FUA and write-through are durable at completion")
{
    bench fua;
    fua.write(true);
    fua.s.power_lost();
    CHECK_FALSE(fua.reads(0));
    CHECK(fua.reads(1));

    bench through(true);
    through.write();
    through.begin_write();
    through.s.power_lost();
    CHECK_FALSE(through.reads(0));
    CHECK(through.reads(2));
}

TEST_CASE("a drive that begins to declare a write cache may lose what it acknowledges then")
{
    bench b(true);
    b.write();
    b.s.set_write_through(false);
    b.write();
    b.s.power_lost();
    CHECK_FALSE(b.reads(0)); // the first one was durable
    CHECK(b.reads(1));
}

TEST_CASE("what a read settled stays through the next cut, and writes go on from there")
{
    bench b;
    b.write();
    b.flush();
    b.write(); // 2, lost
    b.s.power_lost();
    CHECK(b.reads(1));
    b.s.power_lost();
    CHECK(b.uncertain() == 0);
    CHECK_FALSE(b.reads(2));
    CHECK(b.reads(1));
    b.write(); // 3
    CHECK(b.reads(3));
    b.s.power_lost();
    CHECK_FALSE(b.reads(2));
    CHECK(b.reads(1));
}

TEST_CASE("a cut leaves a sector uncertain through the next one when nobody read it")
{
    bench b;
    b.write();
    b.s.power_lost();
    b.s.power_lost();
    CHECK(b.uncertain() == 1);
    CHECK(b.reads(1));
}

TEST_CASE("a trim is a write of zeros: old or zeros, until a later write is durable")
{
    bench b;
    b.write();
    b.flush();
    b.trim();
    b.s.power_lost();
    CHECK(b.uncertain() == 1);
    CHECK(b.reads(0));
    CHECK_FALSE(b.reads(1));

    bench later;
    later.write();
    later.trim();
    later.write();
    later.flush();
    later.s.power_lost();
    CHECK_FALSE(later.reads(0));
    CHECK(later.reads(2));
}

TEST_CASE("what is to be verified: uncertain sectors, or all that were written, neighbours joined")
{
    bench b;
    unsigned char data[16 * sector_size];
    b.s.set_preconditioned(0, 64);
    b.s.begin_write({1, 100, 16}, data);
    b.s.end_write({1, 100, 16}, true);
    b.flush();
    b.s.begin_write({2, 104, 4}, data);
    b.s.power_lost();
    const auto open = b.s.uncertain(256);
    REQUIRE(open.size() == 1);
    CHECK(open[0].lba == 104);
    CHECK(open[0].sectors == 4);
    const auto all = b.s.written(48);
    REQUIRE(all.size() == 3);
    CHECK((all[0].lba == 0 && all[0].sectors == 48));
    CHECK((all[1].lba == 48 && all[1].sectors == 16));
    CHECK((all[2].lba == 100 && all[2].sectors == 16));
    b.s.unreadable(open[0], 0x281);
    CHECK(b.s.mismatches() == 4);
    CHECK(b.faults.count() == 1);
}

TEST_CASE("after a reset a write in flight is old or new, and what was acknowledged is there")
{
    bench old;
    old.write();
    old.begin_write();
    old.s.controller_reset();
    CHECK(old.uncertain() == 1);
    CHECK_FALSE(old.reads(0)); // acknowledged: a reset loses nothing of that, flushed or not
    CHECK(old.reads(1));
    CHECK_FALSE(old.reads(2)); // settled
    CHECK(old.uncertain() == 0);

    bench young;
    young.write();
    young.begin_write();
    young.s.controller_reset();
    CHECK(young.reads(2));
    CHECK_FALSE(young.reads(1));

    bench idle;
    idle.write();
    idle.s.controller_reset();
    CHECK(idle.uncertain() == 0);
    CHECK_FALSE(idle.reads(0));

    bench group; // the second of two that were in flight together has ended
    group.write();
    group.begin_write();
    group.s.end_write(group.begin_write(), true);
    group.s.controller_reset();
    CHECK_FALSE(group.reads(1));
    CHECK(group.reads(2));
    CHECK_FALSE(group.reads(3));
}

TEST_CASE("a trim in flight at a reset was done or not")
{
    for (const bool done : {false, true}) {
        bench b;
        b.write();
        b.s.begin_trim({b.slot++, lba, 1});
        b.s.controller_reset();
        CHECK(b.reads(done ? 0 : 1));
        CHECK_FALSE(b.reads(done ? 1 : 0));
    }
}

TEST_CASE("what a read finds after a reset may still be lost with the power")
{
    bench b;
    b.write();
    b.flush();
    b.begin_write();
    b.s.controller_reset();
    CHECK(b.reads(2));
    b.s.power_lost();
    CHECK(b.uncertain() == 1);
    CHECK(b.reads(1));
}

TEST_CASE("a trim in flight at the cut may have come after a write that began later and has ended")
{
    for (const std::uint64_t found : {0u, 2u}) {
        bench b;
        b.write(true);
        b.s.begin_trim({b.slot++, lba, 1});
        b.write(true);
        b.s.power_lost();
        CHECK(b.uncertain() == 1);
        CHECK_FALSE(b.reads(1));
        CHECK(b.reads(found));
        CHECK_FALSE(b.reads(2 - found)); // settled
    }
    bench ended; // before the write began
    ended.write(true);
    ended.trim();
    ended.write(true);
    ended.s.power_lost();
    CHECK_FALSE(ended.reads(0));
    CHECK(ended.reads(2));
}

TEST_CASE("zeros found after a trim, or what a failed write left, say nothing of what a cut left")
{
    bench zeros;
    zeros.write(true);
    zeros.write();
    zeros.s.power_lost();
    zeros.trim();
    CHECK(zeros.reads(0));
    zeros.s.power_lost(); // and the trim is lost
    CHECK(zeros.reads(2));

    bench failed;
    failed.write();
    failed.s.power_lost();
    failed.s.end_write(failed.begin_write(), false);
    CHECK(failed.reads(2));
    failed.s.power_lost();
    CHECK(failed.reads(1));
}

} // namespace shadow_power_test
