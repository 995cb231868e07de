// SPDX-License-Identifier: Apache-2.0
// What is told of a bus: R/B# as the die has it, what is suspended, and the phases of a group.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/flash/bus/bus_timeline.h"
#include "models/flash/bus/wire_phase.h"
#include "tests/models/flash_bare_bus.h"

namespace flash_bus_timeline_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

/// Values of levels by name, each from its time on.
class levels_told final : public timeline {
public:
    std::uint32_t add_track(const std::string&, const std::string&) override { return unwanted; }
    std::uint32_t add_level(const std::string& group, const std::string& name, level_form) override
    {
        m_names.push_back(group + "/" + name);
        return static_cast<std::uint32_t>(m_names.size() - 1);
    }
    void add(std::uint32_t, const timeline_slice&) override { FAIL("no track is wanted"); }
    void set(std::uint32_t level, sim_time t, std::uint64_t value) override
    {
        auto& all = m_values[m_names[level]];
        all.erase(all.lower_bound(t), all.end());
        all[t] = value;
    }
    [[nodiscard]] std::uint64_t at(const std::string& name, sim_time t) const
    {
        return std::prev(m_values.at(name).upper_bound(t))->second;
    }
    /// When its value changes, after `t`.
    [[nodiscard]] std::vector<sim_time> edges(const std::string& name, sim_time t) const
    {
        std::vector<sim_time> all;
        for (const auto& [when, value] : m_values.at(name)) {
            if (when > t && at(name, when - 1_ps) != value) {
                all.push_back(when);
            }
        }
        return all;
    }

private:
    std::vector<std::string> m_names;
    std::map<std::string, std::map<sim_time, std::uint64_t>> m_values;
};

channel_config stopping()
{
    channel_config c = sdr5_pair();
    c.die.suspend.kind = suspend_kind::immediate;
    c.die.independent_plane_reads = true;
    return c;
}

struct told_bus {
    bare_bus b{"bare", stopping()};
    levels_told told;
    bus_timeline timeline{told, "channel 0", 2, cycle_timing(stopping().bus).times()};
    std::string ready = "channel 0/LUN 0/RB_n";
    std::string suspended = "channel 0/LUN 0/suspended";

    told_bus()
    {
        b.follow(timeline);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    /// Goes by all edges of R/B# until `end`: the die has each of them, at its picosecond. Returns
    /// how many there were.
    std::size_t go_to(sim_time end)
    {
        std::size_t seen = 0;
        for (const sim_time t : told.edges(ready, now())) {
            if (t <= end) {
                to(t - 1_ps);
                CHECK(b.die(0).high() == (told.at(ready, t - 1_ps) == 1));
                to(t);
                CHECK(b.die(0).high() == (told.at(ready, t) == 1));
                ++seen;
            }
        }
        to(end);
        return seen;
    }
    void to(sim_time t)
    {
        if (t > now()) {
            b.run_to(t);
        }
        while (sc_core::sc_pending_activity_at_current_time()) {
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        }
    }
    void row(onfi::opcode first, onfi::opcode second)
    {
        onfi::extension g;
        g.first = first;
        g.second = second;
        g.row_cycles = 3;
        b.send(g);
    }
};

TEST_CASE(
    "bus timeline: R/B# is told as the die has it, by reads, planes that overlap and suspends")
{
    told_bus t;
    t.b.send(read_page());
    CHECK(t.go_to(100_us) == 2); // a read of 40 us
    t.b.send(read_page(onfi::READ_2, 0, 0));
    CHECK(t.go_to(120_us) == 1);
    t.b.send(read_page(onfi::READ_2, 0, 1)); // while the other plane reads
    CHECK(t.go_to(200_us) == 1);
    t.row(onfi::ERASE_1, onfi::ERASE_2);
    CHECK(t.go_to(1_ms) == 1);
    t.row(onfi::SUSPEND, onfi::NO_COMMAND);
    CHECK(t.told.at(t.suspended, now()) == 0);
    CHECK(t.go_to(2_ms) == 1); // it has stopped
    CHECK(t.told.at(t.suspended, now()) == 1);
    CHECK(t.told.edges(t.suspended, sim_time()) ==
          std::vector{t.told.edges(t.ready, sim_time()).back()});
    t.b.send(read_page());
    CHECK(t.go_to(3_ms) == 2);
    t.row(onfi::RESUME, onfi::NO_COMMAND);
    CHECK(t.go_to(30_ms) == 2);
    CHECK(t.told.at(t.suspended, now()) == 0);
    CHECK(t.b.faults.count() == 0);
}

TEST_CASE("bus timeline: power that goes takes back what was told of later")
{
    told_bus t;
    t.b.send(read_page());
    t.to(10_us);
    CHECK(t.told.at(t.ready, 10_us) == 0);
    t.timeline.power_off(10_us);
    CHECK(t.told.at(t.ready, 10_us) == 1);
    CHECK(t.told.edges(t.ready, 10_us).empty());
}

// SDR mode 5: tWC = 20 ns, tWHR = 80 ns, tRC = 20 ns.
TEST_CASE("bus timeline: a group is command, address, command, or a wait and data")
{
    told_bus t;
    const auto phase = [&t](sim_time when) {
        return wire_phase::of(t.told.at("channel 0/bus/phase", when));
    };
    t.b.send(read_page()); // 00h, 2 + 3 address cycles, 30h
    CHECK(phase(0_ns).what == wire_phase::command);
    CHECK(phase(0_ns).opcode == onfi::READ_1);
    CHECK(phase(20_ns - 1_ps).what == wire_phase::command);
    CHECK(phase(20_ns).what == wire_phase::address);
    CHECK(phase(20_ns).cycles == 5);
    CHECK(phase(120_ns).what == wire_phase::command);
    CHECK(phase(120_ns).opcode == onfi::READ_2);
    CHECK(phase(140_ns - 1_ps).what == wire_phase::command);
    CHECK(phase(140_ns).what == wire_phase::idle);
    t.to(1_us);
    t.b.send(status());
    CHECK(phase(1_us).opcode == onfi::STATUS);
    CHECK(phase(1020_ns).what == wire_phase::wait);
    CHECK(phase(1100_ns - 1_ps).what == wire_phase::wait);
    CHECK(phase(1100_ns).what == wire_phase::data_out);
    CHECK(phase(1120_ns).what == wire_phase::idle);
}

} // namespace flash_bus_timeline_test
