// SPDX-License-Identifier: Apache-2.0
//
// The checker of DRAM commands: each rule refuses at t - 1 ps and accepts at t.
#include <catch2/catch.hpp>
#include <set>

#include "tests/models/dram_support.h"

namespace dram_rules_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::dram;

namespace {

constexpr sim_time start = 100_us;
using c = dram_command;

/// All times are nothing, except `name`: so a sequence can break that one only.
bank_timing only(dram_standard standard, const char* name)
{
    dram_config config = dram::test::standard_config(standard);
    for (const figure_name& f : figures()) {
        config.timing.*f.member = std::string(f.name) == name ? 100_ns : 0_ns;
    }
    config.timing.tREFI = 1_ms;
    return bank_timing(config);
}

struct watched {
    std::vector<violation> found;
    bank_timing timing;
    command_checker checker;

    explicit watched(const bank_timing& t)
        : timing(t), checker(t, [this](const violation& v) { found.push_back(v); })
    {}
    void send(c what, sim_time when, std::uint32_t bank = 0, std::uint64_t row = 1)
    {
        const std::uint32_t set = bank / timing.ways;
        checker.observe({when, what, bank, timing.group_of(set, bank % timing.ways), row});
    }
    std::string first() const { return found.empty() ? "" : found.front().rule; }
};

/// A bank for the second command, as far from bank 0 as the rule says.
std::uint32_t second_bank(const bank_timing& t, reach scope)
{
    for (std::uint32_t b = 1; b < t.sets * t.ways; ++b) {
        const bool same = t.group_of(b / t.ways, b % t.ways) == t.group_of(0, 0);
        if (same == (scope == reach::group || t.groups == 1)) {
            return scope == reach::bank ? 0 : b;
        }
    }
    return 0;
}

/// The two commands of `r` with `distance` between them, and what makes them legal otherwise.
std::string send_pair(const rule& r, const bank_timing& timing, sim_time distance)
{
    watched w(timing);
    const std::uint32_t bank = second_bank(timing, r.scope);
    const bool all_closed = r.to == c::REF || r.from == c::REF;
    for (const std::uint32_t b : std::set<std::uint32_t>{0, bank}) {
        const bool opened_by_pair = (b == 0 && r.from == c::ACT) || (b == bank && r.to == c::ACT);
        if (!all_closed && !opened_by_pair) {
            w.send(c::ACT, 0_ns, b);
        }
    }
    w.send(r.from, start);
    if (r.from == c::ACT && r.to == c::ACT && bank == 0) {
        w.send(c::PRE, start);
    }
    w.send(r.to, start + distance, bank);
    CHECK(w.found.size() <= 1);
    CHECK(w.checker.violations() == w.found.size());
    if (!w.found.empty()) {
        CHECK(w.found.front().off == 1_ps);
        CHECK(w.found.front().since == r.from);
    }
    return w.first();
}

} // namespace

TEST_CASE("dram rules: each is refused at t - 1 ps and accepted at t")
{
    std::set<std::string> seen;
    for (const dram_standard standard : dram::test::all_standards) {
        for (const rule& r : rules()) {
            const bank_timing timing = only(standard, r.name);
            INFO(table_of(standard).name << ": " << r.name << " from " << name_of(r.from) << " to "
                                         << name_of(r.to));
            const sim_time value = r.value(timing);
            REQUIRE(value >= 100_ns);
            CHECK(send_pair(r, timing, value - 1_ps) == r.name);
            CHECK(send_pair(r, timing, value) == "");
            seen.insert(r.name);
        }
    }
    // tFAW and tREFI have tests of their own; data times are in the rules of column commands.
    for (const figure_name& f : figures()) {
        const std::string name = f.name;
        const bool elsewhere = name == "tFAW" || name == "tREFI" || name == "tCL" || name == "tCWL";
        CHECK(seen.count(name) == (elsewhere ? 0 : 1));
    }
}

TEST_CASE("dram rules: five activations take tFAW and no less")
{
    for (const sim_time distance : {100_ns - 1_ps, 100_ns}) {
        watched w(only(dram_standard::ddr4, "tFAW"));
        for (std::uint32_t b = 0; b < 4; ++b) {
            w.send(c::ACT, start + b * 1_ns, b);
        }
        w.send(c::ACT, start + w.timing.figures.tFAW + distance - 100_ns, 4);
        CHECK(w.first() == (distance < 100_ns ? "tFAW" : ""));
        CHECK(w.found.size() == (distance < 100_ns ? 1 : 0));
    }
}

TEST_CASE("dram rules: no more than nine tREFI between two refreshes")
{
    for (const sim_time late : {0_ps, 1_ps}) {
        watched w(only(dram_standard::ddr3, "none"));
        w.send(c::REF, start);
        w.send(c::REF, start + 9 * w.timing.figures.tREFI + late);
        CHECK(w.first() == (late == 0_ps ? "" : "tREFI"));
    }
}

TEST_CASE("dram rules: rows must be open, or not, for what is asked of them")
{
    const bank_timing timing = only(dram_standard::ddr3, "none");
    const auto after_opening = [&](c what, std::uint32_t bank, std::uint64_t row) {
        watched w(timing);
        w.send(c::ACT, start, 0, 1);
        w.send(what, start + 1_us, bank, row);
        return w.first();
    };
    CHECK(after_opening(c::RD, 0, 1) == "");
    CHECK(after_opening(c::RD, 0, 2) == "the row is not open");
    CHECK(after_opening(c::WR, 1, 1) == "the row is not open");
    CHECK(after_opening(c::ACT, 0, 2) == "a row is open");
    CHECK(after_opening(c::ACT, 1, 2) == "");
    CHECK(after_opening(c::REF, 0, 0) == "a row is open");
    watched w(timing);
    w.send(c::ACT, start);
    w.send(c::PREA, start);
    w.send(c::REF, start);
    CHECK(w.first() == "");
}

TEST_CASE("dram rules: a violation says which rule, when and by how much, and a restart forgets")
{
    watched w(only(dram_standard::ddr3, "tRCD"));
    w.send(c::ACT, start, 3);
    w.send(c::RD, start + 99_ns, 3);
    REQUIRE(w.found.size() == 1);
    CHECK(describe(w.found[0]) ==
          "tRCD of bank 3 broken at 100099000 ps: RD 1000 ps earlier than 100000 ps after ACT");
    w.checker.restart();
    w.send(c::RD, start + 100_ns, 3);
    REQUIRE(w.found.size() == 2);
    CHECK(describe(w.found[1]) == "the row is not open of bank 3 broken at 100100000 ps: RD");
}

TEST_CASE("dram checker: what is broken in the order of time is a fault, whatever order it came in")
{
    fault_log faults;
    dram_checker checker("part", only(dram_standard::ddr3, "tRCD"), &faults);
    checker.note({start + 99_ns, c::RD, 0, 0, 1});
    checker.note({start, c::ACT, 0, 0, 1});
    checker.settled(start + 99_ns); // the RD is not before that
    CHECK(faults.count() == 0);
    CHECK(checker.commands() == 1);
    checker.settled(start + 100_ns);
    REQUIRE(faults.count() == 1);
    CHECK(faults.faults()[0].who == "part");
    checker.note({start + 200_ns, c::RD, 0, 0, 2});
    checker.cut(start + 150_ns); // it does not happen
    checker.settled(start + 1_us);
    CHECK(checker.violations() == 1);
}

} // namespace dram_rules_test
