// SPDX-License-Identifier: Apache-2.0
#include "platform/report/host_section.h"

#include <boost/json/array.hpp>
#include <string>
#include <utility>

#include "platform/report/json_numbers.h"
#include "platform/report/percentiles.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

json::object latency_section(const histogram& h)
{
    json::object o;
    o["min"] = ns(h.min());
    o["mean"] = ns_of_ps(h.mean());
    o["stdev"] = ns_of_ps(h.stdev());
    for (const auto& [name, ppm] : percentiles) {
        o[name] = ns(h.percentile(ppm));
    }
    o["max"] = ns(h.max());
    return o;
}

json::object kind_section(const kind_statistics& k, sim_time elapsed)
{
    json::object o;
    o["requests"] = k.requests;
    o["bytes"] = k.bytes;
    o["errors"] = k.errors;
    o["iops"] = thousandths(per_second(static_cast<double>(k.requests), elapsed));
    o["bytes_per_s"] = thousandths(per_second(static_cast<double>(k.bytes), elapsed));
    o["latency_ns"] = latency_section(k.latency);
    json::object parts;
    for (std::size_t i = 0; i < latency_parts; ++i) {
        parts[latency_part_names[i]] =
            ns_of_ps(static_cast<double>(k.parts[i]) / static_cast<double>(k.requests));
    }
    o["parts_ns"] = std::move(parts);
    return o;
}

json::object kinds_section(const request_statistics::by_kind& kinds, sim_time elapsed)
{
    json::object o;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i].requests != 0) {
            o[request_kind_names[i]] = kind_section(kinds[i], elapsed);
        }
    }
    return o;
}

} // namespace

json::object host_section(const measurement& m, const request_statistics& requests)
{
    json::object o = kinds_section(requests.kinds(), m.measured.when);
    if (!requests.streams().empty()) {
        json::array streams;
        for (std::size_t i = 0; i < requests.streams().size(); ++i) {
            json::object stream;
            stream["name"] = i < m.streams.size() ? m.streams[i] : std::to_string(i);
            for (auto& member : kinds_section(requests.streams()[i], m.measured.when)) {
                stream[member.key()] = std::move(member.value());
            }
            streams.push_back(std::move(stream));
        }
        o["streams"] = std::move(streams);
    }
    return o;
}

json::object faults_section(const measurement& m)
{
    json::array first;
    for (const fault_log::fault& f : m.faults) {
        json::object one{{"when_ns", ns(f.when)}, {"who", f.who}, {"what", f.what}};
        if (!f.stack.empty()) {
            one["stack"] = json::array(f.stack.begin(), f.stack.end());
        }
        first.push_back(std::move(one));
    }
    return {{"count", m.fault_count}, {"first", std::move(first)}};
}

} // namespace ssdvp::platform
