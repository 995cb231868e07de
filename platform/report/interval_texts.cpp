// SPDX-License-Identifier: Apache-2.0
#include "platform/report/interval_texts.h"

#include <algorithm>
#include <fmt/format.h>

#include "platform/report/format.h"
#include "platform/report/validity.h"

namespace ssdvp::platform {

interval_texts::interval_texts(const measurement& m, const request_statistics& requests)
    : m_known(intervals_of(m, requests)), m_sampled(m.sampling),
      m_steady(m.samples.empty() || validity_of(m, requests).steady.value_or(true))
{}

std::string interval_texts::of(const std::string& name) const
{
    const interval* i = interval_of(m_known, name);
    if (!m_steady || i == nullptr || !i->high || i->mean <= 0.0) {
        return {};
    }
    const double half = std::max(i->mean - i->low, *i->high - i->mean) / i->mean;
    return half > 1.0 ? "<= " + text_time(*i->high * 1000.0)
                      : fmt::format("+- {:.1f} %", 100.0 * half);
}

std::string interval_texts::below(const std::string& latencies) const
{
    const std::string cells[] = {of(latencies + "mean"), of(latencies + "p50"),
                                 of(latencies + "p99"), of(latencies + "p99.9"),
                                 of(latencies + "p99.99")};
    if (std::all_of(std::begin(cells), std::end(cells), [](const auto& c) { return c.empty(); })) {
        return {};
    }
    return fmt::format("  {:<12}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}", "  95 %", "", cells[0],
                       cells[1], cells[2], cells[3], cells[4]);
}

std::string interval_texts::extreme(sim_time found) const
{
    return m_sampled ? "-" : text_time(found);
}

std::string interval_texts::latency(const std::string& name, double found_ps) const
{
    const interval* i = interval_of(m_known, name);
    if (m_sampled && (i == nullptr || !i->high)) {
        return "-"; // windows do not bear it
    }
    return i != nullptr && !i->high ? ">= " + text_time(i->low * 1000.0) : text_time(found_ps);
}

} // namespace ssdvp::platform
