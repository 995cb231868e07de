// SPDX-License-Identifier: Apache-2.0
#include "platform/report/overload.h"

#include <array>
#include <utility>
#include <vector>

#include "platform/report/confidence.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t quarters = 4;
constexpr std::size_t pieces_least = 2 * quarters;

/// Of all kinds, ps; 0: there was none.
double mean_latency(const run_sample& piece)
{
    double sum = 0.0;
    for (const run_sample::kind& k : piece.kinds) {
        sum += k.latency;
    }
    const auto n = static_cast<double>(piece.requests());
    return n == 0.0 ? 0.0 : sum / n;
}

/// Latency rises with time, by more than chance.
bool rises(const std::vector<run_sample>& s)
{
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 1; i < s.size(); ++i) {
        points.emplace_back(0.5 * static_cast<double>(s[i - 1].when.ps() + s[i].when.ps()),
                            mean_latency(difference(s[i], s[i - 1])));
    }
    const auto slope = slope_estimate(points);
    return slope && slope->value >= least_growth && slope->value > slope->factor * slope->error;
}

} // namespace

std::optional<overload> overload_of(const measurement& m)
{
    const std::vector<run_sample>& s = m.samples;
    const load_description& load = m.drive.load;
    if (s.size() < pieces_least + 1 || (load.rate == 0.0 && !load.timed) || !rises(s)) {
        return std::nullopt;
    }
    std::array<double, quarters> mean{};
    const std::size_t end = s.size() - 1;
    for (std::size_t q = 0; q < quarters; ++q) {
        mean[q] = mean_latency(difference(s[end * (q + 1) / quarters], s[end * q / quarters]));
    }
    for (std::size_t q = 1; q < quarters; ++q) { // a trace has busy episodes, a rate has none
        if (load.timed && (mean[q] <= mean.front() || mean[q] > mean.back())) {
            return std::nullopt;
        }
    }
    const run_sample whole = difference(s.back(), s.front());
    return overload{load.rate,
                    static_cast<double>(whole.requests()) * 1e12 /
                        static_cast<double>(whole.when.ps()),
                    mean.front(), mean.back()};
}

} // namespace ssdvp::platform
