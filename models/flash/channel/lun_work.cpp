// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/lun_work.h"

namespace ssdvp::flash {

lun_work::lun_work(std::uint32_t luns, std::uint32_t planes, std::uint32_t ops)
    : m_planes(planes), m_accounts(std::size_t{luns} * (planes == 0 ? 1 : planes + 2)),
      m_arrivals(ops)
{}

void lun_work::reset(sim_time t)
{
    for (account& a : m_accounts) {
        set(a, 0, t);
    }
}

lun_work::kind lun_work::meet(blocker work)
{
    m_works[m_kinds] = work;
    return m_kinds++;
}

/// A time before the last one, of a phase that was booked ahead, takes back what did not come.
void lun_work::set(account& a, kind k, sim_time t)
{
    a.spent[a.before] = a.spent[a.before] - (a.since - t);
    a.spent[a.now] += t - a.since;
    a.since = t;
    a.before = a.now;
    a.now = k;
}

void lun_work::plane_does(lun_index lun, plane_index plane, blocker work, sim_time t)
{
    account* const planes = &of(lun) + 1;
    account& any = planes[m_planes];
    set(planes[plane.value()], kind_of(work), t);
    kind k = 0;
    for (std::uint32_t p = 0; p < m_planes && k == 0; ++p) {
        k = planes[p].now;
    }
    set(any, k, t);
}

void lun_work::arrive(op_id op, const waiting_ops::request& r, bool behind_lun, sim_time t)
{
    arrival& a = m_arrivals[op];
    const account& lun = settled(of(r.lun), t);
    a.found = t < lun.since ? lun.before : lun.now;
    for (kind k = 1; k < m_kinds; ++k) { // of kinds that the channel meets later: nothing
        a.spent[k] = lun.at(k, t);
    }
    if (m_planes == 0) {
        return;
    }
    const bool any = !r.independent || behind_lun;
    a.beside = number_of(r.lun) + 1 + (any ? m_planes : r.planes.first().value());
    const account& beside = settled(m_accounts[a.beside], t);
    a.found = a.found != 0 ? a.found : t < beside.since ? beside.before : beside.now;
    for (kind k = 1; k < m_kinds; ++k) {
        a.spent[k] += beside.at(k, t);
    }
}

} // namespace ssdvp::flash
