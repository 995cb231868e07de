// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>

#include "models/host/config.h"
#include "platform/control/firmware_profile.h"
#include "platform/control/power_cycle.h"
#include "platform/report/ftl_series.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// Streams, or jobs of fio, that get statistics of their own; 0.9 MB each.
inline std::size_t streams_apart(const host::workload_config& w)
{
    constexpr std::size_t most = 128;
    const std::size_t n = w.fio.jobs.empty() ? w.streams.size() : w.fio.jobs.size();
    return n > 1 && (w.fio.jobs.empty() || n <= most) ? n : 0;
}

/// Sees every completion: statistics, warm-up, the request log, the series of flash operations.
class completion_hub final : public host::request_observer {
public:
    completion_hub(request_statistics& statistics, host::request_observer* log, power_cycler* power)
        : m_statistics(statistics), m_log(log), m_power(power)
    {}
    void on_complete(const host::request_result& result) override
    {
        if (m_power != nullptr) {
            m_power->completed(result.req.kind == host::request_kind::read);
        }
        m_statistics.on_complete(result);
        if (m_measuring && m_log != nullptr) {
            m_log->on_complete(result);
        }
        if (m_measuring && m_profile != nullptr) {
            m_profile->completed(result);
        }
        if (m_measuring && m_series != nullptr && m_series->completed(result)) {
            m_series->take(m_read());
        }
        if (++m_completed == m_pause_at) {
            *m_reached = true;
            sc_core::sc_pause();
        }
    }
    /// Sets `reached` and pauses after so many completions. The kernel ends its instant first.
    void pause_at(std::uint64_t completed, bool& reached)
    {
        m_pause_at = completed;
        m_reached = &reached;
    }
    void measure() { m_measuring = true; }
    /// `read`: what the counters say now.
    void fill(ftl_series* series, std::function<counters()> read)
    {
        m_series = series;
        m_read = std::move(read);
    }
    void tell(firmware_profile* profile) { m_profile = profile; }
    [[nodiscard]] std::uint64_t completed() const { return m_completed; }

private:
    request_statistics& m_statistics;
    host::request_observer* m_log;
    power_cycler* m_power;          // null: power never goes
    ftl_series* m_series = nullptr; // null: nobody wants one
    firmware_profile* m_profile = nullptr;
    std::function<counters()> m_read;
    std::uint64_t m_completed = 0;
    std::uint64_t m_pause_at = 0;
    bool* m_reached = nullptr; // with m_pause_at
    bool m_measuring = false;
};

} // namespace ssdvp::platform
