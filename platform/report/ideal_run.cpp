// SPDX-License-Identifier: Apache-2.0
#include "platform/report/ideal_run.h"

#include <fmt/format.h>

#include "platform/report/confidence.h"
#include "platform/report/format.h"
#include "platform/report/json_numbers.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

constexpr std::size_t ideal_mean = 0; // of ideal_figures
constexpr std::size_t ideal_p99 = 2;

/// Of the figure of this run; negative: without the firmware's time it would be longer.
double firmware_share(const histogram& h, const ideal_kind& k, std::size_t which)
{
    const double with = value_of(h, ideal_figures[which]);
    return with == 0.0 ? 0.0 : 1.0 - 1e3 * k.latency_ns[which] / with;
}

/// The figure of the second run lies outside of what this one knows of its own.
bool differs(const std::vector<named_interval>& known, std::size_t kind, std::size_t which,
             double ideal_ns)
{
    const std::string name =
        fmt::format("host.{}.latency_ns.{}", request_kind_names[kind], ideal_figures[which].name);
    const interval* i = interval_of(known, name);
    return i != nullptr && !i->holds(ideal_ns);
}

std::string share_words(double share, const char* of)
{
    return share < 0.005 ? fmt::format("nothing of the {}", of)
                         : fmt::format("{:.0f} % of the {}", 100.0 * share, of);
}

/// What of the mean and the p99 is firmware, as far as the two runs can tell.
std::string shares_told(const histogram& h, const ideal_kind& k, bool mean, bool p99)
{
    const std::string of_mean = share_words(firmware_share(h, k, ideal_mean), "mean");
    const std::string of_p99 = share_words(firmware_share(h, k, ideal_p99), "p99");
    if (mean && p99) {
        return fmt::format("{} and {} are firmware, the rest is hardware", of_mean, of_p99);
    }
    if (mean || p99) {
        return fmt::format(
            "{} is firmware, the rest is hardware; the {} differs by less than its interval",
            mean ? of_mean : of_p99, mean ? "p99" : "mean");
    }
    return "both differ by less than their intervals";
}

} // namespace

double value_of(const histogram& h, const ideal_figure& f)
{
    return f.ppm == 0 ? h.mean() : static_cast<double>(h.percentile(f.ppm).ps());
}

json::object ideal_section(const beside_ideal_run& beside, const request_statistics& requests,
                           const std::vector<named_interval>& known)
{
    const ideal_run& ideal = beside.figures;
    json::object o = {{"without", beside.costs_only ? "costs" : "firmware"}};
    for (std::size_t k = 0; k < ideal.size(); ++k) {
        const kind_statistics& s = requests.kinds()[k];
        if (ideal[k].iops == 0.0 || s.requests == 0) {
            continue;
        }
        json::object latencies;
        json::object shares;
        for (std::size_t i = 0; i < ideal_figures.size(); ++i) {
            latencies[ideal_figures[i].name] = thousandths(ideal[k].latency_ns[i]);
            if (differs(known, k, i, ideal[k].latency_ns[i])) {
                shares[ideal_figures[i].name] = millionths(firmware_share(s.latency, ideal[k], i));
            }
        }
        o[request_kind_names[k]] = {{"iops", thousandths(ideal[k].iops)},
                                    {"latency_ns", std::move(latencies)},
                                    {"firmware_share", std::move(shares)}};
    }
    return o;
}

std::vector<std::string> ideal_texts(const beside_ideal_run& beside,
                                     const request_statistics& requests,
                                     const std::vector<named_interval>& known)
{
    const ideal_run& ideal = beside.figures;
    const char* const with = beside.costs_only ? "firmware that costs nothing" : "ideal firmware";
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < ideal.size(); ++k) {
        const kind_statistics& s = requests.kinds()[k];
        if (ideal[k].iops == 0.0 || s.requests == 0) {
            continue;
        }
        const auto pair = [&](std::size_t i) {
            return fmt::format("{} {} instead of {}", ideal_figures[i].name,
                               text_time(1e3 * ideal[k].latency_ns[i]),
                               text_time(value_of(s.latency, ideal_figures[i])));
        };
        const auto tells = [&](std::size_t i) {
            return differs(known, k, i, ideal[k].latency_ns[i]);
        };
        texts.push_back(
            fmt::format("{}, with {}: {}, {}; {}", request_kind_names[k], with, pair(ideal_mean),
                        pair(ideal_p99),
                        shares_told(s.latency, ideal[k], tells(ideal_mean), tells(ideal_p99))));
    }
    return texts;
}

} // namespace ssdvp::platform
