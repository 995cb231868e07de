// SPDX-License-Identifier: Apache-2.0
//
// Snap reads at the die: how long the array is at work, at the edge, and what a LUN refuses with a
// 20h and after one, by name. The part senses 4 KiB of its 16 KiB pages in 15 us.
#include "tests/models/flash_bare_bus.h"

namespace flash_snap_rules_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr sim_time tWB = 100_ns;
constexpr sim_time tRSNAP = 15_us;

channel_config snapping(bool independent)
{
    channel_config c = sdr5_pair();
    c.die.timing.tRSNAP = {tRSNAP};
    c.die.timing.tRCBSY = 3_us;
    c.die.timing.slc = {20_us, 200_us, 3_ms};
    c.die.snap_bytes = 4096;
    c.die.independent_plane_reads = independent;
    return c;
}

onfi::extension snap_of(unsigned column, unsigned plane = 0)
{
    onfi::extension g = read_page(onfi::SNAP_READ, 0, plane);
    g.column = column;
    return g;
}

struct snapping_die {
    bare_bus b;
    explicit snapping_die(const channel_config& c = snapping(false)) : b("bare", c)
    {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void to(sim_time t)
    {
        if (t > now()) {
            b.run_to(t);
        }
        while (sc_core::sc_pending_activity_at_current_time()) { // edges are of this instant
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        }
    }
    /// When the register has the part that `column` lies in.
    sim_time snap(unsigned column = 0, unsigned plane = 0)
    {
        return b.send(snap_of(column, plane)) + tWB + tRSNAP;
    }
    /// A byte of the register goes out, or a new one-byte group.
    void send(const onfi::extension& g)
    {
        b.send(g);
        to(now() + 1_ms);
    }
    void byte_out(unsigned column, unsigned char* oob = nullptr)
    {
        onfi::extension g;
        g.first = onfi::CHANGE_READ_COLUMN_1;
        g.second = onfi::CHANGE_READ_COLUMN_2;
        g.column_cycles = 2;
        g.column = column;
        g.data_out = true;
        g.oob = oob;
        g.oob_length = oob != nullptr ? 8 : 0;
        send(g);
    }
    [[nodiscard]] std::vector<std::string> faults() const
    {
        std::vector<std::string> what;
        for (const fault_log::fault& f : b.faults.faults()) {
            what.push_back(f.what);
        }
        return what;
    }
};

} // namespace

TEST_CASE("snap rules: the LUN takes its next command after tRSNAP, not 1 ps before")
{
    snapping_die d;
    sim_time ready = d.snap();
    d.to(ready);
    CHECK(d.b.die(0).stats().busy == tRSNAP);
    ready = d.snap();
    CHECK(d.b.faults.count() == 0);
    d.to(ready - 1_ps);
    d.b.send(read_page());
    d.to(1_ms);
    const auto what = d.faults();
    REQUIRE(what.size() == 2);
    CHECK(what[0] == "illegal command sequence"); // a busy LUN
    CHECK(what[1].find("command 1 ps before R/B# high") != std::string::npos);
    CHECK(d.b.die(0).stats().reads == 2);
}

TEST_CASE("snap rules: an independent plane takes its next read after tRSNAP, not 1 ps before")
{
    snapping_die d(snapping(true));
    const sim_time ready = d.snap();
    d.to(ready);
    const sim_time again = d.snap();
    d.to(again - 1_us);
    d.snap(0, 1); // beside it
    CHECK(d.b.faults.count() == 0);
    d.to(again - 1_ps);
    d.snap();
    d.to(1_ms);
    const auto what = d.faults();
    REQUIRE(what.size() == 2);
    CHECK(what[0] == "read of a plane that reads");
    CHECK(what[1].find("command to the plane 1 ps before plane0 ready") != std::string::npos);
}

TEST_CASE("snap rules: R/B# is low for tRSNAP, and for tR after a 30h")
{
    snapping_die d;
    d.b.die(0).trace_rb();
    const sim_time ready = d.snap();
    d.to(ready - 1_ps);
    CHECK_FALSE(d.b.die(0).rb.read());
    d.to(ready);
    CHECK(d.b.die(0).rb.read());
    const sim_time whole = d.b.send(read_page()) + tWB + 40_us;
    d.to(whole - 1_ps);
    CHECK_FALSE(d.b.die(0).rb.read());
    d.to(whole);
    CHECK(d.b.die(0).rb.read());
}

TEST_CASE("snap rules: a list has a time for each page of a word line")
{
    channel_config c = snapping(false);
    c.die.timing.tRSNAP = {10_us, 12_us, 15_us};
    snapping_die d(c);
    sim_time sum;
    for (unsigned page = 0; page < 4; ++page) { // 10, 12, 15, 10
        onfi::extension g = snap_of(0);
        g.page = page_index(page);
        d.send(g);
        sum += c.die.timing.tRSNAP[page % 3];
        CHECK(d.b.die(0).stats().busy == sum);
    }
}

TEST_CASE("snap rules: the register gives the part that was sensed, and no byte beside it")
{
    snapping_die d;
    d.to(d.snap(5000));
    d.byte_out(4096);
    d.byte_out(8191);
    CHECK(d.b.faults.count() == 0);
    d.byte_out(4095);
    d.byte_out(8192);
    unsigned char oob[8] = {};
    d.byte_out(4096, oob);
    const std::vector<std::string> expected(3, "data out of what a snap read did not sense");
    CHECK(d.faults() == expected);
    onfi::extension plain; // data out without a command: the column is that of the read
    plain.data_out = true;
    plain.column = 12288;
    d.send(plain);
    CHECK(d.b.faults.count() == 4);
    d.send(read_page()); // the whole page
    d.byte_out(4095);
    d.byte_out(8192, oob);
    CHECK(d.b.faults.count() == 4);
}

TEST_CASE("snap rules: a 20h that does not go with what came before is refused and named")
{
    snapping_die d;
    onfi::extension retry = snap_of(0);
    retry.retry = 1;
    onfi::extension slc;
    slc.first = onfi::MODE_SLC;
    onfi::extension next;
    next.first = onfi::READ_CACHE;
    onfi::extension reset;
    reset.first = onfi::RESET_LUN;
    reset.row_cycles = 3;
    const auto refusal = [&](const std::vector<onfi::extension>& groups) {
        const std::size_t before = d.b.faults.count();
        for (const onfi::extension& g : groups) {
            d.send(g);
        }
        const auto what = d.faults();
        d.send(reset);
        REQUIRE(d.b.faults.count() == before + 1);
        return what.back();
    };
    CHECK(refusal({snap_of(16384)}) == "snap read of the spare area");
    CHECK(refusal({read_page(onfi::READ_MULTI_PLANE, 0, 1), snap_of(0)}) ==
          "snap read of several planes");
    CHECK(refusal({slc, snap_of(0)}) == "snap read in a program mode");
    CHECK(refusal({retry}) == "snap read at a read retry level");
    CHECK(refusal({read_page(), next, snap_of(0)}) == "snap read in a cache sequence");
    CHECK(refusal({snap_of(0), next}) == "cache read behind a snap read");
    CHECK(refusal({snap_of(0), read_page(onfi::READ_CACHE)}) == "cache read behind a snap read");
}

TEST_CASE("snap rules: a part without snap reads refuses 20h")
{
    channel_config c = snapping(false);
    c.die.timing.tRSNAP = {};
    snapping_die d(c);
    d.send(snap_of(0));
    CHECK(d.faults() == std::vector<std::string>{"snap read, which the part lacks"});
    CHECK(d.b.die(0).stats().reads == 0);
}

TEST_CASE("snap rules: what does not go after a snap read goes after a read of the page")
{
    snapping_die d;
    d.send(snap_of(0));
    d.send(read_page());
    onfi::extension next;
    next.first = onfi::READ_CACHE;
    d.send(next);
    next.first = onfi::READ_CACHE_END;
    d.send(next);
    d.send(snap_of(4096));
    CHECK(d.b.faults.count() == 0);
}

} // namespace flash_snap_rules_test
