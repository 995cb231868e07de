// SPDX-License-Identifier: Apache-2.0
#include "platform/report/what_if_run.h"

#include <fmt/format.h>

#include "platform/report/confidence.h"
#include "platform/report/format.h"
#include "platform/report/json_numbers.h"
#include "platform/report/measurement.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

constexpr const char* told_figures[] = {"mean", "p99"}; // of ideal_figures, in a sentence

double rate_of(const measurement& m, const kind_statistics& k)
{
    return per_second(static_cast<double>(k.requests), m.measured.when);
}

/// "+19.9 %", and whether the run knows its own figure so well.
std::string change_of(const std::vector<named_interval>& known, const std::string& name,
                      double before, double after)
{
    const interval* i = interval_of(known, name);
    return fmt::format("({:+.1f} %{})", 100.0 * (after / before - 1.0),
                       i != nullptr && i->holds(after) ? ", within its interval" : "");
}

json::object what_if_section(const measurement& m, const request_statistics& requests)
{
    const what_if_run& r = *m.what_if;
    json::object o = {
        {"key", r.tried.key}, {"value", r.tried.value}, {"by", thousandths(r.tried.by)}};
    for (std::size_t k = 0; k < r.then.size(); ++k) {
        const kind_statistics& s = requests.kinds()[k];
        if (r.then[k].iops == 0.0 || s.requests == 0) {
            continue;
        }
        json::object latencies;
        for (std::size_t i = 0; i < ideal_figures.size(); ++i) {
            latencies[ideal_figures[i].name] = thousandths(r.then[k].latency_ns[i]);
        }
        o[request_kind_names[k]] = {{"iops", thousandths(r.then[k].iops)},
                                    {"gain", millionths(r.then[k].iops / rate_of(m, s) - 1.0)},
                                    {"latency_ns", std::move(latencies)}};
    }
    return o;
}

/// A sentence for each kind of request.
std::vector<std::string> what_if_texts(const measurement& m, const request_statistics& requests)
{
    const what_if_run& r = *m.what_if;
    const std::vector<named_interval> known = intervals_of(m, requests);
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < r.then.size(); ++k) {
        const kind_statistics& s = requests.kinds()[k];
        if (r.then[k].iops == 0.0 || s.requests == 0) {
            continue;
        }
        const std::string kind = std::string("host.") + request_kind_names[k];
        std::string text = fmt::format(
            "{}, from the same state: {} IOPS {}, then {} {}", r.tried.text(),
            request_kind_names[k], text_rough(rate_of(m, s)), text_rough(r.then[k].iops),
            change_of(known, kind + ".iops", rate_of(m, s), r.then[k].iops));
        for (std::size_t i = 0; i < ideal_figures.size(); ++i) {
            const double before = value_of(s.latency, ideal_figures[i]) / 1e3;
            const std::string name = ideal_figures[i].name;
            if (name == told_figures[0] || name == told_figures[1]) {
                text += fmt::format("; {} {}, then {} {}", name, text_time(1e3 * before),
                                    text_time(1e3 * r.then[k].latency_ns[i]),
                                    change_of(known, kind + ".latency_ns." + name, before,
                                              r.then[k].latency_ns[i]));
            }
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

} // namespace

std::string better_part::text() const
{
    return fmt::format("{}={}, {:.0f} % {}", key, value, 100.0 * by,
                       counted ? "more of them" : "faster");
}

void put_second_runs(json::object& o, const measurement& m, const request_statistics& requests)
{
    json::object run;
    if (m.what_if) {
        run["what_if"] = what_if_section(m, requests);
    }
    if (m.ideal) {
        run["ideal"] = ideal_section(*m.ideal, requests, intervals_of(m, requests));
    }
    if (!run.empty()) {
        o["run"] = std::move(run);
    }
}

std::vector<std::pair<std::string, std::string>>
second_runs_told(const measurement& m, const request_statistics& requests)
{
    std::vector<std::pair<std::string, std::string>> told;
    if (m.what_if) {
        for (std::string& text : what_if_texts(m, requests)) {
            told.emplace_back("what if", std::move(text));
        }
    }
    if (m.ideal) {
        for (std::string& text : ideal_texts(*m.ideal, requests, intervals_of(m, requests))) {
            told.emplace_back("ideal", std::move(text));
        }
    }
    return told;
}

} // namespace ssdvp::platform
