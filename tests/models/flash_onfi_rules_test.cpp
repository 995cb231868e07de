// SPDX-License-Identifier: Apache-2.0
//
// Every rule of the ONFI bus, in every mode: a sequence at the edge is legal, 1 ps too early is
// caught by name.
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "models/flash/bus/onfi_checker.h"

namespace flash_onfi_rules_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

namespace {

constexpr lun_index any_lun{1};
constexpr sim_time start = 1_ms;

constraint_values values_of(const interface_mode& m)
{
    const cycle_timing t({m.interface, rate(m.mega_transfers * 1000 * 1000)});
    constraint_values v{t.times(), 5_us, t.family()};
    v.bus.tCK = t.tCK();
    return v;
}

/// What one rule says when its two events are `early` nearer than (or further than) it allows.
std::vector<violation> apart(const constraint& c, const constraint_values& v, sim_time early)
{
    std::vector<violation> found;
    constraint_checker checker(v, 2, [&](const violation& x) { found.push_back(x); });
    constexpr unsigned cycles = 3;
    const sim_time value = c.value(v);
    // What holds for the whole bus holds between two LUNs.
    const lun_index to_lun = c.scope == reach::bus ? lun_index(0) : any_lun;
    checker.observe(c.from, any_lun, start);
    switch (c.kind) {
    case bound::at_least:
        checker.observe(c.to, to_lun, start + value - early);
        break;
    case bound::at_most:
        checker.observe(c.to, to_lun, start + value + early);
        break;
    case bound::per_cycle:
        checker.observe(c.to, to_lun, start + cycles * value - early, cycles);
        break;
    case bound::not_busy:
        if (early != sim_time()) {
            checker.observe(c.to, to_lun, start + 25_us - early);
        }
        checker.observe(bus_event::ready, to_lun, start + 25_us);
        if (early == sim_time()) {
            checker.observe(c.to, to_lun, start + 25_us + v.bus.tRR);
        }
        break;
    case bound::plane_rests:
    case bound::planes_rest: // what needs them all waits for any other plane, too
        checker.about(plane_index(c.kind == bound::plane_rests ? 0 : 1));
        if (early != sim_time()) {
            checker.observe(c.to, to_lun, start + 25_us - early);
        }
        checker.plane_ready(to_lun, plane_index(0), start + 25_us);
        if (early == sim_time()) {
            checker.observe(c.to, to_lun, start + 25_us);
        }
        break;
    }
    return found;
}

/// Cycle groups on one bus as the checker is told of them.
class wires {
public:
    fault_log faults;
    cycle_timing timing;

    explicit wires(const interface_mode& m)
        : timing({m.interface, rate(m.mega_transfers * 1000 * 1000)}),
          m_checker("bus", timing, config(), &faults)
    {}
    static channel_config config()
    {
        channel_config c;
        c.luns = 2;
        c.die.timing.tDBSY = 700_ns;
        c.die.timing.tRST = 5_us;
        return c;
    }
    [[nodiscard]] sim_time twb() const { return timing.times().tWB; }
    /// Sends `g` at `at`; `bend` may move its parts. The time of its last cycle.
    sim_time send(const onfi::extension& g, sim_time at,
                  const std::function<void(group_times&)>& bend = nullptr)
    {
        const std::uint64_t bytes = g.data_in || g.data_out ? 16 : 0;
        group_times t = timing.expand(g, bytes);
        if (bend) {
            bend(t);
        }
        m_checker.group(g, bytes, at, t, true);
        return at + t.end;
    }
    void edge(bool rises, sim_time at, unsigned lun = 0)
    {
        m_checker.ready_edge(lun_index(lun), rises, at);
    }
    /// An array operation from `at` on: when R/B# rises.
    sim_time array(const onfi::extension& g, sim_time at)
    {
        const sim_time end = send(g, at);
        edge(false, end + twb());
        edge(true, end + twb() + 25_us);
        return end + twb() + 25_us;
    }

private:
    onfi_checker m_checker;
};

onfi::extension group(onfi::opcode first, onfi::opcode second, unsigned columns, unsigned rows)
{
    onfi::extension g;
    g.first = first;
    g.second = second;
    g.column_cycles = static_cast<std::uint8_t>(columns);
    g.row_cycles = static_cast<std::uint8_t>(rows);
    return g;
}
onfi::extension with_data(onfi::extension g, bool in)
{
    (in ? g.data_in : g.data_out) = true;
    return g;
}
onfi::extension on_lun(onfi::extension g, unsigned lun)
{
    g.lun = lun_index(lun);
    return g;
}

const auto read_page = group(onfi::READ_1, onfi::READ_2, 2, 3);
const auto plane_read = group(onfi::READ_1, onfi::READ_MULTI_PLANE, 2, 3);
const auto program = with_data(group(onfi::PROGRAM_1, onfi::PROGRAM_2, 2, 3), true);
const auto status = with_data(group(onfi::STATUS, onfi::NO_COMMAND, 0, 0), false);
const auto data_out = with_data(group(onfi::NO_COMMAND, onfi::NO_COMMAND, 0, 0), false);
const auto out_at_column =
    with_data(group(onfi::CHANGE_READ_COLUMN_1, onfi::CHANGE_READ_COLUMN_2, 2, 0), false);
const auto in_at_column = with_data(group(onfi::CHANGE_WRITE_COLUMN, onfi::NO_COMMAND, 2, 0), true);
const auto features = with_data(group(onfi::SET_FEATURES, onfi::NO_COMMAND, 0, 1), true);
const auto reset = group(onfi::RESET_LUN, onfi::NO_COMMAND, 0, 3);

/// A sequence whose critical distance is at the edge, less `early`.
struct scenario {
    const char* name;
    unsigned families;
    void (*play)(wires& w, sim_time early);
};

constexpr unsigned sdr = 1;
constexpr unsigned nv_ddr = 2;
constexpr unsigned nv_ddr2 = 4;
constexpr unsigned all = sdr | nv_ddr | nv_ddr2;

void shorten_address(wires& w, sim_time early)
{
    w.send(program, start, [early](group_times& t) { t.addressed = t.addressed - early; });
}
void early_confirm(wires& w, sim_time early)
{
    w.send(program, start, [early](group_times& t) { t.end = t.end - early; });
}
void early_data(wires& w, const onfi::extension& g, sim_time early)
{
    w.send(g, start, [early](group_times& t) { t.data_begin = t.data_begin - early; });
}
/// 16 bytes are 8 cycles of two, or 16 of one.
void short_data(wires& w, const onfi::extension& g, sim_time early)
{
    w.send(g, start, [&](group_times& t) {
        const cycle_times& c = w.timing.times();
        const sim_time byte = g.data_in ? c.tWC : c.tRC;
        const sim_time cycles =
            w.timing.family() == bus_family::sdr ? 16 * byte : 8 * w.timing.tCK();
        t.data_end = t.data_begin + cycles - early;
    });
}

const std::vector<scenario> scenarios = {
    {"tWC", sdr | nv_ddr2, shorten_address},
    {"tWC", sdr | nv_ddr2, early_confirm},
    {"tWC", sdr, [](wires& w, sim_time early) { short_data(w, program, early); }},
    {"tCAD", nv_ddr, shorten_address},
    {"tCAD", nv_ddr, early_confirm},
    {"tRC", sdr, [](wires& w, sim_time early) { short_data(w, out_at_column, early); }},
    {"tRC", sdr, [](wires& w, sim_time early) { short_data(w, status, early); }},
    {"tCK", nv_ddr | nv_ddr2, [](wires& w, sim_time early) { short_data(w, program, early); }},
    {"tCK", nv_ddr | nv_ddr2,
     [](wires& w, sim_time early) { short_data(w, out_at_column, early); }},
    {"tCK", nv_ddr | nv_ddr2, [](wires& w, sim_time early) { short_data(w, status, early); }},
    {"tADL", all, [](wires& w, sim_time early) { early_data(w, program, early); }},
    {"tADL", all, [](wires& w, sim_time early) { early_data(w, features, early); }},
    {"tCCS", all, [](wires& w, sim_time early) { early_data(w, in_at_column, early); }},
    {"tCCS", all, [](wires& w, sim_time early) { early_data(w, out_at_column, early); }},
    {"tWHR", all, [](wires& w, sim_time early) { early_data(w, status, early); }},
    {"tRR", all,
     [](wires& w, sim_time early) { w.send(data_out, w.array(read_page, start) - early); }},
    {"tRHW", all,
     [](wires& w, sim_time early) {
         const sim_time end = w.send(status, start);
         w.send(on_lun(read_page, 1), end + w.timing.times().tRHW - early);
     }},
    {"overlap", all,
     [](wires& w, sim_time early) {
         const sim_time end = w.send(read_page, start);
         w.send(on_lun(read_page, 1), end - early);
     }},
    {"tWB", all,
     [](wires& w, sim_time early) {
         const sim_time end = w.send(read_page, start);
         w.send(status, end + w.twb() - early);
     }},
    {"tWB", all,
     [](wires& w, sim_time early) {
         const sim_time end = w.send(plane_read, start);
         w.send(status, end + w.twb() - early);
     }},
    {"tDBSY", all,
     [](wires& w, sim_time early) {
         const sim_time end = w.send(plane_read, start);
         w.send(read_page, end + w.twb() + 700_ns - early);
     }},
    {"R/B#", all,
     [](wires& w, sim_time early) {
         const sim_time end = w.send(read_page, start);
         const sim_time ready = end + w.twb() + 25_us;
         w.edge(false, end + w.twb());
         if (early == sim_time()) {
             w.edge(true, ready);
         }
         w.send(read_page, ready - early);
         if (early != sim_time()) {
             w.edge(true, ready);
         }
     }},
};

} // namespace

TEST_CASE("each ONFI constraint holds at its edge and is caught 1 ps beyond, in every mode")
{
    for (const interface_mode& m : interface_modes) {
        const constraint_values v = values_of(m);
        for (const constraint& c : constraints()) {
            if (!c.applies(v.family)) {
                continue;
            }
            INFO(c.name << " mode " << m.number << " at " << m.mega_transfers << " MT/s");
            CHECK(apart(c, v, sim_time()).empty());
            const auto found = apart(c, v, 1_ps);
            REQUIRE(found.size() == 1);
            CHECK(found[0].rule == &c);
            CHECK(found[0].off == 1_ps);
            CHECK(found[0].lun == (c.scope == reach::bus ? lun_index(0) : any_lun));
        }
    }
}

TEST_CASE("cycle groups: each rule by its own sequence, at the edge and 1 ps beyond")
{
    for (const interface_mode& m : interface_modes) {
        for (const scenario& s : scenarios) {
            wires legal(m);
            if ((s.families & static_cast<unsigned>(legal.timing.family())) == 0) {
                continue;
            }
            INFO(s.name << " mode " << m.number << " at " << m.mega_transfers << " MT/s");
            s.play(legal, sim_time());
            CHECK(legal.faults.count() == 0);
            wires early(m);
            s.play(early, 1_ps);
            REQUIRE(early.faults.count() == 1);
            const std::string what = early.faults.faults()[0].what;
            INFO(what);
            CHECK(what.rfind(std::string(s.name) + " of lun", 0) == 0);
            CHECK(what.find(" 1 ps ") != std::string::npos);
        }
    }
}

TEST_CASE("resets and features: the LUN's time is over before the next command")
{
    for (const interface_mode& m : interface_modes) {
        const auto next_after = [&m](const onfi::extension& g, sim_time wait) {
            wires w(m);
            const sim_time end = w.send(g, start);
            w.edge(false, end + w.twb());
            w.edge(true, end + w.twb() + 1_ps); // a die that is faster does not count
            w.send(read_page, end + w.twb() + wait);
            return w.faults.count() == 0 ? "" : w.faults.faults().at(0).what.substr(0, 5);
        };
        CHECK(next_after(reset, 5_us).empty());
        CHECK(next_after(reset, 5_us - 1_ps) == "tRST ");
        CHECK(next_after(features, 1_us).empty());
        CHECK(next_after(features, 1_us - 1_ps) == "tFEAT");
    }
}

TEST_CASE("a die that pulls R/B# low after tWB is named, too")
{
    const auto low_after_tWB = [](sim_time late) {
        wires w(interface_modes[5]);
        const sim_time end = w.send(read_page, start);
        w.edge(false, end + 100_ns + late);
        return w.faults.count();
    };
    CHECK(low_after_tWB(sim_time()) == 0);
    CHECK(low_after_tWB(1_ps) == 1);
}

TEST_CASE("a busy LUN takes status, suspend and reset, and another LUN takes all")
{
    wires w(interface_modes[5]);
    sim_time at = w.send(read_page, start) + w.twb();
    w.edge(false, at);
    at = w.send(status, at) + w.timing.times().tRHW;
    at = w.send(group(onfi::SUSPEND, onfi::NO_COMMAND, 0, 3), at);
    at = w.send(on_lun(read_page, 1), at);
    w.send(reset, at);
    w.edge(true, start + 30_us);
    CHECK(w.faults.count() == 0);
}

TEST_CASE("a report says which constraint, who, when and by how much")
{
    wires w(interface_modes[5]); // SDR 5: 70h 20 ns, tWHR 80 ns, 16 x 20 ns
    w.send(status, start);
    w.send(on_lun(read_page, 1), start + 420_ns + 1_ns);
    REQUIRE(w.faults.count() == 1);
    CHECK(w.faults.faults()[0].who == "bus");
    CHECK(w.faults.faults()[0].what == "tRHW of lun1 broken at 1000421000 ps: command after last "
                                       "data-out 99000 ps earlier than 100000 ps");
}

} // namespace flash_onfi_rules_test
