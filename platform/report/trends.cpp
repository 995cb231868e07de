// SPDX-License-Identifier: Apache-2.0
#include "platform/report/trends.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "platform/report/confidence.h"
#include "platform/report/format.h"

namespace ssdvp::platform {

namespace {

using host::request_kind;

struct figure {
    const char* name;
    batch (*of)(const run_sample& piece);
};

batch latency_of(const run_sample& p, request_kind kind)
{
    return {p.of(kind).latency, static_cast<double>(p.of(kind).requests)};
}

constexpr figure figures[] = {
    {"IOPS",
     [](const run_sample& p) {
         return batch{static_cast<double>(p.requests()), static_cast<double>(p.when.ps())};
     }},
    {"write amplification",
     [](const run_sample& p) {
         return batch{static_cast<double>(p.flash.bytes_programmed),
                      static_cast<double>(p.of(request_kind::write).bytes)};
     }},
    {"what is valid in victims of collection",
     [](const run_sample& p) {
         return batch{static_cast<double>(p.flash.moved), static_cast<double>(p.flash.victims)};
     }},
    {"mean latency of reads",
     [](const run_sample& p) { return latency_of(p, request_kind::read); }},
    {"mean latency of writes",
     [](const run_sample& p) { return latency_of(p, request_kind::write); }},
};

constexpr std::size_t fewest_stretches = 8;

/// Time per request before the cut is none of those that stretches of the rest as long as it have:
/// beyond what one more of them has with `trend_sure`. Waves that last within a stretch count.
bool unlike_rest(const std::vector<batch>& pieces, std::size_t cut)
{
    const auto time_of = [&](std::size_t from) {
        batch sum;
        for (std::size_t i = from; i < from + cut; ++i) {
            sum.amount += pieces[i].amount;
            sum.divisor += pieces[i].divisor;
        }
        return sum.divisor / std::max(sum.amount, 1.0);
    };
    std::vector<double> rest;
    for (std::size_t from = cut; cut != 0 && from + cut <= pieces.size(); from += cut) {
        rest.push_back(time_of(from));
    }
    if (rest.size() < fewest_stretches) {
        return false;
    }
    const auto n = static_cast<double>(rest.size());
    const double mean = std::accumulate(rest.begin(), rest.end(), 0.0) / n;
    double squares = 0.0;
    for (const double r : rest) {
        squares += (r - mean) * (r - mean);
    }
    const boost::math::students_t t(n - 1.0);
    return std::abs(time_of(0) - mean) > boost::math::quantile(t, 0.5 + trend_sure / 2.0) *
                                             std::sqrt(squares / (n - 1.0) * (1.0 + 1.0 / n));
}

} // namespace

std::string late_start(const std::vector<run_sample>& samples)
{
    std::vector<batch> pieces;
    batch all;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        pieces.push_back(figures[0].of(difference(samples[i], samples[i - 1])));
        all.amount += pieces.back().amount;
        all.divisor += pieces.back().divisor;
    }
    const std::size_t cut = pieces_to_cut(pieces);
    const auto rest = ratio_estimate(
        {pieces.begin() + static_cast<std::ptrdiff_t>(cut), pieces.end()}, trend_sure);
    if (cut == 0 || !rest || rest->value == 0.0 || all.divisor == 0.0) {
        return {};
    }
    const double off = all.amount / all.divisor / rest->value - 1.0;
    const bool beyond = std::abs(off) * rest->value > rest->factor * rest->error;
    const bool told = beyond || (std::abs(off) >= unlike_least && unlike_rest(pieces, cut));
    if (std::abs(off) < start_least || !told) {
        return {};
    }
    return fmt::format("its first {:.0f} % are another state: with them IOPS are {:.0f} % {}",
                       100.0 * static_cast<double>(cut) / static_cast<double>(pieces.size()),
                       100.0 * std::abs(off), off > 0.0 ? "higher" : "lower");
}

std::string trend_of(const std::vector<run_sample>& samples)
{
    for (const figure& f : figures) {
        std::vector<batch> pieces;
        for (std::size_t i = 1; i < samples.size(); ++i) {
            pieces.push_back(f.of(difference(samples[i], samples[i - 1])));
        }
        const auto trend = trend_estimate(pieces, trend_sure);
        if (trend && std::abs(trend->value) >= trend_least &&
            std::abs(trend->value) > trend->factor * trend->error) {
            const double change = std::abs(trend->value);
            return fmt::format("{} {} by {} from the beginning to the end", f.name,
                               trend->value > 0.0 ? "rises" : "falls",
                               change > 1.0 ? fmt::format("{:.1f} times its mean", change)
                                            : fmt::format("{:.0f} %", 100.0 * change));
        }
    }
    return {};
}

std::string wanders(const measurement& m)
{
    const std::vector<run_sample>& s = m.samples;
    if (m.drive.load.rate == 0.0 || s.size() < wander_pieces + 1 || m.sampling) {
        return {};
    }
    std::vector<double> means;
    for (std::size_t i = 1; i < s.size(); ++i) {
        const run_sample p = difference(s[i], s[i - 1]);
        double sum = 0.0;
        for (const run_sample::kind& k : p.kinds) {
            sum += k.latency;
        }
        means.push_back(sum / static_cast<double>(std::max<std::uint64_t>(p.requests(), 1)));
    }
    std::vector<double> sorted = means;
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted[sorted.size() / 2];
    std::size_t runs = 1;
    for (std::size_t i = 1; i < means.size(); ++i) {
        runs += (means[i] < median) != (means[i - 1] < median) ? 1 : 0;
    }
    if (static_cast<double>(runs) > wander_most * static_cast<double>(means.size())) {
        return {};
    }
    return fmt::format(
        "the queue wanders: of {} pieces of the run {} and more behind each other are "
        "on one side of the median, so that a longer run says something else",
        means.size(), means.size() / runs);
}

std::string remembered(const measurement& m)
{
    const load_memory& memory = m.drive.memory;
    const bool used = m.state && m.state->used;
    if (memory.needed == 0 || used || !m.measured.ftl || !m.lifetime.ftl) {
        return {};
    }
    if (static_cast<double>(m.measured.ftl->gc_units_moved) <
        moved_least * static_cast<double>(m.measured.ftl->host_units_written)) {
        return {};
    }
    const double part = m.sampling ? m.sampling->share : 1.0; // windows lie all over the run
    const double host = static_cast<double>(m.measured.ftl->host_units_written) / part;
    const double since = static_cast<double>(m.lifetime.ftl->host_units_written) / part;
    const double unit = m.drive.map_unit;
    const double before = static_cast<double>(memory.written) + (since - host) * unit;
    const auto needed = static_cast<double>(memory.needed);
    if (before + remembered_most * host * unit >= needed) {
        return {};
    }
    return fmt::format(
        "collection finds what was written before this load: of the {} that it "
        "takes to make the drive's state its own, {:.0f} % had been written when the "
        "measured part began, and {:.0f} % when it ended",
        text_bytes(needed), 100.0 * before / needed, 100.0 * (before + host * unit) / needed);
}

std::string fills_or_empties(const measurement& m)
{
    if (!m.measured.ftl || m.measured.ftl->host_units_written == 0) {
        return {};
    }
    const auto written = static_cast<double>(m.measured.ftl->host_units_written);
    const auto moved = static_cast<double>(m.measured.ftl->gc_units_moved);
    const auto more = static_cast<double>(m.data_growth);
    const double least = growth_least * written + growth_noise * std::sqrt(written);
    if (moved < moved_least * written || std::abs(more) <= least) {
        return {};
    }
    return fmt::format("the drive {}: of 100 units that the host writes {:.0f} {}, and write "
                       "amplification {}",
                       more > 0.0 ? "fills" : "empties", 100.0 * std::abs(more) / written,
                       more > 0.0 ? "had no data before" : "are trimmed beyond that",
                       more > 0.0 ? "rises" : "falls");
}

std::string collects_for_nobody(const measurement& m)
{
    if (!m.measured.ftl || m.samples.empty()) {
        return {};
    }
    const telemetry& t = *m.measured.ftl;
    const bool own = t.host_units_written + t.refresh_units_moved + t.wear_units_moved != 0;
    const run_sample whole = difference(m.samples.back(), m.samples.front());
    const auto reads = static_cast<double>(whole.requests());
    if (own || static_cast<double>(t.gc_units_moved) <= debt_least * reads) {
        return {};
    }
    return fmt::format("the host writes nothing, and collection still moves what was written "
                       "before, {:.2f} units for each request",
                       static_cast<double>(t.gc_units_moved) / std::max(reads, 1.0));
}

} // namespace ssdvp::platform
