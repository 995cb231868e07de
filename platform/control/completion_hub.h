// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <utility>
#include <vector>

#include "models/common/calendar.h"
#include "models/host/config.h"
#include "platform/control/power_cycle.h"
#include "platform/report/request_statistics.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

/// Streams, or jobs of fio, that get statistics of their own; 0.9 MB each.
inline std::size_t streams_apart(const host::workload_config& w)
{
    constexpr std::size_t most = 128;
    const std::size_t n = w.fio.jobs.empty() ? w.streams.size() : w.fio.jobs.size();
    return n > 1 && (w.fio.jobs.empty() || n <= most) ? n : 0;
}

/// Sees every completion: statistics, warm-up, the reports that want them.
class completion_hub final : public host::request_observer {
public:
    completion_hub(request_statistics& statistics, power_cycler* power)
        : m_statistics(statistics), m_power(power)
    {}
    void on_complete(const host::request_result& result) override
    {
        if (m_power != nullptr) {
            m_power->completed(result.req.kind == host::request_kind::read);
        }
        m_statistics.on_complete(result);
        for (host::request_observer* o : m_measured) {
            o->on_complete(result);
        }
        if (++m_completed == m_pause_at) {
            *m_reached = true;
            calendar::get().pause();
        }
    }
    /// Sets `reached` and pauses after so many completions. The kernel ends its instant first.
    void pause_at(std::uint64_t completed, bool& reached)
    {
        m_pause_at = completed;
        m_reached = &reached;
    }
    /// The measured part begins: those of `sinks` that want its requests hear of them.
    void measure(const std::vector<report_sink*>& sinks)
    {
        for (report_sink* s : sinks) {
            if (host::request_observer* o = s->requests(); o != nullptr) {
                m_measured.push_back(o);
            }
        }
    }
    /// From now on `observer` hears of all requests, after the statistics.
    void tell(host::request_observer& observer) { m_measured.push_back(&observer); }
    /// ... and no more.
    void forget(host::request_observer& observer)
    {
        m_measured.erase(std::remove(m_measured.begin(), m_measured.end(), &observer),
                         m_measured.end());
    }
    [[nodiscard]] std::uint64_t completed() const { return m_completed; }

private:
    request_statistics& m_statistics;
    power_cycler* m_power;                           // null: power never goes
    std::vector<host::request_observer*> m_measured; // who else hears of them
    std::uint64_t m_completed = 0;
    std::uint64_t m_pause_at = 0;
    bool* m_reached = nullptr; // with m_pause_at
};

} // namespace ssdvp::platform
