// SPDX-License-Identifier: Apache-2.0
#include "platform/report/overload.h"

#include <array>

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

} // namespace

std::optional<overload> overload_of(const measurement& m)
{
    const std::vector<run_sample>& s = m.samples;
    const load_description& load = m.drive.load;
    if (s.size() < pieces_least + 1 || (load.rate == 0.0 && !load.timed)) {
        return std::nullopt;
    }
    std::array<double, quarters> mean{};
    std::array<double, quarters> middle{}; // ps
    const std::size_t end = s.size() - 1;
    for (std::size_t q = 0; q < quarters; ++q) {
        const run_sample& from = s[end * q / quarters];
        const run_sample& to = s[end * (q + 1) / quarters];
        mean[q] = mean_latency(difference(to, from));
        middle[q] = 0.5 * static_cast<double>(from.when.ps() + to.when.ps());
        if (q != 0 && mean[q] <= mean[q - 1]) {
            return std::nullopt;
        }
    }
    const double time = middle.back() - middle.front();
    if (time <= 0.0 || mean.back() - mean.front() < least_growth * time) {
        return std::nullopt;
    }
    const run_sample whole = difference(s.back(), s.front());
    return overload{load.rate,
                    static_cast<double>(whole.requests()) * 1e12 /
                        static_cast<double>(whole.when.ps()),
                    mean.front(), mean.back()};
}

} // namespace ssdvp::platform
