// SPDX-License-Identifier: Apache-2.0
#include "platform/report/host_section.h"

#include <boost/json/array.hpp>
#include <string>
#include <utility>

#include "platform/report/confidence.h"
#include "platform/report/json_numbers.h"
#include "platform/report/percentiles.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

/// Which latencies are told: of windows those that have an interval, and of streams none have.
class latencies_told {
public:
    latencies_told(const measurement& m, const request_statistics& requests) : m_sampled(m.sampling)
    {
        if (m_sampled) {
            m_known = intervals_of(m, requests);
        }
    }
    [[nodiscard]] bool operator()(const std::string& kind, const char* name) const
    {
        if (!m_sampled) {
            return true;
        }
        const interval* i = interval_of(m_known, "host." + kind + ".latency_ns." + name);
        return i != nullptr && i->high;
    }

private:
    bool m_sampled;
    std::vector<named_interval> m_known;
};

json::object latency_section(const histogram& h, const std::string& kind,
                             const latencies_told& told)
{
    json::object o;
    const auto put = [&](const char* name, double value) {
        if (told(kind, name)) {
            o[name] = value;
        }
    };
    put("min", ns(h.min()));
    put("mean", ns_of_ps(h.mean()));
    put("stdev", ns_of_ps(h.stdev()));
    for (const auto& [name, ppm] : percentiles) {
        put(name, ns(h.percentile(ppm)));
    }
    put("max", ns(h.max()));
    return o;
}

json::object kind_section(const kind_statistics& k, sim_time elapsed, const std::string& kind,
                          const latencies_told& told)
{
    json::object o;
    o["requests"] = k.requests;
    o["bytes"] = k.bytes;
    o["errors"] = k.errors;
    o["iops"] = thousandths(per_second(static_cast<double>(k.requests), elapsed));
    o["bytes_per_s"] = thousandths(per_second(static_cast<double>(k.bytes), elapsed));
    o["latency_ns"] = latency_section(k.latency, kind, told);
    json::object parts;
    for (std::size_t i = 0; i < latency_parts; ++i) {
        parts[latency_part_names[i]] =
            ns_of_ps(static_cast<double>(k.parts[i]) / static_cast<double>(k.requests));
    }
    o["parts_ns"] = std::move(parts);
    return o;
}

json::object kinds_section(const request_statistics::by_kind& kinds, sim_time elapsed,
                           const std::string& of, const latencies_told& told)
{
    json::object o;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i].requests != 0) {
            o[request_kind_names[i]] =
                kind_section(kinds[i], elapsed, of + request_kind_names[i], told);
        }
    }
    return o;
}

} // namespace

json::object host_section(const measurement& m, const request_statistics& requests)
{
    const latencies_told told(m, requests);
    json::object o = kinds_section(requests.kinds(), m.measured.when, "", told);
    if (!requests.streams().empty()) {
        json::array streams;
        for (std::size_t i = 0; i < requests.streams().size(); ++i) {
            json::object stream;
            stream["name"] = i < m.streams.size() ? m.streams[i] : std::to_string(i);
            for (auto& member :
                 kinds_section(requests.streams()[i], m.measured.when, "streams.", told)) {
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
