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

/// Preconditioning, or rounds before the measured part, see to it.
bool is_seen_to(const ssd_config& c, const precondition_result& before)
{
    const bool steady = overwriting_until(c) == precondition_until::steady &&
                        overwrites_as_load(c) && before.units_written != 0;
    return c.run.until == run_until::steady || before.settled || (steady && !before.never_steady);
}

/// Units.
std::uint64_t turn_of(const ssd_config& c)
{
    const std::uint64_t units = physical_units(c);
    return written_range(c) / c.ftl.map_unit + units - std::min(units, user_units(c));
}

/// Preconditioning overwrites all that it fills, somewhere else than where the load writes.
bool mixes(const ssd_config& c, std::uint64_t filled, std::uint64_t overwrites)
{
    return overwrites != 0 && overwrites >= filled && !overwrites_as_load(c);
}

} // namespace

bool writes_alike(const ssd_config& config)
{
    const auto& streams = config.workload.streams;
    return std::all_of(streams.begin(), streams.end(), [](const host::stream_config& s) {
        const bool alike =
            s.pattern == host::pattern_kind::uniform || s.pattern == host::pattern_kind::sequential;
        return write_share(s) == 0.0 || (alike && s.range_start == 0 && s.range_size == 0);
    });
}

load_memory memory_of(const ssd_config& config, const precondition_result& before)
{
    load_memory m;
    m.levels = before.levels;
    m.level_bytes = before.level_units * config.ftl.map_unit;
    m.turn = written_range(config) == 0 ? 0 : turn_of(config) * config.ftl.map_unit;
    if (written_range(config) == 0 || is_seen_to(config, before)) { // 0: no streams
        return m;
    }
    const std::uint64_t overwritten = before.units_written - before.units_filled;
    const bool alike = writes_alike(config) || mixes(config, before.units_filled, overwritten);
    const auto unit = static_cast<double>(config.ftl.map_unit);
    m.needed = static_cast<std::uint64_t>((alike ? turns_alike : turns_local) * unit *
                                          static_cast<double>(turn_of(config)));
    m.written = overwrites_as_load(config) ? overwritten * config.ftl.map_unit : 0;
    return m;
}

std::uint64_t units_to_mix(const ssd_config& config, std::uint64_t filled, std::uint64_t overwrites)
{
    if (writes_alike(config) || mixes(config, filled, overwrites)) {
        return 0;
    }
    const auto all = static_cast<std::uint64_t>(turns_alike * static_cast<double>(turn_of(config)));
    return all - (overwrites_as_load(config) ? 0 : std::min(all, overwrites));
}

} // namespace ssdvp::platform
