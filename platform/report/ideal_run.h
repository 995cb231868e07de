// SPDX-License-Identifier: Apache-2.0
//
// What the same load would take with ideal firmware: the rest of a latency is the hardware's. Known
// after a second run (ssdvp run --beside-ideal).
#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// Of a latency, by their names in summary.json.
struct ideal_figure {
    const char* name;
    std::uint32_t ppm; // percentile; 0: the mean
};
constexpr std::array<ideal_figure, 4> ideal_figures = {
    {{"mean", 0}, {"p50", 500000}, {"p99", 990000}, {"p99.9", 999000}}};

/// Of this run, in ps.
[[nodiscard]] double value_of(const histogram& h, const ideal_figure& f);

struct ideal_kind {
    double iops = 0.0; // 0: no such requests
    std::array<double, ideal_figures.size()> latency_ns{};
};
using ideal_run = std::array<ideal_kind, host::request_kinds>;
struct beside_ideal_run {
    ideal_run figures;
    bool costs_only = false; // firmware's time is left out, its limits are not
};
struct named_interval; // confidence.h

/// run.ideal of summary.json: of each kind what it was, and the share of the figure of this run
/// that is the firmware's, where the two differ by more than this run knows of it.
[[nodiscard]] boost::json::object ideal_section(const beside_ideal_run& ideal,
                                                const request_statistics& requests,
                                                const std::vector<named_interval>& known);
/// A sentence for each kind of request.
[[nodiscard]] std::vector<std::string> ideal_texts(const beside_ideal_run& ideal,
                                                   const request_statistics& requests,
                                                   const std::vector<named_interval>& known);

} // namespace ssdvp::platform
