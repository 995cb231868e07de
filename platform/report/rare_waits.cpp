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

/// Pieces with a write that was slower than a program: who waits for room waits for that at least.
std::size_t pieces_with_waits(const measurement& m, double program)
{
    const auto bucket = static_cast<std::uint32_t>(
        histogram::bucket_of(sim_time(static_cast<std::uint64_t>(program))));
    return static_cast<std::size_t>(
        std::count_if(m.latencies.begin(), m.latencies.end(), [bucket](const latency_piece& p) {
            const latency_counts& writes = p[static_cast<std::size_t>(host::request_kind::write)];
            return !writes.empty() && writes.back().first > bucket;
        }));
}

/// Writes that come while the LUNs are taken for so long, each until they are free again. What
/// comes first finds room: a page in each plane (cache.dirty_limit). A closed loop has no more of
/// them than its depth.
double waits_of_episode(const measurement& m, const kind_statistics& k, double taken)
{
    const drive_geometry& g = m.drive.geometry;
    const double bytes_per_ps =
        static_cast<double>(k.bytes) / static_cast<double>(m.measured.when.ps());
    const double room = luns_of(m) * g.planes * g.page_bytes;
    const double held = taken - room / bytes_per_ps;
    if (held <= 0.0) {
        return 0.0;
    }
    const double come =
        held * static_cast<double>(k.requests) / static_cast<double>(m.measured.when.ps());
    const double all = come * held / 2.0;
    return m.drive.load.rate > 0.0 ? all : std::min(all, m.drive.load.depth * held);
}

} // namespace

std::optional<double> largest_mean(const rare_waits& w)
{
    if (w.seen >= waits_told || w.requests == 0.0) {
        return std::nullopt;
    }
    const auto episodes = static_cast<double>(w.seen + 1);
    const double most =
        boost::math::quantile(boost::math::chi_squared(2.0 * episodes), upper_tail) / 2.0;
    return (w.latency - w.waited + most * (w.waited + w.episode) / episodes) / w.requests;
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
    w.seen = pieces_with_waits(m, arrays.program);
    w.episode = waits_of_episode(m, k, taken);
    return w;
}

} // namespace ssdvp::platform
