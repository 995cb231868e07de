// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/suspend/suspension.h"

namespace ssdvp::flash {

void suspension::reset()
{
    m_setting = power_up_setting(m_config);
    m_what = array_operation::idle;
    m_planes = {};
    m_count = m_last_erase = 0;
    m_suspended = false;
}

bool suspension::may_stop() const
{
    const bool stoppable = m_what == array_operation::erase     ? m_setting.policy->interrupts()
                           : m_what == array_operation::program ? m_setting.programs
                                                                : false;
    return stoppable && (m_config.limit == 0 || m_count < m_config.limit);
}

std::optional<sim_time> suspension::stop(sim_time asked, std::uint32_t pe_cycles)
{
    if (m_what == array_operation::erase) {
        m_train.safe_points = m_setting.policy->safe_points(m_config, pe_cycles);
    }
    const auto at = m_train.stop(asked);
    if (at) {
        m_train.done += *at - m_train.resumed;
        ++m_count;
    }
    return at;
}

bool suspension::set(std::uint8_t policy, std::uint8_t programs)
{
    const suspend_policy* known = find_suspend_policy(policy);
    if (known == nullptr || programs > 1) {
        return false;
    }
    m_setting = {known, policy, programs != 0};
    return true;
}

} // namespace ssdvp::flash
