// SPDX-License-Identifier: Apache-2.0
//
// Controllers without R/B# lines: a busy LUN is polled by 70h (78h with several LUNs), a plane that
// reads by itself by 78h, every poll_period, the first time tWB after the command's last cycle
// (ONFI, Read Status, Read Status Enhanced). Ready is noticed at the first poll that finds it. The
// polls' cycles are counted apart from the bus's, since they hold up no other phase.
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

sim_time sequencer::poll_time(bool enhanced) const
{
    onfi::extension poll;
    poll.first = enhanced ? onfi::STATUS_ENHANCED : onfi::STATUS;
    poll.row_cycles = enhanced ? m_row_cycles : std::uint8_t{0};
    poll.data_out = true;
    return m_timing.group(poll, 1);
}

/// When a LUN that will be ready at `expected` is seen to be. The command before ended at `end`.
sim_time controller::poll_until(lun_index lun, sim_time end, sim_time expected)
{
    return m_config.poll_period == sim_time() ? expected : plan_polls(m_polls[lun], end, expected);
}

/// The same of a plane that reads by itself.
sim_time controller::poll_until(lun_index lun, plane_index plane, sim_time end, sim_time expected)
{
    return m_config.poll_period == sim_time()
               ? expected
               : plan_polls(m_plane_polls[lun][plane.value()], end, expected);
}

sim_time controller::plan_polls(poll_plan& p, sim_time end, sim_time expected)
{
    const std::uint64_t period = m_config.poll_period.ps();
    p.first = m_sequencer.first_poll(end);
    const std::uint64_t periods = ((expected - p.first).ps() + period - 1) / period;
    p.seen = p.first + periods * m_config.poll_period;
    m_agenda.push(p.seen, {todo::wake, 0, 0});
    return p.seen;
}

void controller::see_polls()
{
    if (m_config.poll_period == sim_time()) {
        return;
    }
    const sim_time t = now();
    for (const lun_index lun : m_polls.indices()) {
        if (t == m_polls[lun].seen && m_scheduler.array_busy(lun) && m_lines[lun]->high()) {
            see_ready(lun);
        }
        for (const plane_index p : m_scheduler.sensing(lun)) {
            const poll_plan& plan = m_plane_polls[lun][p.value()];
            if (t == plan.seen) {
                m_stats.polling += polls_of(plan, t) * m_sequencer.poll_time(true);
                see_plane(lun, p);
            }
        }
    }
}

/// Polls until `t`.
std::uint64_t controller::polls_of(const poll_plan& plan, sim_time t) const
{
    return (t - plan.first).ps() / m_config.poll_period.ps() + 1;
}

/// The polls of a LUN until `t`. The one that finds a program or erase ready is a bus phase of its
/// own, where there is one: the status.
void controller::charge_polls(lun_index lun, sim_time t, op_id op)
{
    if (m_config.poll_period == sim_time() || t < m_polls[lun].first) {
        return;
    }
    std::uint64_t polls = polls_of(m_polls[lun], t);
    if (op != scheduler::none && m_config.status_poll) {
        const operation& o = m_ops[op];
        const bool last =
            o.desc.op == FLASH_OP_PROGRAM || o.desc.op == FLASH_OP_ERASE || o.programs;
        polls -= last ? 1 : 0;
    }
    m_stats.polling += polls * lun_poll();
}

/// With a chip enable for each LUN the model still names them, as controllers with fewer do.
sim_time controller::lun_poll() const
{
    return m_sequencer.poll_time(m_config.luns > 1);
}

/// Cycles of the polls of `plan` until now.
sim_time controller::polled(const poll_plan& plan, sim_time poll) const
{
    const sim_time since = now() - plan.first;
    if (since == sim_time()) {
        return {};
    }
    const std::uint64_t whole = since.ps() / m_config.poll_period.ps();
    return whole * poll + earlier(since - whole * m_config.poll_period, poll);
}

/// Cycles of polls until now, of LUNs that are still busy too.
sim_time controller::polling() const
{
    sim_time sum = m_stats.polling;
    if (m_config.poll_period == sim_time()) {
        return sum;
    }
    for (const lun_index lun : m_polls.indices()) {
        if (m_scheduler.array_busy(lun)) {
            sum += polled(m_polls[lun], lun_poll());
        }
        for (const plane_index p : m_scheduler.sensing(lun)) {
            sum += polled(m_plane_polls[lun][p.value()], m_sequencer.poll_time(true));
        }
    }
    return sum;
}

} // namespace ssdvp::flash
