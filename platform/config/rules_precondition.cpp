// SPDX-License-Identifier: Apache-2.0
//
// Rules of how the drive is filled before the run, and of loads that run until they are steady.
#include <algorithm>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

/// From so many units on a drive is worth it: less takes the firmware a few seconds.
constexpr std::uint64_t counted_units_least = std::uint64_t{1} << 22;

} // namespace

const char* counts_obstacle(const ssd_config& c)
{
    if (!scheme_has(c, SCHEME_MAP_IN_DRAM)) {
        return "only ftl.scheme: page_map can deal units to their places at the end";
    }
    if (superblocks_are_narrow(c) || !c.ftl.place.is_stripe()) {
        return "units lie anywhere only with ftl.stripe: drive and ftl.placement: stripe";
    }
    if (tracks_retention(c)) {
        return "pages with a retention limit are followed one by one";
    }
    if (!overwrites_uniformly(c)) {
        return "only uniform overwrites of all that is filled can be counted";
    }
    if (c.precondition.until == precondition_until::steady) {
        return "precondition.until: steady looks at what each round writes";
    }
    return c.zones.size != 0 ? "zones are written in order" : nullptr;
}

bool overwrites_uniformly(const ssd_config& c)
{
    const host::stream_config& s = c.precondition.stream;
    return c.precondition.source == overwrite_source::stream &&
           s.pattern == host::pattern_kind::uniform && s.range_start == 0 && s.range_size == 0 &&
           s.block_size <= c.ftl.map_unit;
}

double write_share(const host::stream_config& s)
{
    const double load = s.rate_iops > 0.0 ? s.rate_iops : static_cast<double>(s.queue_depth);
    return load * (1.0 - s.trim_fraction) * (1.0 - s.read_fraction);
}

/// Written fewer than once, most units still lie in order, which counts do not know of.
bool preconditions_by_counts(const ssd_config& c)
{
    const precondition_config& p = c.precondition;
    if (p.method != precondition_method::automatic) {
        return p.method == precondition_method::counts && p.fill > 0.0 && p.overwrite > 0.0;
    }
    return p.fill > 0.0 && p.overwrite >= 1.0 && counts_obstacle(c) == nullptr &&
           user_units(c) >= counted_units_least;
}

namespace {

/// Whose writes, and do they reach what is filled?
void check_overwrites(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const precondition_config& p = c.precondition;
    const auto filled = static_cast<std::uint64_t>(static_cast<double>(logical_bytes(c)) * p.fill);
    const auto reaches = [&](const host::stream_config& s) {
        return s.range_start + s.block_size <= filled;
    };
    if (p.fill == 0.0 || p.overwrite == 0.0 || overwrites_uniformly(c)) {
        return;
    }
    if (p.source == overwrite_source::own) {
        const auto& streams = c.workload.streams;
        if (!std::any_of(streams.begin(), streams.end(), [&](const host::stream_config& s) {
                return write_share(s) > 0.0 && reaches(s);
            })) {
            reject("precondition.workload.source",
                   "the run has no stream that writes to what precondition.fill fills",
                   "describe the overwrites by precondition.workload.pattern and its other keys");
        }
    } else if (!reaches(p.stream)) {
        reject("precondition.workload.range.start", "nothing behind it is filled",
               "use a smaller one, or a larger precondition.fill");
    } else if (p.stream.range_size != 0 && p.stream.range_size < p.stream.block_size) {
        reject("precondition.workload.range.size", "it is smaller than a block",
               "use a larger one, or a smaller precondition.workload.block_size");
    } else if (p.stream.range_start + p.stream.range_size > logical_bytes(c)) {
        reject("precondition.workload.range.size", "the range ends behind the drive",
               "use a smaller one, or all");
    }
}

/// It needs a load that goes on.
void check_until(const raw_tree& raw, const ssd_config& c)
{
    if (c.run.until != run_until::steady) {
        return;
    }
    const rejection reject{raw};
    const auto& streams = c.workload.streams;
    if (streams.empty()) {
        reject("run.until", "a trace or a fio job ends by itself, steady or not",
               "use run.until: limit, and precondition.until: steady");
    }
    if (std::any_of(streams.begin(), streams.end(), [](const host::stream_config& s) {
            return s.requests != 0 || s.duration != sim_time();
        })) {
        reject("run.until", "a stream has requests or a duration of its own, and ends before",
               "remove these of the stream, or use run.until: limit");
    }
    if (c.run.steady.limit < c.run.steady.rounds) {
        reject("run.steady.limit", "it is less than run.steady.rounds", "use at least as many");
    }
}

} // namespace

void check_precondition(const raw_tree& raw, const ssd_config& c)
{
    check_overwrites(raw, c);
    check_until(raw, c);
    const char* obstacle = counts_obstacle(c);
    if (c.precondition.method == precondition_method::counts && obstacle != nullptr) {
        const rejection reject{raw};
        reject("precondition.method", obstacle, "use precondition.method: auto or units");
    }
}

} // namespace ssdvp::platform
