// SPDX-License-Identifier: Apache-2.0
#include "platform/config/idle_keys.h"

#include <fmt/format.h>
#include <fstream>

#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/config/set_options.h"
#include "platform/input/presets.h"

namespace ssdvp::platform {

namespace {

/// What a run wrote down says every key: of some of them because a preset did.
bool is_resolved(const origin& at)
{
    const std::string mark = "# Resolved configuration:";
    std::string line;
    return at.line != 0 && std::getline(std::ifstream(at.label), line) &&
           line.compare(0, mark.size(), mark) == 0;
}

} // namespace

std::vector<std::string> idle_keys(const raw_tree& raw, const ssd_config& c, bool own_firmware,
                                   const std::string& presets)
{
    std::vector<std::string> named;
    for (const option& o : option_table()) {
        const auto given = raw.values.find(o.key);
        if (given == raw.values.end() || !o.relevant || o.relevant(c) ||
            (own_firmware && o.relevant_to_own && o.relevant_to_own(c)) ||
            is_preset(given->second.at, presets)) {
            continue;
        }
        const bool strict = !o.remedy.empty() && !o.kept;
        const bool usual = o.usual && says(o, given->second, o.usual(c));
        const bool written_down = (o.kept || o.relevant_to_own) && is_resolved(given->second.at);
        if (!strict && (usual || written_down || says_default(o, given->second))) {
            continue;
        }
        const std::string why = no_effect(o);
        if (!o.remedy.empty()) {
            fail(given->second.at, o.key, why, o.remedy);
        }
        named.push_back(fmt::format("{}: {} {}", given->second.at.text(), o.key, why));
    }
    return named;
}

/// Requests beyond the places of the driver's queues, of which one of n entries holds n - 1 (NVMe
/// base specification, queue full condition).
std::vector<std::string> waiting_requests(const raw_tree& raw, const ssd_config& c)
{
    if (is_sata(c)) {
        return {}; // fewer tags than requests are usual there
    }
    const std::uint64_t room = std::uint64_t{c.driver.queue_pairs} * (c.driver.queue_entries - 1);
    std::vector<std::string> named;
    const auto name = [&](const origin& at, const std::string& key, std::uint64_t depth) {
        named.push_back(fmt::format("{}: {}: {} requests in flight do not fit the {} places of "
                                    "host.driver.queue_pairs {} and queue_entries {}: the others "
                                    "wait in the driver",
                                    at.text(), key, depth, room, c.driver.queue_pairs,
                                    c.driver.queue_entries));
    };
    const auto place = [&](const raw_map& fields) {
        const auto it = fields.find("queue_depth");
        return it == fields.end() ? raw.workload.at : it->second.at;
    };
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < c.workload.streams.size() && total <= room; ++i) {
        const host::stream_config& s = c.workload.streams[i];
        total += s.rate_iops > 0.0 ? 0 : s.queue_depth;
        if (total > room) {
            const auto& streams = raw.workload.streams;
            name(i < streams.size() ? place(streams[i]) : raw.workload.at,
                 fmt::format("workload.{}.queue_depth", i), total);
        }
    }
    if (!c.workload.trace.file.empty() && c.workload.trace.queue_depth > room) {
        name(place(raw.workload.trace), "workload.queue_depth", c.workload.trace.queue_depth);
    }
    return named;
}

} // namespace ssdvp::platform
