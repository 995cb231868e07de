// SPDX-License-Identifier: Apache-2.0
//
// Shallow programs: what the part does with them, which writes of the host they are, and when
// firmware writes their data again.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

constexpr std::uint64_t days = 86400 * s;
constexpr std::uint64_t days_max = 210; // 64 bits of picoseconds are 213

bool is_shallow(const ssd_config& c)
{
    return c.write == write_mode::shallow;
}

bool is_limited(const ssd_config& c)
{
    return is_shallow(c) && c.channel.die.shallow_retention != sim_time();
}

option only(option o, bool (*relevant)(const ssd_config&), const char* when)
{
    return acts_when<ssd_config>(std::move(o), relevant, when, "remove it");
}

/// What the part can do says nothing where nobody asks for it.
option only_asked(option o)
{
    return kept_when<ssd_config>(std::move(o), is_shallow, "write.mode is shallow");
}

option only_lasting(option o)
{
    return kept_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) {
            const flash::error_config& e = c.channel.die.errors;
            return is_limited(c) || (e.rber > 0.0 && e.retention > 0.0);
        },
        "write.mode is shallow and nand.shallow.retention is not 0s, or nand.errors.rber and "
        "nand.errors.retention are not 0");
}

std::vector<option> part_options()
{
    return {
        only_asked(
            make_option<ssd_config>({"nand.shallow.tPROG", "0s",
                                     "page program with less margin (write.mode: shallow); 0s: the "
                                     "part has none, or nand.shallow.speed_up says"},
                                    time_of(0, s), FIELD(channel.die.timing.tPROG_shallow))),
        only_asked(make_option<ssd_config>(
            {"nand.shallow.speed_up", "0",
             "nand.tPROG of a page over the time of its shallow program, "
             "instead of nand.shallow.tPROG; 0: not given"},
            real_of(value_kind::number, 0.0, 1000.0), FIELD(channel.die.timing.shallow_speed_up))),
        only_asked(make_option<ssd_config>(
            {"nand.shallow.retention", "0s",
             "how long a page that was programmed shallow can be read; beyond "
             "it no code corrects it; 0s: as long as any other page"},
            time_of(0, days_max * days), FIELD(channel.die.shallow_retention))),
        only_lasting(make_option<ssd_config>(
            {"nand.retention_speed", "1",
             "compressed time: retention that passes per simulated time, for "
             "nand.shallow.retention and, times nand.errors.retention_scale, "
             "for nand.errors.retention"},
            real_of(value_kind::number, 0.0, 1e12, true), FIELD(channel.die.retention_speed))),
    };
}

option only_limited(option o)
{
    return only(std::move(o), is_limited,
                "write.mode is shallow and nand.shallow.retention is not 0s");
}

option only_predicted(option o)
{
    return only(
        std::move(o),
        [](const ssd_config& c) {
            return is_shallow(c) && c.shallow.policy == shallow_policy::predicted;
        },
        "write.shallow.policy is predicted");
}

option small_option()
{
    return only(
        make_option<ssd_config>({"write.shallow.small", "16KiB", "longest command that is small"},
                                size_of(512, 1ull << 30), FIELD(shallow.small)),
        [](const ssd_config& c) {
            return is_shallow(c) && c.shallow.policy == shallow_policy::small_requests;
        },
        "write.shallow.policy is small_requests");
}

option policy_option()
{
    return only(
        make_option<ssd_config>(
            {"write.shallow.policy", "all",
             "which writes of the host are shallow; small_requests: those of commands up to "
             "write.shallow.small; predicted: of regions whose data are overwritten in time; none: "
             "all are deep"},
            words_of<shallow_policy>(), FIELD(shallow.policy)),
        is_shallow, "write.mode is shallow");
}

bool rewrites(const ssd_config& c)
{
    return is_limited(c) && c.shallow.rewrite && c.shallow.policy != shallow_policy::none;
}

/// To write data again in time, or to learn which live long.
bool looks_at_ages(const ssd_config& c)
{
    return rewrites(c) || (is_limited(c) && c.shallow.policy == shallow_policy::predicted);
}

std::vector<option> rewrite_options()
{
    return {
        only(make_option<ssd_config>({"write.shallow.retention", "",
                                      "how long firmware takes shallow pages to be readable",
                                      "nand.shallow.retention"},
                                     time_of(0, days_max * days), FIELD(shallow.retention)),
             looks_at_ages,
             "write.mode is shallow, nand.shallow.retention is not 0s, write.shallow.policy is "
             "not none, and write.shallow.rewrite is true or the policy is predicted"),
        only(make_option<ssd_config>({"write.shallow.margin", "0.1",
                                      "data are written again, deep, this share of "
                                      "write.shallow.retention before it ends; "
                                      "the host goes first during the first half of it"},
                                     real_of(value_kind::fraction, 0.02, 0.9),
                                     FIELD(shallow.margin)),
             rewrites,
             "write.mode is shallow, nand.shallow.retention is not 0s, write.shallow.policy is "
             "not none, and write.shallow.rewrite is true"),
        only_limited(make_option<ssd_config>(
            {"write.shallow.rewrite", "true",
             "data that outlive the retention of shallow pages are written again in time; false: "
             "they are lost"},
            flag(), FIELD(shallow.rewrite))),
    };
}

std::vector<option> predictor_options()
{
    return {
        only_predicted(make_option<ssd_config>(
            {"write.shallow.regions", "4096",
             "regions of neighbouring map units that the predictor tells apart"},
            count_of(1, 1u << 24), FIELD(shallow.regions))),
        only_predicted(make_option<ssd_config>(
            {"write.shallow.threshold", "",
             "share of a region's shallow units that may outlive their retention before its writes "
             "go deep",
             "break-even: (tPROG - shallow) / (tPROG + tR), means"},
            real_of(value_kind::fraction, 0.0, 1.0), FIELD(shallow.threshold))),
    };
}

std::vector<option> shallow_options()
{
    std::vector<option> table = part_options();
    table.push_back(policy_option());
    table.push_back(small_option());
    append(table, rewrite_options());
    append(table, predictor_options());
    return table;
}

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

namespace {

void complete_shallow(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (!is_given(raw, "write.shallow.retention")) {
        c.shallow.retention = c.channel.die.shallow_retention;
    }
    if (!is_given(raw, "write.shallow.threshold")) {
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

void fill_shallow(boot_params& p, const ssd_config& c)
{
    if (c.write != write_mode::shallow) {
        return;
    }
    boot_retention& r = p.retention;
    const shallow_config& s = c.shallow;
    r.limit_ns = tracks_retention(c) ? firmware_retention_ns(c) : 0;
    r.margin_ns = static_cast<std::uint64_t>(static_cast<double>(r.limit_ns) * s.margin);
    r.policy = value_of(s.policy);
    r.small = static_cast<std::uint32_t>(s.small);
    r.rewrite = s.rewrite ? 1 : 0;
    r.regions = s.regions;
    r.threshold = permille(s.threshold);
}

} // namespace

const config_part parts::shallow = {shallow_options, complete_shallow, check_shallow, fill_shallow};

} // namespace ssdvp::platform
