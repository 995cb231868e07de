// SPDX-License-Identifier: Apache-2.0
#include "platform/control/load_memory.h"

#include <algorithm>

#include "platform/config/derived.h"
#include "platform/control/steady_rounds.h"

namespace ssdvp::platform {

namespace {

// In turns: a turn is what the load writes to, and the spare space. Measured, until IOPS were
// within 2 % of those of runs six turns long (docs/results.md).
constexpr double turns_alike = 0.75; // the load writes everywhere alike, or the drive was mixed
constexpr double turns_local = 4.0;  // where popular data have to part from the others, which lie
                                     // in the order in which they were filled

/// All that is written is equally likely to be written again.
bool writes_alike(const ssd_config& c)
{
    const auto& streams = c.workload.streams;
    return std::all_of(streams.begin(), streams.end(), [](const host::stream_config& s) {
        const bool alike =
            s.pattern == host::pattern_kind::uniform || s.pattern == host::pattern_kind::sequential;
        return write_share(s) == 0.0 || (alike && s.range_start == 0 && s.range_size == 0);
    });
}

/// Preconditioning, or rounds before the measured part, see to it.
bool is_seen_to(const ssd_config& c, const precondition_result& before)
{
    const bool steady = overwriting_until(c) == precondition_until::steady &&
                        overwrites_as_load(c) && before.units_written != 0;
    return c.run.until == run_until::steady || before.settled || (steady && !before.never_steady);
}

} // namespace

load_memory memory_of(const ssd_config& config, const precondition_result& before)
{
    const std::uint64_t range = written_range(config); // 0: no streams
    if (range == 0 || is_seen_to(config, before)) {
        return {};
    }
    const std::uint64_t overwritten = before.units_written - before.units_filled;
    const bool own = overwrites_as_load(config);
    const bool mixed = !own && overwritten >= before.units_filled && overwritten != 0;
    const std::uint64_t units = physical_units(config);
    const std::uint64_t spare = units - std::min(units, user_units(config));
    const double turn = static_cast<double>(range + spare * config.ftl.map_unit);
    load_memory m;
    m.needed = static_cast<std::uint64_t>(
        turn * (mixed || writes_alike(config) ? turns_alike : turns_local));
    m.written = own ? overwritten * config.ftl.map_unit : 0;
    return m;
}

} // namespace ssdvp::platform
