// SPDX-License-Identifier: Apache-2.0
//
// Controllers without R/B# lines: a busy LUN is polled by 70h (78h with several LUNs) every
// poll_period, the first time tWB after the command's last cycle (ONFI, Read Status, Read Status
// Enhanced). Ready is noticed at the first poll that finds it. The polls' cycles are counted
// apart from the bus's, since they hold up no other phase.
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

sim_time sequencer::poll_time() const
{
    onfi::extension poll;
    const bool enhanced = m_config.luns > 1;
    poll.first = enhanced ? onfi::STATUS_ENHANCED : onfi::STATUS;
    poll.row_cycles = enhanced ? m_row_cycles : std::uint8_t{0};
    poll.data_out = true;
    return m_timing.group(poll, 1);
}

/// When a LUN that will be ready at `expected` is seen to be. The command before ended at `end`.
sim_time controller::poll_until(lun_index lun, sim_time end, sim_time expected)
{
    const std::uint64_t period = m_config.poll_period.ps();
    if (period == 0) {
        return expected;
    }
    poll_plan& p = m_polls[lun];
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
    }
}

/// The polls of a LUN until `t`. The one that finds a program or erase ready is a bus phase of its
/// own, where there is one: the status.
void controller::charge_polls(lun_index lun, sim_time t, op_id op)
{
    if (m_config.poll_period == sim_time() || t < m_polls[lun].first) {
        return;
    }
    std::uint64_t polls = (t - m_polls[lun].first).ps() / m_config.poll_period.ps() + 1;
    if (op != scheduler::none && m_config.status_poll) {
        const operation& o = m_ops[op];
        const bool last =
            o.desc.op == FLASH_OP_PROGRAM || o.desc.op == FLASH_OP_ERASE || o.programs;
        polls -= last ? 1 : 0;
    }
    m_stats.polling += polls * m_sequencer.poll_time();
}

/// Cycles of polls until now, of LUNs that are still busy too.
sim_time controller::polling() const
{
    sim_time sum = m_stats.polling;
    if (m_config.poll_period == sim_time()) {
        return sum;
    }
    const sim_time poll = m_sequencer.poll_time();
    for (const lun_index lun : m_polls.indices()) {
        const sim_time since = now() - m_polls[lun].first;
        if (m_scheduler.array_busy(lun) && since != sim_time()) {
            const std::uint64_t whole = since.ps() / m_config.poll_period.ps();
            sum += whole * poll + earlier(since - whole * m_config.poll_period, poll);
        }
    }
    return sum;
}

} // namespace ssdvp::flash
