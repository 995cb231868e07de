// SPDX-License-Identifier: Apache-2.0
//
// The program or erase of a LUN that may be suspended: its loops, what stops it and where, and
// whether it is suspended now (vendor commands 61h and D2h; docs/models/die.md, Timing).
#pragma once

#include <optional>

#include "models/flash/die/array_operation.h"
#include "models/flash/die/pulse_train.h"
#include "models/flash/die/suspend/suspend_policy.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

class suspension {
public:
    /// `config` outlives this.
    explicit suspension(const suspend_config& config)
        : m_config(config), m_setting(power_up_setting(config))
    {}

    /// A program or erase begins, on `planes`.
    void begin(array_operation what, plane_set planes, const pulse_train& train)
    {
        m_train = train;
        m_what = what;
        m_planes = planes;
        m_count = 0;
    }
    /// It has ended.
    void end() { m_what = array_operation::idle; }
    /// It is given up, suspended or not.
    void give_up()
    {
        m_suspended = false;
        m_what = array_operation::idle;
    }
    /// As at power-up.
    void reset();

    /// Program, erase; idle = there is none, at work or suspended.
    [[nodiscard]] array_operation what() const { return m_what; }
    [[nodiscard]] plane_set planes() const { return m_planes; }
    [[nodiscard]] bool suspended() const { return m_suspended; }
    /// Suspends of it so far.
    [[nodiscard]] std::uint32_t count() const { return m_count; }

    /// Do setting and limit let it be stopped at all?
    [[nodiscard]] bool may_stop() const;
    /// It is asked to stop at `asked`: when it does, if so. `pe_cycles`: of the most worn block
    /// that it works on.
    [[nodiscard]] std::optional<sim_time> stop(sim_time asked, std::uint32_t pe_cycles);
    /// Since when its loops run.
    [[nodiscard]] sim_time running_since() const { return m_train.resumed; }
    /// The array has come to rest.
    void stopped() { m_suspended = true; }
    /// It goes on at `at`; what is left of it.
    sim_time resume(sim_time at)
    {
        m_suspended = false;
        m_train.resumed = at;
        return m_train.length - m_train.done;
    }

    /// An erase has ended: its suspends are what a feature tells from now on.
    void keep_count() { m_last_erase = m_count; }
    [[nodiscard]] std::uint32_t of_last_erase() const { return m_last_erase; }
    [[nodiscard]] const suspend_setting& setting() const { return m_setting; }
    /// False: no such setting.
    bool set(std::uint8_t policy, std::uint8_t programs);

private:
    const suspend_config& m_config;
    suspend_setting m_setting;
    pulse_train m_train;
    array_operation m_what = array_operation::idle;
    plane_set m_planes;
    std::uint32_t m_count = 0;
    std::uint32_t m_last_erase = 0;
    bool m_suspended = false;
};

} // namespace ssdvp::flash
