// SPDX-License-Identifier: Apache-2.0
#include "platform/control/sample_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/common/rng.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t sampling_numbers = 0x73616d70; // keeps them apart from the load's
constexpr double golden = 0.61803398874989485; // multiples of it fill a circle evenly, any number
// Before each window: so many times what is in flight; and then the time in which a checkpoint that
// began before it ends, which writes the map beside the host, while the host writes half as much;
// or in which collection is as far as beside a host: measured, the host fills a quarter of a
// superblock, or a whole one where collection goes on in idle time.
constexpr std::uint64_t refilled_queues = 128;
constexpr double beside_checkpoint = 0.5;
constexpr std::uint64_t collects_again = 4;

/// Units of the map that a request of the load writes, on average, and how many requests are in
/// flight. An open loop may have any number.
struct load_size {
    double written = 0.0;
    std::uint64_t depth = 0;
};
constexpr std::uint64_t depth_of_open_loop = 32;

load_size size_of(const ssd_config& c)
{
    load_size size;
    double all = 0.0;
    for (const host::stream_config& s : c.workload.streams) {
        const double share = s.rate_iops > 0.0 ? s.rate_iops : static_cast<double>(s.queue_depth);
        const double units =
            std::max(1.0, static_cast<double>(s.block_size) / static_cast<double>(c.ftl.map_unit));
        size.written += share * (1.0 - s.read_fraction) * units;
        size.depth += s.rate_iops > 0.0 ? depth_of_open_loop : s.queue_depth;
        all += share;
    }
    size.written /= all;
    return size;
}

/// In which the host fills one, if none of what it writes stays in the buffer.
std::uint64_t requests_of_superblock(const ssd_config& c)
{
    const double written = size_of(c).written;
    const auto units = static_cast<double>(superblock_units(c) * c.ftl_cores);
    return written == 0.0 ? UINT64_MAX : static_cast<std::uint64_t>(std::ceil(units / written));
}

std::uint64_t warmup_of(const ssd_config& c)
{
    if (c.run.sampling.warmup != 0) {
        return c.run.sampling.warmup;
    }
    const load_size load = size_of(c);
    const std::uint64_t queues = refilled_queues * load.depth;
    if (load.written == 0.0) {
        return queues;
    }
    const double map =
        static_cast<double>(whole_map_bytes(c)) / static_cast<double>(c.ftl.map_unit);
    const auto checkpoint = static_cast<std::uint64_t>(beside_checkpoint * map / load.written);
    return queues + std::max(checkpoint, requests_of_superblock(c) /
                                             (c.run.sampling.idle ? 1 : collects_again));
}

} // namespace

sample_plan plan_samples(const ssd_config& config)
{
    const run_config& run = config.run;
    const std::uint64_t count = run.sampling.windows;
    rng random(run.seed, sampling_numbers);
    sample_plan plan;
    const std::uint64_t stratum = run.requests / count;
    plan.measured = static_cast<std::uint64_t>(run.sampling.share * static_cast<double>(stratum));
    plan.measured = std::max<std::uint64_t>(plan.measured, 1);
    plan.warmup = warmup_of(config);
    const std::uint64_t room = stratum - plan.measured;
    const std::uint64_t cycle = requests_of_superblock(config);
    double phase = random.real();
    for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t begin = run.warmup_requests + stratum * k;
        const bool by_phase = cycle < room;
        const std::uint64_t at = begin + random.below((by_phase ? room - cycle : room) + 1);
        const auto before = [&](std::uint64_t position) {
            return position - std::min(position, plan.warmup);
        };
        plan.windows.push_back({before(at), before(by_phase ? begin + room : at), phase});
        phase = std::fmod(phase + golden, 1.0);
    }
    for (std::size_t k = 1; k < plan.windows.size(); ++k) { // their warm-up may reach back
        sample_window& w = plan.windows[k];
        w.earliest = std::max(w.earliest, plan.windows[k - 1].earliest);
        w.latest = std::max(w.latest, w.earliest);
    }
    return plan;
}

std::vector<std::size_t> by_phase(const std::vector<sample_window>& windows, std::size_t count)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&windows](std::size_t a, std::size_t b) {
        return windows[a].phase < windows[b].phase;
    });
    return order;
}

bool passes(double phase, double from, double to)
{
    return from <= to ? from <= phase && phase < to : phase >= from || phase < to;
}

} // namespace ssdvp::platform
