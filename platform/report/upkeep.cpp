// SPDX-License-Identifier: Apache-2.0
#include "platform/report/upkeep.h"

#include <fmt/format.h>

#include "platform/report/format.h"
#include "platform/report/trends.h"

namespace ssdvp::platform {

namespace {

/// What counts before the measured part, and in as much of it as may lie before that: of what there
/// has been since the drive came up, and in the measured part.
double done_before(double since, double measured)
{
    return since - measured + remembered_most * measured;
}

double share_for(const measurement& m)
{
    return m.sampling ? m.sampling->share : 1.0; // windows lie all over the run
}

} // namespace

std::string levels_first(const measurement& m)
{
    const bool used = m.state && m.state->used;
    if (used || !m.measured.ftl || !m.lifetime.ftl || m.drive.memory.turn == 0) {
        return {};
    }
    const telemetry& t = *m.measured.ftl;
    const auto host = static_cast<double>(t.host_units_written);
    const auto moved = static_cast<double>(t.wear_units_moved);
    if (host == 0.0 || moved < levelled_least * host) {
        return {};
    }
    const double unit = m.drive.map_unit / share_for(m);
    const double written =
        done_before(static_cast<double>(m.lifetime.ftl->host_units_written), host) * unit;
    const double needed = levelled_turns * static_cast<double>(m.drive.memory.turn);
    if (written >= needed) {
        return {};
    }
    return fmt::format("wear levelling moves {:.0f} units for 100 of the host's, which it did not "
                       "do before the run: its state is that of both after {} of writes, of which "
                       "{:.0f} % had been written",
                       100.0 * moved / host, text_bytes(needed), 100.0 * written / needed);
}

std::string refreshes_later(const measurement& m)
{
    const drive_geometry& g = m.drive.geometry;
    const auto limit = static_cast<double>(m.drive.refresh_reads);
    const bool used = m.state && m.state->used;
    if (used || limit == 0.0 || g.pages_per_block < refreshed_least * limit) {
        return {};
    }
    const double blocks = static_cast<double>(g.channels) * g.luns_per_channel * g.planes *
                          g.blocks_per_plane * share_for(m);
    const double reads = done_before(static_cast<double>(m.lifetime.flash.reads),
                                     static_cast<double>(m.measured.flash.reads)) /
                         blocks;
    const bool reading = m.measured.flash.reads > m.measured.flash.programs;
    if (!reading || reads >= limit) {
        return {};
    }
    return fmt::format("blocks had been read {} times on average, and are refreshed after {} "
                       "(ftl.refresh.reads): that work has yet to come",
                       text_rough(reads), text_rough(limit));
}

} // namespace ssdvp::platform
