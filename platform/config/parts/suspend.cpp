// SPDX-License-Identifier: Apache-2.0
//
// Suspends of erases and programs: which come, and how many an erase stands.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "models/flash/die/errors/rber.h"
#include "models/flash/die/suspend/suspend_policy.h"
#include "models/regs/boot_params.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

} // namespace

bool suspends_erases(const ssd_config& c)
{
    return c.channel.die.suspend.kind != flash::suspend_kind::none;
}

bool suspends_programs(const ssd_config& c)
{
    return c.channel.die.suspend.programs;
}

namespace {

bool has_safe_points(const ssd_config& c)
{
    return c.channel.die.suspend.kind == flash::suspend_kind::safe_point_static ||
           c.channel.die.suspend.kind == flash::suspend_kind::safe_point_dynamic;
}

} // namespace

/// Firmware of one's own may let its dies suspend what it likes.
option when_suspended(option o)
{
    return or_own_firmware(kept_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) { return suspends_erases(c) || suspends_programs(c); },
        "flash.suspend.policy is not none, or flash.suspend.programs is true"));
}

/// Of the pulse itself, where an erase stops at certain points of it.
option when_pulse_counts(option o)
{
    return or_own_firmware(
        kept_when<ssd_config>(std::move(o), has_safe_points,
                              "flash.suspend.policy is safe_point_static or safe_point_dynamic"));
}

namespace {

/// Carried as steps by P/E cycles; none = the policy's own.
option safe_points_option()
{
    option o;
    o.key = "flash.suspend.safe_points";
    o.spec = count_of(1, 1000);
    o.spec.kind = value_kind::step_list;
    o.computed = "10 with safe_point_static; with safe_point_dynamic 30 up to 100 P/E cycles, "
                 "falling evenly to 10 at 1,000";
    o.about = "safe points per erase loop";
    o.set = [](ssd_config& c, const option_value& v) {
        auto& steps = c.channel.die.suspend.safe_points;
        steps.clear();
        for (const count_step& step : std::get<std::vector<count_step>>(v)) {
            steps.push_back({static_cast<std::uint32_t>(step.pe_cycles),
                             static_cast<std::uint32_t>(step.safe_points)});
        }
    };
    o.get = [](const ssd_config& c) {
        std::vector<count_step> steps;
        for (const auto& step : c.channel.die.suspend.safe_points) {
            steps.push_back({step.pe_cycles, step.safe_points});
        }
        return steps;
    };
    return when_pulse_counts(std::move(o));
}

std::vector<option> suspend_options()
{
    using flash::suspend_kind;
    return {
        basic(make_option<ssd_config>(
            {"flash.suspend.policy", "none", "when a read may interrupt an erase"},
            words_of<flash::suspend_kind>(), FIELD(channel.die.suspend.kind))),
        safe_points_option(),
        make_option<ssd_config>(
            {"flash.suspend.programs", "false", "a read may interrupt a program between two loops"},
            flag(), FIELD(channel.die.suspend.programs)),
        when_suspended(
            make_option<ssd_config>({"flash.suspend.limit", "0",
                                     "suspends of one erase or program; 0: as many as asked for"},
                                    count_of(0, 100000), FIELD(channel.die.suspend.limit))),
        when_suspended(make_option<ssd_config>(
            {"flash.suspend.reads_per_stop", "64",
             "reads served before an erase or program resumes; 0: as long as "
             "any wait"},
            count_of(0, 65536), FIELD(channel.die.suspend.reads_per_stop))),
    };
}

/// The other arbiters fix the order of operations, which a suspend would break: none ever came.
void check_suspend(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (c.channel.die.suspend.kind != flash::suspend_kind::none && keeps_order(c)) {
        reject({"flash.suspend.policy", "flash.arbiter"},
               fmt::format("suspending an erase breaks the order that {} keeps",
                           told(raw, c, "flash.arbiter")),
               "use flash.arbiter: out_of_order, or flash.suspend.policy: none");
    }
}

/// Of a block with so many P/E cycles. An erase does not stop at the end of its last loop.
std::uint64_t most_suspends(const flash::die_config& die, std::uint32_t pe_cycles)
{
    const std::uint32_t id = flash::suspend_policy_id(die.suspend.kind);
    const flash::suspend_policy& policy = *flash::find_suspend_policy(id);
    if (!policy.interrupts()) {
        return 0;
    }
    const std::uint64_t points = policy.safe_points(die.suspend, pe_cycles);
    const std::uint64_t most = points == 0 ? UINT64_MAX : points * die.erase.loops - 1;
    return die.suspend.limit == 0 ? most : std::min<std::uint64_t>(most, die.suspend.limit);
}

} // namespace

bool suspends_harm(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    const flash::rber_model cells(die);
    // They stand fewer with each cycle, and a policy's points change at its steps alone.
    std::vector<std::uint32_t> worn = {die.endurance};
    for (const flash::safe_point_step& step : die.suspend.safe_points) {
        if (step.pe_cycles > die.pe_cycles && step.pe_cycles <= die.endurance) {
            worn.push_back(step.pe_cycles - 1);
        }
    }
    return std::any_of(worn.begin(), worn.end(), [&](std::uint32_t pe_cycles) {
        return most_suspends(die, pe_cycles) > cells.safe_suspends(pe_cycles);
    });
}

namespace {

void fill_suspend(boot_params& p, const ssd_config& c)
{
    p.flash.suspend_policy = flash::suspend_policy_id(c.channel.die.suspend.kind);
    p.flash.suspend_programs = c.channel.die.suspend.programs ? 1 : 0;
}

} // namespace

const config_part parts::suspend = {suspend_options, nullptr, check_suspend, fill_suspend};

} // namespace ssdvp::platform
