// SPDX-License-Identifier: Apache-2.0
//
// The driver and memory that it has lent the drive: takes it back and lends it again beside
// requests, at times that the configuration gives.
#include "models/host/driver/driver.h"

namespace ssdvp::host {

void driver::plan_memory()
{
    const hmb_grant& grant = m_config.hmb;
    if (!m_bring_up.loan().any()) {
        return;
    }
    if (grant.away != sim_time()) {
        m_agenda.push(now() + grant.away, {task::memory, memory_away});
    }
    if (grant.overwrite != sim_time()) {
        m_agenda.push(now() + grant.overwrite, {task::memory, memory_overwritten});
    }
}

void driver::change_memory(std::uint32_t change)
{
    if (change == memory_overwritten) {
        m_bring_up.loan().overwrite();
        return;
    }
    if (!m_ready || m_bring_up.running()) {
        return; // it is being shut down
    }
    m_change = change;
    m_changing = true;
    m_bring_up.lend_memory(change == memory_back);
}

void driver::memory_changed(bool ok, const std::string& why)
{
    m_changing = false;
    m_limit.clear();
    if (!ok) {
        fault(why);
    } else if (m_change == memory_away && m_config.hmb.back != sim_time()) {
        m_agenda.push(now() + m_config.hmb.back, {task::memory, memory_back});
    }
}

} // namespace ssdvp::host
