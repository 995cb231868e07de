// SPDX-License-Identifier: Apache-2.0
//
// Power cycles of a run: cut or clean shutdown, time without power, start, verification, and then
// the workload goes on. A cut may come at any moment of it.
#pragma once

#include <functional>

#include "platform/control/power_schedule.h"
#include "platform/report/measurement.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

enum class ending { done, interrupted, stuck, limit, power };

/// Simulated, of a start: more than any takes. The host's driver gives each step of it the time
/// that the drive declares (CAP.TO) or the standard says, and the watchdog looks at what goes on.
constexpr sim_time start_limit = sim_time(3'600'000'000'000'000);

class power_cycler {
public:
    /// Simulates until the flag, a limit, or a power event (ending::power: take it).
    using simulator = std::function<ending(const bool& flag, sim_time limit)>;
    /// Sets the flag when all requests in flight have completed.
    using drainer = std::function<void(bool& drained)>;

    explicit power_cycler(const ssd_config& config);

    [[nodiscard]] bool configured() const { return m_config.any(); }
    [[nodiscard]] power_schedule& schedule() { return m_schedule; }
    [[nodiscard]] const power_schedule& schedule() const { return m_schedule; }
    /// The drive serves the workload: a shutdown may come, not only a cut.
    [[nodiscard]] bool serving() const { return m_serving; }

    /// The kernel stands at a power event. ending::limit: the workload goes on.
    ending cycle(ssd& drive, const simulator& simulate, const drainer& drain);
    /// A request of the workload completed; `read`: it was a read.
    void completed(bool read);

    [[nodiscard]] std::uint64_t cuts() const { return m_cuts; }
    [[nodiscard]] std::uint64_t shutdowns() const { return m_shutdowns; }
    [[nodiscard]] std::uint64_t resets() const { return m_resets; }
    [[nodiscard]] const power_times& times() const { return m_times; }

private:
    ending until_quiet(ssd& drive, const simulator& simulate, const drainer& drain);
    /// The host resets the controller, which keeps its power. ending::done: it serves again.
    ending reset(ssd& drive, const simulator& simulate, const drainer& drain);
    ending until_off(ssd& drive, const simulator& simulate, const drainer& drain);
    ending until_serving(ssd& drive, const simulator& simulate);
    void note_first_read(sim_time t);
    bool goes_on(ssd& drive);

    power_config m_config;
    power_schedule m_schedule;
    power_times m_times;
    std::uint64_t m_cuts = 0;
    std::uint64_t m_shutdowns = 0;
    std::uint64_t m_resets = 0;
    std::uint64_t m_fruitless = 0; // cuts since the last completed request
    sim_time m_on_since;
    bool m_drained = false; // outlives a wait that a cut ends
    bool m_serving = true;
    bool m_first_read = false; // of this power cycle is still to come
};

} // namespace ssdvp::platform
