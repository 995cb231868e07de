// SPDX-License-Identifier: Apache-2.0
//
// The run: how the drive is filled before it, what is measured, when it is steady.
#include <algorithm>

#include <fmt/format.h>

#include "models/regs/parts/zones.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

bool fills(const ssd_config& c)
{
    return c.precondition.fill > 0.0;
}

bool preconditions(const ssd_config& c)
{
    return c.precondition.fill > 0.0 && c.precondition.overwrite > 0.0;
}

bool waits_until_steady(const ssd_config& c)
{
    return c.run.until == run_until::steady || overwriting_until(c) == precondition_until::steady;
}

/// What the end of overwrites depends on, where they end when they are steady.
bool shapes_overwrites(const ssd_config& c)
{
    return overwriting_until(c) == precondition_until::steady;
}

std::string word_of(precondition_until until)
{
    return until == precondition_until::settled  ? "settled"
           : until == precondition_until::steady ? "steady"
                                                 : "amount";
}

option until_option()
{
    option o = make_option<ssd_config>(
        {"precondition.until", "",
         "overwrites end after precondition.overwrite; steady: at the latest, before if write "
         "amplification is steady (run.steady); settled: then the writes of the load go on, by "
         "counts, until the drive's state is steady",
         "settled if run.until is steady and counts can follow the load's writes, else amount"},
        words({{"amount", number(precondition_until::amount)},
               {"steady", number(precondition_until::steady)},
               {"settled", number(precondition_until::settled)}}),
        FIELD(precondition.until));
    o.get = [](const ssd_config& c) -> option_value { return word_of(overwriting_until(c)); };
    o.usual = [](const ssd_config& c) -> option_value {
        ssd_config unsaid = c;
        unsaid.precondition.until = precondition_until::automatic;
        return word_of(overwriting_until(unsaid));
    };
    return kept_when<ssd_config>(std::move(o), fills, "precondition.fill is not 0");
}

/// A count or a time; the field of the other kind stays 0.
template <class Count, class Time>
option count_or_time(const char* key, const char* about, Count count, Time time)
{
    option o;
    o.key = key;
    o.spec.kind = value_kind::count_or_time;
    o.spec.max = 1000000 * s;
    o.fallback = "0";
    o.about = about;
    o.shapes = leaves_state;
    o.set = [=](ssd_config& c, const option_value& v) {
        const auto* given = std::get_if<sim_time>(&v);
        time(c) = given != nullptr ? *given : sim_time();
        count(c) = given != nullptr ? 0 : std::get<std::uint64_t>(v);
    };
    o.get = [=](const ssd_config& c) -> option_value {
        if (time(c) != sim_time()) {
            return time(c);
        }
        return count(c);
    };
    return o;
}

option only_if_overwritten(option o)
{
    return kept_when<ssd_config>(std::move(o), preconditions,
                                 "precondition.fill and precondition.overwrite are not 0");
}

/// A key of a stream as one of the overwrites.
option of_overwrites(const stream_option& of)
{
    option o;
    o.key = "precondition.workload." + of.key;
    o.spec = of.spec;
    o.fallback = of.fallback;
    o.computed = of.computed;
    o.about = of.about;
    o.set = [set = of.set](ssd_config& c, const option_value& v) { set(c.precondition.stream, v); };
    o.get = [get = of.get](const ssd_config& c) { return get(c.precondition.stream); };
    o.relevant = [relevant = of.relevant](const ssd_config& c) {
        return preconditions(c) && c.precondition.source == overwrite_source::stream &&
               (!relevant || relevant(c.precondition.stream));
    };
    o.relevant_when = "the drive is overwritten and precondition.workload.source is stream" +
                      (of.relevant_when.empty() ? "" : ", and " + of.relevant_when);
    return o;
}

std::vector<option> precondition_options()
{
    std::vector<option> table = {
        basic(make_option<ssd_config>(
            {"precondition.fill", "0",
             "share of the logical space written once, in order, before the run"},
            real_of(value_kind::fraction, 0.0, 1.0), FIELD(precondition.fill))),
        kept_when<ssd_config>(
            basic(make_option<ssd_config>(
                {"precondition.overwrite", "0",
                 "then this many times the logical space, as precondition.workload says"},
                real_of(value_kind::number, 0.0, 1000.0), FIELD(precondition.overwrite))),
            [](const ssd_config& c) { return c.precondition.fill > 0.0; },
            "precondition.fill is not 0"),
        only_if_overwritten(make_option<ssd_config>(
            {"precondition.method", "auto",
             "units: each unit goes through the firmware; counts: its collection by how many "
             "units of each superblock are valid; auto: counts for large drives where it can"},
            words({{"auto", number(precondition_method::automatic)},
                   {"units", number(precondition_method::units)},
                   {"counts", number(precondition_method::counts)}}),
            FIELD(precondition.method))),
        until_option(),
        only_if_overwritten(make_option<ssd_config>(
            {"precondition.workload.source", "stream",
             "addresses of the overwrites; stream: as the other keys of "
             "precondition.workload say; own: as the writes of the run's own streams"},
            words({{"stream", number(overwrite_source::stream)},
                   {"own", number(overwrite_source::own)}}),
            FIELD(precondition.source))),
    };
    for (const stream_option& o : address_options()) {
        if (o.key != "name") {
            table.push_back(of_overwrites(o));
        }
    }
    return table;
}

std::vector<option> measured_options()
{
    return {
        basic(make_option<ssd_config>({"run.seed", "1", "seed of everything random"},
                                      count_of(0, UINT64_MAX), FIELD(run.seed))),
        basic(make_option<ssd_config>(
            {"run.requests", "", "measured requests after which the run ends; 0 = no limit",
             "500000 when a synthetic workload has no limit of its own and "
             "run.duration is 0s and run.until is limit, else 0"},
            count_of(0, UINT64_MAX), FIELD(run.requests), leaves_state)),
        basic(make_option<ssd_config>(
            {"run.duration", "0s", "measured time after which the run ends; 0s = no limit"},
            time_of(0, 1000000 * s), FIELD(run.duration), leaves_state)),
        count_or_time("run.warmup", "requests, or time, before the measured part of the run",
                      FIELD(run.warmup_requests), FIELD(run.warmup)),
        make_option<ssd_config>(
            {"run.failed_limit", "0.01",
             "share of the requests that may fail: beyond it there is a warning, and the exit code "
             "is 3; 1: any may, the drive is meant to fail"},
            real_of(value_kind::fraction, 0.0, 1.0), FIELD(run.failed_limit), leaves_state),
        make_option<ssd_config>(
            {"run.reduced", "1",
             "the run takes a drive of 1/n of the blocks instead, and of 1/n of the data, the map "
             "cache and the ranges of streams, which fills and settles as much faster"},
            count_of(1, 16), FIELD(run.reduced), leaves_state),
        make_option<ssd_config>({"name", "", "name of the configuration, for reports",
                                 "name of the last configuration file"},
                                words_free(), FIELD(name), leaves_state),
    };
}

option only_of_rounds(option o)
{
    return kept_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.run.until == run_until::steady; },
        "run.until is steady");
}

option only_until_steady(option o)
{
    return kept_when<ssd_config>(std::move(o), waits_until_steady,
                                 "run.until or precondition.until is steady");
}

/// The rule of SNIA's Solid State Storage Performance Test Specification has these defaults.
std::vector<option> steady_options()
{
    return {
        basic(make_option<ssd_config>(
            {"run.until", "limit",
             "when the measured part begins and ends; limit: after run.warmup, until run.requests "
             "and run.duration; steady: when rounds are steady, as many rounds longer (of short "
             "ones eight for five), and until run.requests and run.duration if these are later"},
            words({{"limit", number(run_until::limit)}, {"steady", number(run_until::steady)}}),
            FIELD(run.until), leaves_state)),
        only_of_rounds(count_or_time(
            "run.steady.round",
            "requests, or time, of a round; 0: until 5 % of the capacity, and four superblocks, "
            "are written, or 16384 requests wrote nothing",
            FIELD(run.steady.round_requests), FIELD(run.steady.round_time))),
        only_until_steady(make_option<ssd_config>(
            {"run.steady.rounds", "5", "rounds that are compared, and then measured"},
            count_of(3, 100), FIELD(run.steady.rounds), shapes_overwrites)),
        only_until_steady(make_option<ssd_config>(
            {"run.steady.range", "0.2", "largest less smallest of them, of their mean, at most"},
            real_of(value_kind::fraction, 0.0, 1.0, true), FIELD(run.steady.range),
            shapes_overwrites)),
        only_until_steady(make_option<ssd_config>(
            {"run.steady.slope", "0.1",
             "change from the first to the last along the fitted line, of their mean, at most"},
            real_of(value_kind::fraction, 0.0, 1.0, true), FIELD(run.steady.slope),
            shapes_overwrites)),
        only_of_rounds(make_option<ssd_config>(
            {"run.steady.limit", "400", "rounds after which it is measured all the same"},
            count_of(3, 1000000), FIELD(run.steady.limit), leaves_state)),
    };
}

/// Hypotheses: what if a part were faster? The state that a drive begins with stays the same.
std::vector<option> faster_options()
{
    return {
        make_option<ssd_config>(
            {"run.faster", "none",
             "what if a part were faster: the arrays of the LUNs, the channels' buses, the cores, "
             "the DRAM, the link, the host's driver, the look-up engine, the cooling (heat), "
             "power states (what they allow, and the ways in and out)"},
            words({{"none", number(faster_part::none)},
                   {"luns", number(faster_part::luns)},
                   {"channels", number(faster_part::channels)},
                   {"cores", number(faster_part::cores)},
                   {"dram", number(faster_part::dram)},
                   {"link", number(faster_part::link)},
                   {"host", number(faster_part::host)},
                   {"engine", number(faster_part::engine)},
                   {"heat", number(faster_part::heat)},
                   {"power", number(faster_part::power)}}),
            FIELD(run.faster), leaves_state),
        kept_when<ssd_config>(
            make_option<ssd_config>({"run.faster_by", "1.2",
                                     "so many times: rates are multiplied, times divided by it"},
                                    real_of(value_kind::number, 0.5, 4.0), FIELD(run.faster_by),
                                    leaves_state),
            [](const ssd_config& c) { return c.run.faster != faster_part::none; },
            "run.faster is not none"),
        make_option<ssd_config>(
            {"run.ideal", "none",
             "what if firmware were ideal; costs: its instructions, its accesses to registers and "
             "tables, and interrupts take no time; firmware: and all of its map is in DRAM, as "
             "--beside-ideal runs it (ssdvp show --ideal)"},
            words({{"none", number(ideal_part::none)},
                   {"costs", number(ideal_part::costs)},
                   {"firmware", number(ideal_part::firmware)}}),
            FIELD(run.ideal), leaves_state),
    };
}

std::vector<option> run_options()
{
    std::vector<option> table = {
        basic(make_option<ssd_config>(
            {"data", "tag",
             "what a sector stores: nothing, 8 bytes that prove its identity "
             "and version, or all bytes"},
            words({{"none", static_cast<int>(data_mode::none)},
                   {"tag", static_cast<int>(data_mode::tag)},
                   {"full", static_cast<int>(data_mode::full)}}),
            FIELD(data))),
    };
    append(table, precondition_options());
    append(table, measured_options());
    append(table, steady_options());
    append(table, faster_options());
    return table;
}

/// From so many units on a drive is worth it: less takes the firmware a few seconds.
constexpr std::uint64_t counted_units_least = std::uint64_t{1} << 22;

} // namespace

namespace {

/// Why the firmware cannot place units without programming them.
const char* placing_obstacle(const ssd_config& c)
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
    return c.zones->size != 0 ? "zones are written in order" : nullptr;
}

/// Writes go to what is filled, and nowhere else.
bool writes_within(const ssd_config& c, const host::stream_config& s)
{
    const auto filled =
        static_cast<std::uint64_t>(static_cast<double>(logical_bytes(c)) * c.precondition.fill);
    const std::uint64_t end = s.range_size != 0 ? s.range_start + s.range_size : logical_bytes(c);
    return write_share(s) == 0.0 || (s.range_start + s.block_size <= filled && end <= filled);
}

/// Why overwrites by the load's addresses leave another state than the load does.
const char* load_obstacle(const ssd_config& c)
{
    const auto& streams = c.workload.streams;
    const auto any = [&](const auto& is) {
        return std::any_of(streams.begin(), streams.end(), is);
    };
    if (!any([](const host::stream_config& s) { return write_share(s) > 0.0; })) {
        return "no stream of the load writes";
    }
    if (any([](const host::stream_config& s) { return s.trim_fraction > 0.0; })) {
        return "the load trims";
    }
    if (any([](const host::stream_config& s) { return s.stream_id != 0; })) {
        return "the load directs its streams to superblocks of their own";
    }
    if (any([&](const host::stream_config& s) { return !writes_within(c, s); })) {
        return "the load writes to what precondition.fill leaves free";
    }
    if (c.driver.metadata.bytes != 0) {
        return "sectors of the host have metadata";
    }
    if (groups_buffer(c)) {
        return "the write buffer writes whole blocks (cache.policy)";
    }
    return uses_slc_mode(c) ? "the load writes in SLC mode first" : nullptr;
}

} // namespace

const char* counts_obstacle(const ssd_config& c)
{
    if (const char* why = placing_obstacle(c)) {
        return why;
    }
    if (overwriting_until(c) == precondition_until::settled) {
        return nullptr;
    }
    if (!overwrites_uniformly(c)) {
        return "only uniform overwrites of all that is filled can be counted";
    }
    return overwriting_until(c) == precondition_until::steady
               ? "precondition.until: steady looks at what each round writes"
               : nullptr;
}

const char* settling_obstacle(const ssd_config& c)
{
    if (c.precondition.fill == 0.0) {
        return "nothing is filled";
    }
    if (c.precondition.method == precondition_method::units) {
        return "precondition.method is units";
    }
    const char* why = placing_obstacle(c);
    return why != nullptr ? why : load_obstacle(c);
}

precondition_until overwriting_until(const ssd_config& c)
{
    if (c.precondition.until != precondition_until::automatic) {
        return c.precondition.until;
    }
    return c.run.until == run_until::steady && settling_obstacle(c) == nullptr
               ? precondition_until::settled
               : precondition_until::amount;
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
    if (overwriting_until(c) == precondition_until::settled) {
        return true;
    }
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

void check_settling(const raw_tree& raw, const ssd_config& c)
{
    if (c.precondition.until != precondition_until::settled || c.precondition.fill == 0.0) {
        return;
    }
    if (const char* obstacle = settling_obstacle(c)) {
        const rejection reject{raw};
        reject("precondition.until", obstacle, "use amount or steady");
    }
}

void check_precondition(const raw_tree& raw, const ssd_config& c)
{
    check_overwrites(raw, c);
    check_until(raw, c);
    check_settling(raw, c);
    const char* obstacle = counts_obstacle(c);
    if (c.precondition.method == precondition_method::counts && obstacle != nullptr) {
        const rejection reject{raw};
        reject("precondition.method", obstacle, "use precondition.method: auto or units");
    }
}

/// What the driver knows of streams, and names for those that have none.
void complete_streams(ssd_config& c)
{
    auto& streams = c.workload.streams;
    c.driver.stream_priorities.clear();
    c.driver.stream_ids.clear();
    for (const host::stream_config& s : streams) {
        c.driver.stream_priorities.push_back(s.priority);
        c.driver.stream_ids.push_back(s.stream_id);
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        if (streams[i].name.empty()) {
            streams[i].name = fmt::format("stream{}", i);
        }
    }
}

bool unlimited(const host::stream_config& s)
{
    return s.requests == 0 && s.duration.ps() == 0;
}

void complete_run(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (!is_given(raw, "name")) {
        c.name = raw.name.empty() ? "default" : raw.name;
    }
    c.channel.die.data = c.data;
    c.nvme.data = c.data;
    c.driver.data = c.data;
    c.channel.die.seed = c.run.seed;
    complete_streams(c);
    const auto& streams = c.workload.streams;
    const bool endless = std::any_of(streams.begin(), streams.end(), unlimited);
    if (!is_given(raw, "run.requests") && endless && c.run.duration.ps() == 0 &&
        c.run.until == run_until::limit) {
        c.run.requests = 500000;
    }
}

void fill_run(boot_params& p, const ssd_config& c)
{
    p.host.data_mode = value_of(c.data);
}

} // namespace

const config_part parts::run = {run_options, complete_run, check_precondition, fill_run};

} // namespace ssdvp::platform
