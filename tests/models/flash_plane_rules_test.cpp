// SPDX-License-Identifier: Apache-2.0
//
// Independent plane reads at the die: what a LUN takes and refuses while some of its planes read,
// each at the edge, and what its status and R/B# say. The bus checker names the same.
#include "tests/models/flash_bare_bus.h"

namespace flash_plane_rules_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr sim_time tWB = 100_ns;
constexpr sim_time tR = 40_us;

channel_config independent()
{
    channel_config c = sdr5_pair();
    c.die.independent_plane_reads = true;
    return c;
}

/// LUN 0 of a part whose planes read by themselves.
struct reading_die {
    bare_bus b{"bare", independent()};
    reading_die() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
    /// When plane 0 is ready.
    sim_time read(unsigned plane = 0)
    {
        return b.send(read_page(onfi::READ_2, 0, plane)) + tWB + tR;
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
    [[nodiscard]] std::vector<std::string> faults() const
    {
        std::vector<std::string> what;
        for (const fault_log::fault& f : b.faults.faults()) {
            what.push_back(f.what);
        }
        return what;
    }
    unsigned status_of(int plane)
    {
        onfi::extension g = status();
        if (plane >= 0) {
            g.first = onfi::STATUS_ENHANCED;
            g.row_cycles = 3;
            g.plane = plane_index(plane);
        }
        b.send(g);
        return b.byte & (onfi::STATUS_RDY | onfi::STATUS_ARDY);
    }
};

onfi::extension group(onfi::opcode first, onfi::opcode second, unsigned plane = 2)
{
    onfi::extension g = read_page(second, 0, plane);
    g.first = first;
    return g;
}

constexpr unsigned ready = onfi::STATUS_RDY | onfi::STATUS_ARDY;

} // namespace

TEST_CASE("plane rules: a read of another plane is taken at any time")
{
    reading_die d;
    for (const sim_time after : {tWB, tWB + 1_ps, 20_us, tR + tWB - 1_ps, tR + tWB}) {
        const sim_time end = d.read() - tWB - tR;
        d.to(end + after);
        d.read(1);
        d.to(now() + 1_ms);
        CHECK(d.b.faults.count() == 0);
        CHECK(d.b.die(0).stats().busy != sim_time());
    }
    CHECK(d.b.die(0).stats().reads == 10);
}

TEST_CASE("plane rules: a plane takes its next read when it is ready, whatever others do")
{
    reading_die d;
    const sim_time t = d.read();
    d.to(t - 10_us);
    d.read(1);
    d.to(t);
    d.read();
    d.to(1_ms);
    CHECK(d.b.faults.count() == 0);
    CHECK(d.b.die(0).stats().reads == 3);
}

TEST_CASE("plane rules: a read of a plane that is busy for 1 ps more is refused and named")
{
    reading_die d;
    const sim_time t = d.read();
    d.to(t - 10_us);
    d.read(1);
    d.to(t - 1_ps);
    d.read();
    d.to(1_ms);
    const auto what = d.faults();
    REQUIRE(what.size() == 2);
    CHECK(what[0] == "read of a plane that reads");
    CHECK(what[1] == "RDY of lun0 broken at 40239999 ps: command to the plane 1 ps before plane0 "
                     "ready");
    CHECK(d.b.die(0).stats().reads == 2);
}

TEST_CASE("plane rules: what needs the LUN is refused 1 ps before the last plane is ready")
{
    struct refused {
        onfi::extension group;
        const char* why;
    };
    const std::vector<refused> all = {
        {group(onfi::PROGRAM_1, onfi::PROGRAM_2), "program while a plane reads"},
        {group(onfi::ERASE_1, onfi::ERASE_2), "erase while a plane reads"},
        {group(onfi::READ_1, onfi::READ_MULTI_PLANE),
         "multi-plane, cache or copyback read while a plane reads"},
        {group(onfi::READ_1, onfi::COPYBACK_READ),
         "multi-plane, cache or copyback read while a plane reads"},
        {group(onfi::READ_CACHE, onfi::NO_COMMAND), "command to the whole LUN while a plane reads"},
        {group(onfi::GET_FEATURES, onfi::NO_COMMAND),
         "command to the whole LUN while a plane reads"},
        {group(onfi::RESUME, onfi::NO_COMMAND), "resume while a plane reads"},
    };
    reading_die d;
    for (const refused& r : all) {
        const std::size_t before = d.b.faults.count();
        d.read();
        d.to(now() + 10_us);
        const sim_time last = d.read(1);
        d.to(last - 1_ps);
        d.b.send(r.group);
        d.to(last + 20_ms);
        REQUIRE(d.b.faults.count() == before + 2);
        CHECK(d.faults()[before] == r.why);
        CHECK(d.faults()[before + 1].find("command to the LUN 1 ps before plane1 ready") !=
              std::string::npos);
    }
    CHECK(d.b.die(0).stats().programs == 0);
    CHECK(d.b.die(0).stats().erases == 0);
}

TEST_CASE("plane rules: what needs the LUN is taken when the last plane is ready")
{
    reading_die d;
    for (const onfi::extension& g :
         {group(onfi::ERASE_1, onfi::ERASE_2), group(onfi::PROGRAM_1, onfi::PROGRAM_2),
          group(onfi::READ_1, onfi::COPYBACK_READ)}) {
        d.read();
        d.to(now() + 10_us);
        d.to(d.read(1));
        d.b.send(g);
        d.to(now() + 20_ms);
    }
    CHECK(d.b.faults.count() == 0);
    CHECK(d.b.die(0).stats().programs == 1);
    CHECK(d.b.die(0).stats().erases == 1);
}

TEST_CASE("plane rules: data go out while another plane reads, from a ready plane only")
{
    reading_die d;
    const sim_time first = d.read();
    d.to(first - 10_us);
    const sim_time second = d.read(1);
    onfi::extension out = group(onfi::CHANGE_READ_COLUMN_ENHANCED_1, onfi::CHANGE_READ_COLUMN_2, 0);
    out.data_out = true;
    d.to(first);
    d.b.send(out);
    CHECK(d.b.faults.count() == 0);
    out.plane = plane_index(1);
    d.to(second - 2_us);
    d.b.send(out);
    d.to(1_ms);
    const auto what = d.faults();
    REQUIRE_FALSE(what.empty());
    CHECK(what[0] == "data out of a plane that reads");
}

TEST_CASE("plane rules: 78h tells of its plane, 70h of the LUN")
{
    reading_die d;
    const sim_time first = d.read();
    d.to(first - 10_us);
    const sim_time second = d.read(1);
    d.to(first - 1_us);
    CHECK(d.status_of(0) == 0);
    d.to(first);
    CHECK(d.status_of(0) == ready);
    CHECK(d.status_of(1) == 0);
    CHECK(d.status_of(2) == ready);
    CHECK(d.status_of(-1) == 0);
    d.to(second);
    CHECK(d.status_of(1) == ready);
    CHECK(d.status_of(-1) == ready);
    CHECK(d.b.faults.count() == 0);
}

TEST_CASE("plane rules: R/B# is low from the first plane's tWB until the last one is ready")
{
    reading_die d;
    d.b.die(0).trace_rb();
    const sim_time first = d.read();
    d.to(first - tR - 1_ps);
    CHECK(d.b.die(0).high());
    d.to(first - tR);
    CHECK_FALSE(d.b.die(0).high());
    d.to(first - 10_us);
    const sim_time last = d.read(1);
    d.to(last - 1_ps);
    CHECK_FALSE(d.b.die(0).rb.read());
    d.to(last);
    CHECK(d.b.die(0).rb.read());
}

TEST_CASE("plane rules: R/B# is high between a read that ends and one whose command is under way")
{
    reading_die d;
    d.b.die(0).trace_rb();
    const sim_time first = d.read();
    d.to(first - 50_ns);
    const sim_time last = d.read(1); // its array begins 190 ns after the first one's end
    d.to(first);
    CHECK(d.b.die(0).rb.read());
    d.to(last - tR);
    CHECK_FALSE(d.b.die(0).rb.read());
    CHECK(d.b.die(0).stats().busy == tR);
    d.to(last);
    CHECK(d.b.die(0).rb.read());
    CHECK(d.b.die(0).stats().busy == 2u * tR);
    CHECK(d.b.faults.count() == 0);
}

TEST_CASE("plane rules: a part without independent reads refuses a read while another plane reads")
{
    bare_bus b("bare", sdr5_pair());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.send(read_page());
    b.run_to(10_us);
    b.send(read_page(onfi::READ_2, 0, 1));
    b.run_to(1_ms);
    CHECK(b.faults.count() == 2);
    CHECK(b.die(0).stats().reads == 1);
}

} // namespace flash_plane_rules_test
