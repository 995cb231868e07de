// SPDX-License-Identifier: Apache-2.0
#include "platform/report/steadiness.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace ssdvp::platform {

namespace {

using host::request_kind;

/// Slope of the line of least squares through values at 0, 1, 2, ...
double slope_of(const std::vector<double>& v)
{
    const auto n = static_cast<double>(v.size());
    const double middle = (n - 1.0) / 2.0;
    double products = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double x = static_cast<double>(i) - middle;
        products += x * v[i];
        squares += x * x;
    }
    return products / squares;
}

constexpr std::size_t with_a_quarter = 4; // rounds: their last half, and the quarter before it

std::vector<run_sample> last_of(const std::vector<run_sample>& rounds, std::uint32_t window)
{
    return {rounds.end() - window, rounds.end()};
}

double iops_of(const run_sample& r)
{
    return static_cast<double>(r.requests()) * 1e12 / static_cast<double>(r.when.ps());
}

/// Mean latencies of a kind, where each round has some.
std::vector<double> mean_latencies(const std::vector<run_sample>& rounds, request_kind kind)
{
    std::vector<double> v;
    for (const run_sample& r : rounds) {
        if (r.of(kind).requests == 0) {
            return {};
        }
        v.push_back(r.of(kind).latency / static_cast<double>(r.of(kind).requests));
    }
    return v;
}

std::vector<double> amplifications(const std::vector<run_sample>& rounds)
{
    std::vector<double> v;
    for (const run_sample& r : rounds) {
        if (r.of(request_kind::write).bytes == 0) {
            return {};
        }
        v.push_back(static_cast<double>(r.flash.bytes_programmed) /
                    static_cast<double>(r.of(request_kind::write).bytes));
    }
    return v;
}

/// Of the window as a whole.
run_sample sum_of(const std::vector<run_sample>& rounds)
{
    run_sample sum;
    for (const run_sample& r : rounds) {
        for (std::size_t i = 0; i < sum.kinds.size(); ++i) {
            sum.kinds[i].bytes += r.kinds[i].bytes;
            sum.kinds[i].requests += r.kinds[i].requests;
        }
        sum.flash.bytes_programmed += r.flash.bytes_programmed;
        sum.flash.programs += r.flash.programs;
        sum.flash.erases += r.flash.erases;
        sum.flash.victims += r.flash.victims;
        sum.flash.moved += r.flash.moved;
    }
    return sum;
}

} // namespace

std::string unsteady(const std::string& what, const std::vector<double>& values,
                     const steady_rule& rule)
{
    const std::vector<double> v(values.end() - rule.rounds, values.end());
    const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    if (mean == 0.0) {
        return {};
    }
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    const double range = (*high - *low) / mean;
    const double change = slope_of(v) * static_cast<double>(v.size() - 1) / mean;
    if (range > rule.range) {
        return fmt::format("{}: rounds differ by {:.1f} %, at most {:g} % are steady", what,
                           100.0 * range, 100.0 * rule.range);
    }
    if (std::abs(change) > rule.slope) {
        return fmt::format("{}: {} by {:.1f} % over {} rounds, at most {:g} % are steady", what,
                           change > 0.0 ? "rises" : "falls", 100.0 * std::abs(change), v.size(),
                           100.0 * rule.slope);
    }
    return {};
}

std::string unsteady(const std::vector<run_sample>& rounds, const steady_rule& rule,
                     std::uint32_t pages_per_block)
{
    const std::vector<run_sample> window = last_of(rounds, rule.rounds);
    std::vector<double> rates;
    std::transform(window.begin(), window.end(), std::back_inserter(rates), iops_of);
    const auto latencies = [&](request_kind kind) {
        return rule.latencies ? mean_latencies(window, kind) : std::vector<double>();
    };
    const std::pair<const char*, std::vector<double>> figures[] = {
        {"IOPS", rates},
        {"mean latency of reads", latencies(request_kind::read)},
        {"mean latency of writes", latencies(request_kind::write)},
        {"write amplification", amplifications(window)},
    };
    for (const auto& [what, values] : figures) {
        if (!values.empty()) {
            if (std::string why = unsteady(what, values, rule); !why.empty()) {
                return why;
            }
        }
    }
    const auto erased = erased_share(sum_of(window), pages_per_block);
    if (erased && *erased < erases_keep_up) {
        return fmt::format("free space: {:.0f} % of what is programmed is erased, less than {:g} % "
                           "is no steady state",
                           100.0 * *erased, 100.0 * erases_keep_up);
    }
    return {};
}

std::string unsettled(const std::vector<run_sample>& rounds, std::uint64_t range, double settled)
{
    const auto at = [&rounds](std::size_t part) {
        return rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() - rounds.size() / part);
    };
    const auto write_bytes = [](const run_sample& s) { return s.of(request_kind::write).bytes; };
    const run_sample all = sum_of(rounds);
    if (write_bytes(all) == 0) {
        return {};
    }
    if (write_bytes(all) < range) {
        return fmt::format("{:.0f} % of what the load writes to was written so far",
                           100.0 * static_cast<double>(write_bytes(all)) /
                               static_cast<double>(range));
    }
    if (rounds.size() < with_a_quarter) {
        return {};
    }
    const run_sample now = sum_of({at(2), rounds.end()});
    const run_sample before =
        sum_of({rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 4), at(2)});
    const auto amplification = [&](const run_sample& s) {
        return static_cast<double>(s.flash.bytes_programmed) /
               static_cast<double>(std::max<std::uint64_t>(write_bytes(s), 1));
    };
    const double change = amplification(now) / amplification(before) - 1.0;
    if (std::abs(change) > settled) {
        return fmt::format("write amplification: the last half of {} rounds has {:.1f} % {} than "
                           "the quarter before, at most {:g} % are steady",
                           rounds.size(), 100.0 * std::abs(change), change > 0.0 ? "more" : "less",
                           100.0 * settled);
    }
    return {};
}

std::optional<double> erased_share(const run_sample& piece, std::uint32_t pages_per_block)
{
    const double programmed =
        static_cast<double>(piece.flash.programs) / std::max(pages_per_block, 1u);
    if (piece.of(request_kind::write).bytes == 0 || programmed == 0.0) {
        return std::nullopt;
    }
    return static_cast<double>(piece.flash.erases) / programmed;
}

} // namespace ssdvp::platform
