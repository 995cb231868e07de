// SPDX-License-Identifier: Apache-2.0
#include "platform/report/counter_json.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/report/counter_table.h"
#include "platform/report/json_numbers.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

struct run {
    const measurement& m;
    const request_statistics& requests;
    const telemetry& t;
};

using figure = std::optional<json::value>; // empty: there is none

double mean(std::uint64_t sum, std::uint64_t n)
{
    return static_cast<double>(sum) / static_cast<double>(n);
}

figure ratio(std::uint64_t hits, std::uint64_t misses)
{
    return hits + misses == 0 ? figure() : mean(hits, hits + misses);
}

figure write_amplification_of(const run& r)
{
    const auto waf =
        write_amplification(r.m.measured.flash, r.requests.kind(host::request_kind::write).bytes);
    return waf ? figure(millionths(*waf)) : figure();
}

figure erase_stdev(const run& r)
{
    const double average = mean(r.t.erase_sum, r.t.erase_blocks);
    const double variance = mean(r.t.erase_square_sum, r.t.erase_blocks) - average * average;
    return millionths(std::sqrt(std::max(variance, 0.0)));
}

figure erase_histogram(const run& r)
{
    if (r.m.erase_histogram.empty()) {
        return {};
    }
    json::array histogram;
    for (const auto& [erases, blocks] : r.m.erase_histogram) {
        histogram.push_back({{"erases", erases}, {"blocks", blocks}});
    }
    return json::value(std::move(histogram));
}

/// As many as the part has levels.
figure retries(const run& r)
{
    json::array levels;
    for (std::size_t i = 0; i < std::size(r.t.retries) && i < r.m.drive.retry_levels; ++i) {
        levels.emplace_back(r.t.retries[i]);
    }
    return json::value(std::move(levels));
}

/// What is no count of firmware.
struct worked_out {
    std::string_view before; // field of the row that it stands before
    counter_where where;
    std::string_view key;
    figure (*value)(const run& r);
};

using where = counter_where;
constexpr worked_out figures[] = {
    {"ram_bytes", where::ALWAYS, "ftl.scheme",
     [](const run& r) { return figure(r.m.drive.scheme); }},
    {"gc_runs", where::ALWAYS, "ftl.write_amplification", write_amplification_of},
    {"gc_runs", where::ALWAYS, "ftl.worst_blocking_ns",
     [](const run& r) { return r.m.worst_blocking ? figure(ns(*r.m.worst_blocking)) : figure(); }},
    {"map_hits", where::PAGED_MAP, "ftl.map.share",
     [](const run& r) { return figure(millionths(r.m.drive.map_share)); }},
    {"merged_logical_blocks_max", where::MERGED_LOGS, "ftl.merges.associativity.mean",
     [](const run& r) {
         return figure(millionths(mean(r.t.merged_logical_blocks, r.t.merged_logs)));
     }},
    {"erase_max", where::WEAR, "ftl.wear.mean",
     [](const run& r) { return figure(millionths(mean(r.t.erase_sum, r.t.erase_blocks))); }},
    {"erase_sum", where::WEAR, "ftl.wear.stdev", erase_stdev},
    {"erase_sum", where::WEAR, "ftl.wear.histogram", erase_histogram},
    {"retention.deep_died", where::PREDICTED,
     "ftl.retention.predicted.right", // overwritten in time, or not
     [](const run& r) { return figure(r.t.retention.shallow_died + r.t.retention.deep_lived); }},
    {"retention.deep_died", where::PREDICTED, "ftl.retention.predicted.wrong",
     [](const run& r) { return figure(r.t.retention.rewritten_units + r.t.retention.deep_died); }},
    {"retention.deep_died", where::RETENTION, "ftl.retention.speed",
     [](const run& r) { return figure(r.m.drive.retention_speed); }},
    {"retries", where::RETRIES, "ftl.health.retries", retries},
    {"cache_read_hits", where::CACHE, "cache.policy",
     [](const run& r) { return figure(r.m.drive.cache_policy); }},
    {"cache_padding_reads", where::CACHE, "cache.read_hit_ratio",
     [](const run& r) { return ratio(r.t.cache_read_hits, r.t.cache_read_misses); }},
    {"cache_padding_reads", where::CACHE, "cache.write_hit_ratio",
     [](const run& r) { return ratio(r.t.cache_write_hits, r.t.cache_write_misses); }},
};

struct entry {
    std::string_view key;
    json::value value;
};

json::value value_of(const counter_row& row, const telemetry& t)
{
    const std::uint64_t v = row.read(t);
    return row.kind == counter_kind::FLAG ? json::value(v != 0) : json::value(v);
}

std::vector<entry> entries(const run& r)
{
    std::vector<entry> all;
    for (const counter_row& row : counter_rows()) {
        for (const worked_out& f : figures) {
            if (f.before == row.field && has(f.where, r.m)) {
                if (figure value = f.value(r)) {
                    all.push_back({f.key, std::move(*value)});
                }
            }
        }
        if (!row.key.empty() && has(row.where, r.m)) {
            all.push_back({row.key, value_of(row, r.t)});
        }
    }
    return all;
}

/// summary["a"]["b"] = value for "a.b".
void put(json::object& summary, std::string_view key, json::value value)
{
    json::object* o = &summary;
    for (std::size_t dot; (dot = key.find('.')) != std::string_view::npos;
         key.remove_prefix(dot + 1)) {
        json::value& inner = (*o)[json::string_view(key.data(), dot)];
        o = inner.is_object() ? &inner.as_object() : &inner.emplace_object();
    }
    (*o)[json::string_view(key.data(), key.size())] = std::move(value);
}

} // namespace

void put_counters(json::object& summary, const measurement& m, const request_statistics& requests)
{
    for (entry& e : entries({m, requests, *m.measured.ftl})) {
        put(summary, e.key, std::move(e.value));
    }
}

} // namespace ssdvp::platform
