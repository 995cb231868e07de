// SPDX-License-Identifier: Apache-2.0
//
// Sampled runs: exact windows of a load that changes the drive's state without time in between.
#include <algorithm>

#include <fmt/format.h>

#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/parts/refresh.h"
#include "models/regs/parts/zones.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint32_t fewest_windows = 8; // a variance of fewer says little

bool samples(const ssd_config& c)
{
    return c.run.sampling.windows != 0;
}

option only_sampled(option o)
{
    return kept_when<ssd_config>(std::move(o), samples, "run.sampling.windows is not 0");
}

std::vector<option> sampling_options()
{
    return {
        make_option<ssd_config>(
            {"run.sampling.windows", "0",
             "the run is measured in so many windows, 8 or more; between them the load changes the "
             "drive's state without simulated time; 0: all of it is simulated"},
            count_of(0, 10000), FIELD(run.sampling.windows), leaves_state),
        only_sampled(make_option<ssd_config>(
            {"run.sampling.share", "0.05", "share of run.requests that the windows measure"},
            real_of(value_kind::fraction, 0.0, 0.5, true), FIELD(run.sampling.share),
            leaves_state)),
        only_sampled(make_option<ssd_config>(
            {"run.sampling.warmup", "0",
             "requests that are simulated before each window, and not measured; 0: as many as "
             "queues, checkpoints and collection need"},
            count_of(0, UINT32_MAX), FIELD(run.sampling.warmup), leaves_state)),
        only_sampled(make_option<ssd_config>(
            {"run.sampling.idle", "false",
             "between windows the drive has idle time, in which it collects up to gc.stop, as "
             "beside a load that only reads; else collection does what writes make it owe"},
            flag(), FIELD(run.sampling.idle), leaves_state)),
        only_sampled(make_option<ssd_config>(
            {"run.sampling.within", "0",
             "the run ends with the first 8, 16, 32, ... windows whose interval of IOPS is at most "
             "this share to each side; 0: with all of them"},
            real_of(value_kind::fraction, 0.0, 0.5), FIELD(run.sampling.within), leaves_state)),
    };
}

struct refusal {
    const char* key;
    const char* why;
    const char* remedy;
};

bool any_stream(const ssd_config& c, bool (*is)(const host::stream_config&))
{
    return std::any_of(c.workload.streams.begin(), c.workload.streams.end(), is);
}

bool writes(const host::stream_config& s)
{
    return write_share(s) > 0.0;
}

constexpr const char* all_exact = "use run.sampling.windows: 0";

/// Of the run and the load.
std::optional<refusal> refusal_of_load(const ssd_config& c)
{
    if (c.run.until != run_until::limit) {
        return refusal{"run.until", "windows lie in a run of known length",
                       "use run.until: limit with run.requests, and precondition.until: settled"};
    }
    if (c.run.duration != sim_time() || c.run.warmup != sim_time()) {
        return refusal{c.run.duration != sim_time() ? "run.duration" : "run.warmup",
                       "between windows no time passes", "give a number of requests"};
    }
    if (c.workload.streams.empty()) {
        return refusal{"workload", "a trace or a fio job is not sampled",
                       "describe the load by streams, or use run.sampling.windows: 0"};
    }
    if (any_stream(c, [](const host::stream_config& s) {
            return s.requests != 0 || s.duration != sim_time();
        })) {
        return refusal{"workload", "a stream has requests or a duration of its own",
                       "remove these of the stream"};
    }
    if (any_stream(c, [](const host::stream_config& s) { return s.rate_iops > 0.0; }) &&
        any_stream(c, [](const host::stream_config& s) { return s.rate_iops == 0.0; })) {
        return refusal{"workload.rate",
                       "how many requests of a closed loop come beside those of an open one is "
                       "known in time alone",
                       "give all streams a rate or none"};
    }
    if (any_stream(c, [](const host::stream_config& s) { return s.trim_fraction > 0.0; })) {
        return refusal{"workload.trim_fraction", "trims are not done without time", all_exact};
    }
    if (any_stream(c, [](const host::stream_config& s) { return s.stream_id != 0; })) {
        return refusal{"workload.stream_id",
                       "data that the host directs are not written without time", all_exact};
    }
    return std::nullopt;
}

/// Of what happens in time alone, or in a way that is not followed without.
std::optional<refusal> refusal_of_drive(const ssd_config& c)
{
    if (c.power.any() || !c.reset_at.empty()) {
        return refusal{"power", "a cut, a shutdown or a reset has its time", all_exact};
    }
    if (!scheme_has(c, SCHEME_MAP_IN_DRAM)) {
        return refusal{"ftl.scheme", "only a map that is in DRAM is followed without time",
                       "use page_map"};
    }
    if (superblocks_are_narrow(c) || !c.ftl.place.is_stripe()) {
        return refusal{"ftl.stripe, ftl.placement",
                       "collection keeps step without time with superblocks of all LUNs alone",
                       "use ftl.stripe: drive and ftl.placement: stripe"};
    }
    if (c.zones->size != 0) {
        return refusal{"ftl.zones.size", "zones are written in order", all_exact};
    }
    if (uses_slc_mode(c)) {
        return refusal{"ftl.slc_cache", "the SLC cache is not followed without time", all_exact};
    }
    if (groups_buffer(c)) {
        return refusal{"cache.policy", "a buffer of whole blocks is not followed without time",
                       "use wo_lru, rw_lru, rw_cflru or none"};
    }
    if (tracks_retention(c)) {
        return refusal{"write.mode", "pages with a retention limit age with time", all_exact};
    }
    if (c.ftl.refresh->reads != 0 || c.ftl.patrol_interval != sim_time()) {
        return refusal{"ftl.refresh", "reads between windows do not disturb, and no time passes",
                       all_exact};
    }
    if (c.heat_model != thermal_model::off) {
        return refusal{"thermal.model", "heat needs time", all_exact};
    }
    if (c.driver.metadata.bytes != 0) {
        return refusal{"host.nvme.metadata.bytes", "sectors of the host have metadata", all_exact};
    }
    return std::nullopt;
}

void check_sampling(const raw_tree& raw, const ssd_config& c)
{
    if (!samples(c)) {
        return;
    }
    const rejection reject{raw};
    const auto& s = c.run.sampling;
    if (s.windows < fewest_windows) {
        reject("run.sampling.windows",
               fmt::format("{} windows say nothing of their spread", s.windows),
               fmt::format("use {} or more, or 0 for an exact run", fewest_windows));
    }
    std::optional<refusal> no = refusal_of_load(c);
    no = no ? no : refusal_of_drive(c);
    if (no) {
        reject("run.sampling.windows", fmt::format("{}: {}", no->key, no->why), no->remedy);
    }
    if (any_stream(c, writes) && c.precondition.fill < 1.0) {
        reject("run.sampling.windows",
               "the load writes, and precondition.fill is less than 1: "
               "places that hold nothing are not followed",
               "use precondition.fill: 1");
    }
    const std::uint64_t stratum = c.run.requests / s.windows;
    if (static_cast<double>(stratum) * s.share < 1.0) {
        reject("run.sampling.windows",
               fmt::format("{} requests are too few for them (run.requests)", c.run.requests),
               "use more run.requests or fewer windows");
    }
}

} // namespace

const config_part parts::sampling = {sampling_options, nullptr, check_sampling, nullptr};

} // namespace ssdvp::platform
