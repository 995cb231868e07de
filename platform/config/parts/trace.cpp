// SPDX-License-Identifier: Apache-2.0
//
// Keys of `workload` when it is a trace.
#include <utility>

#include "platform/config/choices.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using host::csv_separator;
using host::csv_time_unit;
using host::trace_config;
using host::trace_fit;
using host::trace_format;
using host::trace_ranges;
using host::trace_replay;

value_spec trace_formats()
{
    value_spec spec = words_of<trace_format>();
    spec.choices.insert(spec.choices.begin(),
                        {"auto", number(trace_format::automatic), "as the name of the file tells"});
    return spec;
}

/// Columns, and the units of what they hold.
std::vector<trace_option> csv_column_options()
{
    const value_spec column = words_free();
    return {
        make_option<trace_config>({"csv.time", "none", "column of the time, by name or number"},
                                  column, FIELD(csv.time)),
        make_option<trace_config>({"csv.time_unit", "us", "unit of the time"},
                                  words({{"s", number(csv_time_unit::s)},
                                         {"ms", number(csv_time_unit::ms)},
                                         {"us", number(csv_time_unit::us)},
                                         {"100ns", number(csv_time_unit::hundred_ns)},
                                         {"ns", number(csv_time_unit::ns)}}),
                                  FIELD(csv.time_unit)),
        make_option<trace_config>(
            {"csv.operation", "none", "column of the operation, by name or number"}, column,
            FIELD(csv.operation)),
        make_option<trace_config>({"csv.offset", "none", "column of the offset, by name or number"},
                                  column, FIELD(csv.offset)),
        make_option<trace_config>({"csv.offset_unit", "1B", "unit of the offset: 512B for sectors"},
                                  size_of(1, 1u << 30), FIELD(csv.offset_unit)),
        make_option<trace_config>({"csv.size", "none", "column of the size, by name or number"},
                                  column, FIELD(csv.size)),
        make_option<trace_config>({"csv.size_unit", "1B", "unit of the size: 512B for sectors"},
                                  size_of(1, 1u << 30), FIELD(csv.size_unit)),
        make_option<trace_config>({"csv.device", "none", "column of the device, by name or number"},
                                  column, FIELD(csv.device)),
    };
}

/// What separates fields, and the words of operations.
std::vector<trace_option> csv_word_options()
{
    return {
        make_option<trace_config>(
            {"csv.separator", "comma", "what stands between columns; blank: blanks and tabs"},
            words({{"comma", number(csv_separator::comma)},
                   {"semicolon", number(csv_separator::semicolon)},
                   {"tab", number(csv_separator::tab)},
                   {"blank", number(csv_separator::blank)}}),
            FIELD(csv.separator)),
        make_option<trace_config>({"csv.header", "false",
                                   "the first line has names; so it has where a column is given by "
                                   "its name"},
                                  flag(), FIELD(csv.header)),
        make_option<trace_config>({"csv.read", "r read", "words of the operation for a read"},
                                  words_free(), FIELD(csv.read)),
        make_option<trace_config>({"csv.write", "w write", "words of the operation for a write"},
                                  words_free(), FIELD(csv.write)),
        make_option<trace_config>(
            {"csv.trim", "d discard trim", "words of the operation for a trim"}, words_free(),
            FIELD(csv.trim)),
    };
}

std::vector<trace_option> make_trace_table()
{
    value_spec device = count_of(0, 0x7FFFFFFF); // blkparse: major << 20 | minor
    device.word = {"all", static_cast<std::uint64_t>(-1)};
    std::vector<trace_option> table = {
        basic(make_option<trace_config>({"trace", "", "file of the trace", "none"}, words_free(),
                                        FIELD(file))),
        basic(
            make_option<trace_config>({"format", "auto", "format of the file; auto: from its name"},
                                      trace_formats(), FIELD(format))),
        make_option<trace_config>(
            {"replay", "timed", "at the times of the trace, as soon as possible, or scaled"},
            words({{"timed", number(trace_replay::timed)},
                   {"asap", number(trace_replay::asap)},
                   {"scaled", number(trace_replay::scaled)}}),
            FIELD(replay)),
        make_option<trace_config>({"scale", "1", "times of the trace are multiplied by this"},
                                  real_of(value_kind::number, 0.0, 1000000.0, true), FIELD(scale)),
        make_option<trace_config>({"fit", "wrap", "what becomes of addresses beyond the drive"},
                                  words({{"wrap", number(trace_fit::wrap)},
                                         {"scale", number(trace_fit::scale)},
                                         {"error", number(trace_fit::error)}}),
                                  FIELD(fit)),
        make_option<trace_config>({"device", "all", "device of the trace that is replayed"}, device,
                                  FIELD(device)),
        make_option<trace_config>(
            {"ranges", "per_device",
             "each device has a range of the drive to itself, or all have the same one"},
            words({{"per_device", number(trace_ranges::per_device)},
                   {"one", number(trace_ranges::one)}}),
            FIELD(ranges)),
        make_option<trace_config>(
            {"repeat", "1", "times that the trace is replayed, each behind the one before"},
            count_of(1, 1000000), FIELD(repeat)),
        make_option<trace_config>({"queue_depth", "128", "requests in flight at most"},
                                  count_of(1, 65536), FIELD(queue_depth)),
    };
    for (trace_option& o : table) {
        if (o.key == "scale") {
            o.relevant = [](const trace_config& c) { return c.replay == trace_replay::scaled; };
            o.relevant_when = "replay is scaled";
        }
    }
    for (auto* more : {csv_column_options, csv_word_options}) {
        for (trace_option& o : more()) {
            o.relevant = [](const trace_config& c) { return c.format == trace_format::csv; };
            o.relevant_when = "format is csv";
            table.push_back(std::move(o));
        }
    }
    return table;
}

} // namespace

const std::vector<trace_option>& trace_table()
{
    static const std::vector<trace_option> table = make_trace_table();
    return table;
}

} // namespace ssdvp::platform
