// SPDX-License-Identifier: Apache-2.0
//
// Keys of the run: how the drive is filled before it, what is measured, when it is steady.
#include "platform/config/choices.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using namespace units;

using host::pattern_kind;

bool preconditions(const ssd_config& c)
{
    return c.precondition.fill > 0.0 && c.precondition.overwrite > 0.0;
}
bool waits_until_steady(const ssd_config& c)
{
    return c.run.until == run_until::steady || c.precondition.until == precondition_until::steady;
}

/// What the end of overwrites depends on, where they end when they are steady.
bool shapes_overwrites(const ssd_config& c)
{
    return c.precondition.until == precondition_until::steady;
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
        make_option<ssd_config>(
            {"precondition.fill", "0",
             "share of the logical space written once, in order, before the run"},
            real_of(value_kind::fraction, 0.0, 1.0), FIELD(precondition.fill)),
        kept_when<ssd_config>(
            make_option<ssd_config>(
                {"precondition.overwrite", "0",
                 "then this many times the logical space, as precondition.workload says"},
                real_of(value_kind::number, 0.0, 1000.0), FIELD(precondition.overwrite)),
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
        only_if_overwritten(make_option<ssd_config>(
            {"precondition.until", "amount",
             "overwrites end after precondition.overwrite; steady: at the latest, before if "
             "write amplification is steady (run.steady)"},
            words({{"amount", number(precondition_until::amount)},
                   {"steady", number(precondition_until::steady)}}),
            FIELD(precondition.until))),
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
        make_option<ssd_config>({"run.seed", "1", "seed of everything random"},
                                count_of(0, UINT64_MAX), FIELD(run.seed)),
        make_option<ssd_config>({"run.requests", "",
                                 "measured requests after which the run ends; 0 = no limit",
                                 "500000 when a synthetic workload has no limit of its own and "
                                 "run.duration is 0s and run.until is limit, else 0"},
                                count_of(0, UINT64_MAX), FIELD(run.requests), leaves_state),
        make_option<ssd_config>(
            {"run.duration", "0s", "measured time after which the run ends; 0s = no limit"},
            time_of(0, 1000000 * s), FIELD(run.duration), leaves_state),
        count_or_time("run.warmup", "requests, or time, before the measured part of the run",
                      FIELD(run.warmup_requests), FIELD(run.warmup)),
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
        make_option<ssd_config>(
            {"run.until", "limit",
             "when the measured part begins and ends; limit: after run.warmup, until run.requests "
             "and run.duration; steady: when rounds are steady, as many rounds longer, and until "
             "run.requests and run.duration if these are later"},
            words({{"limit", number(run_until::limit)}, {"steady", number(run_until::steady)}}),
            FIELD(run.until), leaves_state),
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
            {"run.steady.limit", "100", "rounds after which it is measured all the same"},
            count_of(3, 1000000), FIELD(run.steady.limit), leaves_state)),
    };
}

} // namespace

std::vector<option> run_options()
{
    std::vector<option> table = {
        make_option<ssd_config>({"data", "tag",
                                 "what a sector stores: nothing, 8 bytes that prove its identity "
                                 "and version, or all bytes"},
                                words({{"none", static_cast<int>(data_mode::none)},
                                       {"tag", static_cast<int>(data_mode::tag)},
                                       {"full", static_cast<int>(data_mode::full)}}),
                                FIELD(data)),
    };
    append(table, precondition_options());
    append(table, measured_options());
    append(table, steady_options());
    return table;
}

} // namespace ssdvp::platform
