// SPDX-License-Identifier: Apache-2.0
#include "platform/report/rare_waits.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>

#include "platform/report/occupancy.h"

namespace ssdvp::platform {

namespace {

constexpr double upper_tail = 0.975;
constexpr std::size_t programs = 1; // of lun_statistics::arrays

double luns_of(const measurement& m)
{
    const drive_geometry& g = m.drive.geometry;
    return static_cast<double>(g.channels) * g.luns_per_channel;
}

/// The arrays' time, in ps: all of it; and what one program takes.
struct array_times {
    double all = 0.0;
    double program = 0.0;
};

array_times array_times_of(const counters& c)
{
    array_times t;
    double programmed = 0.0; // each operation as often as it had planes, as pages are counted
    for (const channel_statistics& channel : c.channels) {
        for (const lun_statistics& lun : channel.luns) {
            for (const array_statistics& a : lun.arrays) {
                t.all += static_cast<double>(a.time.ps());
            }
            programmed += static_cast<double>(lun.arrays[programs].planes.ps());
        }
    }
    t.program = c.flash.programs == 0 ? 0.0 : programmed / static_cast<double>(c.flash.programs);
    return t;
}

/// Pieces with writes that were slower than a program, and those: who waits
/// for room waits for that at least.
struct waits_seen {
    std::size_t pieces = 0;
    std::uint64_t requests = 0;
};

waits_seen waits_beyond(const measurement& m, double program)
{
    const auto bucket = static_cast<std::uint32_t>(
        histogram::bucket_of(sim_time(static_cast<std::uint64_t>(program))));
    waits_seen seen;
    for (const latency_piece& p : m.latencies) {
        const latency_counts& writes = p[static_cast<std::size_t>(host::request_kind::write)];
        const std::uint64_t slow = count_of(writes) - count_up_to(writes, bucket);
        seen.pieces += slow != 0 ? 1 : 0;
        seen.requests += slow;
    }
    return seen;
}

/// Writes that come while the LUNs are taken for so long, each until they are free again. What
/// comes first finds room: a page in each plane (cache.dirty_limit). A closed loop has no more of
/// them than its depth.
struct held_up {
    double requests = 0.0;
    double waits = 0.0; // their sum, ps
};

held_up held_by_episode(const measurement& m, const kind_statistics& k, double taken)
{
    const drive_geometry& g = m.drive.geometry;
    const auto time = static_cast<double>(m.measured.when.ps());
    const double room = luns_of(m) * g.planes * g.page_bytes;
    const double held = taken - room * time / static_cast<double>(k.bytes);
    if (held <= 0.0) {
        return {};
    }
    const double come = held * static_cast<double>(k.requests) / time;
    const double depth = m.drive.load.rate > 0.0 ? come : m.drive.load.depth;
    return {std::min(come, depth), std::min(come * held / 2.0, depth * held)};
}

/// How often episodes may come, for each that was seen and one more.
double episodes_at_most(const rare_waits& w)
{
    const auto episodes = static_cast<double>(w.seen + 1);
    return boost::math::quantile(boost::math::chi_squared(2.0 * episodes), upper_tail) / 2.0 /
           episodes;
}

} // namespace

std::optional<double> largest_mean(const rare_waits& w)
{
    if (w.seen >= waits_told || w.requests == 0.0) {
        return std::nullopt;
    }
    return (w.latency - w.waited + episodes_at_most(w) * (w.waited + w.episode)) / w.requests;
}

std::optional<double> largest_share(const rare_waits& w)
{
    if (w.seen >= waits_told || w.requests == 0.0) {
        return std::nullopt;
    }
    return episodes_at_most(w) * (w.stalled + w.held) / w.requests;
}

std::optional<rare_waits> rare_waits_of(const measurement& m, const kind_statistics& k)
{
    const counters& c = m.measured;
    const array_times arrays = array_times_of(c);
    if (!c.ftl || c.ftl->gc_runs == 0 || m.latencies.empty() || k.bytes == 0) {
        return std::nullopt;
    }
    const double taken = arrays.all * array_shares(c)[FLASH_PURPOSE_GC] / luns_of(m) /
                         static_cast<double>(c.ftl->gc_runs);
    rare_waits w;
    w.requests = static_cast<double>(k.requests);
    w.latency = static_cast<double>(k.latency.sum());
    w.waited = static_cast<double>(k.parts[static_cast<std::size_t>(latency_part::wait_gc)] +
                                   k.parts[static_cast<std::size_t>(latency_part::wait_buffer)]);
    const waits_seen seen = waits_beyond(m, arrays.program);
    w.seen = seen.pieces;
    w.stalled = static_cast<double>(seen.requests);
    const held_up held = held_by_episode(m, k, taken);
    w.episode = held.waits;
    w.held = held.requests;
    return w;
}

} // namespace ssdvp::platform
