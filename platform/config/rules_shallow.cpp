// SPDX-License-Identifier: Apache-2.0
//
// Shallow programs: defaults that follow from the part, and rules between their keys.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

constexpr sim_time limit_least(1000ull * 1000 * 1000); // 1 ms: to rewrite takes a few ms

double mean_ps(const std::vector<sim_time>& times)
{
    const auto add = [](double sum, sim_time t) { return sum + static_cast<double>(t.ps()); };
    const double sum = std::accumulate(times.begin(), times.end(), 0.0, add);
    return times.empty() ? 0.0 : sum / static_cast<double>(times.size());
}

void check_shallow_part(const rejection& reject, const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    const double speed_up = die.timing.shallow_speed_up;
    if (speed_up > 0.0 && die.timing.tPROG_shallow != sim_time()) {
        reject("nand.shallow.speed_up", "the time of a shallow program is given twice",
               "give nand.shallow.tPROG or nand.shallow.speed_up");
    }
    if (speed_up > 0.0 && speed_up < 1.0) {
        reject("nand.shallow.speed_up", "a shallow program is the faster one", "use 1 or more");
    }
    const sim_time limit = flash::shallow_limit(die);
    if (limit != sim_time() && limit < limit_least) {
        reject("nand.shallow.retention",
               fmt::format("{} ns of simulated time are too short to write data again", limit.ns()),
               "use 1ms or more, or a smaller nand.retention_speed");
    }
    if (die.retention_speed != 1.0 && limit == sim_time() && die.errors.rber <= 0.0) {
        reject("nand.retention_speed", "nothing of this part is lost with time",
               "give nand.shallow.retention or nand.errors.rber, or leave it out");
    }
}

void check_mode(const rejection& reject, const ssd_config& c)
{
    const bool shallow = c.write == write_mode::shallow;
    if (shallow &&
        flash::shallow_program(c.channel.die.timing, flash::page_index(0)) == sim_time()) {
        reject("write.mode", "the part has no shallow program",
               "give nand.shallow.tPROG or nand.shallow.speed_up");
    }
    if (shallow && c.channel.die.one_pass) {
        reject("write.mode", "a shallow program is one of a page, but the part programs word lines",
               "use write.mode: normal, or nand.one_pass: false");
    }
}

/// What needs a limit, and what it needs.
void check_retention(const rejection& reject, const ssd_config& c)
{
    const bool limited = tracks_retention(c);
    if (c.shallow.policy == shallow_policy::predicted && !limited) {
        reject("write.shallow.policy", "nothing outlives a retention that is not limited",
               "give nand.shallow.retention, or use another policy");
    }
    if (c.channel.die.shallow_retention != sim_time() && !limited) {
        reject("write.shallow.retention",
               "nobody would know when the part's shallow pages are lost",
               "give a time, or use write.shallow.rewrite: false");
    }
    if (limited && firmware_retention_ns(c) < limit_least.ns()) {
        reject("write.shallow.retention",
               fmt::format("{} ns of simulated time are too short to write data again",
                           firmware_retention_ns(c)),
               "use 1ms or more, or a smaller nand.retention_speed");
    }
    const bool units = !places_pages(c) && !maps_blocks(c);
    if (!units && (limited || c.shallow.policy != shallow_policy::all)) {
        reject(limited ? "nand.shallow.retention" : "write.shallow.policy",
               "a scheme that maps blocks cannot tell a shallow page from a deep one, nor move it",
               "use ftl.scheme: page_map, dftl, vm_map or log_set with ftl.log_set.unit: page; or "
               "write.shallow.policy: all with nand.shallow.retention: 0s");
    }
}

} // namespace

bool tracks_retention(const ssd_config& c)
{
    return c.write == write_mode::shallow && c.channel.die.shallow_retention != sim_time() &&
           c.shallow.retention != sim_time();
}

std::uint64_t firmware_retention_ns(const ssd_config& c)
{
    const double ns = static_cast<double>(c.shallow.retention.ps()) / 1000.0;
    return static_cast<std::uint64_t>(ns / c.channel.die.retention_speed);
}

double shallow_break_even(const ssd_config& c)
{
    const flash::array_timing& t = c.channel.die.timing;
    std::vector<sim_time> shallow;
    for (const flash::page_index page : each<flash::page_index>(t.tPROG.size())) {
        shallow.push_back(flash::shallow_program(t, page));
    }
    const double deep = mean_ps(t.tPROG);
    const double gain = deep - mean_ps(shallow);
    const double cost = deep + mean_ps(t.tR);
    return gain <= 0.0 || cost <= 0.0 ? 0.0 : gain / cost;
}

void complete_shallow(const raw_tree& raw, ssd_config& c)
{
    const auto given = [&](const char* key) { return raw.values.count(key) != 0; };
    if (!given("write.shallow.retention")) {
        c.shallow.retention = c.channel.die.shallow_retention;
    }
    if (!given("write.shallow.threshold")) {
        c.shallow.threshold = std::min(shallow_break_even(c), 1.0);
    }
}

void check_shallow(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    check_shallow_part(reject, c);
    check_mode(reject, c);
    if (c.write == write_mode::shallow) {
        check_retention(reject, c);
    }
}

} // namespace ssdvp::platform
