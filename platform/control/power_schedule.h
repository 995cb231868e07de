// SPDX-License-Identifier: Apache-2.0
//
// When power goes: by time, by count of flash operations, or at random; when the host resets the
// controller: by time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/common/rng.h"
#include "models/flash/die/array_watch.h"
#include "platform/config/power_config.h"

namespace ssdvp::platform {

/// Counts programs and erases as they begin in the dies; pauses the kernel at the one that is due.
class operation_counter final : public flash::array_watch {
public:
    /// 0 = never.
    void arm(std::uint64_t operations);
    [[nodiscard]] bool fired() const { return m_fired; }
    void array_begins() override;

private:
    std::uint64_t m_left = 0;
    bool m_fired = false;
};

class power_schedule {
public:
    enum class event { cut, shutdown, reset };

    power_schedule(const power_config& config, std::uint64_t seed,
                   std::vector<sim_time> reset_at = {});

    [[nodiscard]] operation_counter& operations() { return m_operations; }
    [[nodiscard]] const operation_counter& operations() const { return m_operations; }

    /// The measured part begins: the power events may come.
    void begin(sim_time t);
    /// No further event.
    void end();
    /// Power is back: cuts by count and at random count from here.
    void powered(sim_time t);
    /// The host checks what is there, which no time of a workload is: events at random and after
    /// times with power wait. Times that were given do not.
    void checking(sim_time t);
    void checked(sim_time t);
    /// The next event by time; of two at one time, the cut.
    struct appointment {
        event what;
        sim_time when;
    };
    [[nodiscard]] std::optional<appointment> next(bool shutdowns_too) const;
    /// What is due at `t`, which is thereby taken off the schedule.
    std::optional<event> take(sim_time t, bool shutdowns_too);

    /// Of the times that were given, those that had not come when it ended.
    struct unreached {
        std::size_t cuts = 0;
        std::size_t shutdowns = 0;
        std::size_t resets = 0;
    };
    [[nodiscard]] unreached left() const;

private:
    void draw(sim_time t);
    [[nodiscard]] bool waits_for_check(event what) const;

    power_config m_config;
    std::vector<sim_time> m_reset_at;
    rng m_random;
    operation_counter m_operations;
    bool m_on = false;
    std::optional<sim_time> m_checking; // since then
    std::vector<sim_time> m_cuts;       // to come, the next one last
    std::vector<sim_time> m_shutdowns;  // likewise
    std::vector<sim_time> m_resets;     // likewise
};

} // namespace ssdvp::platform
