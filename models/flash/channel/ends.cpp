// SPDX-License-Identifier: Apache-2.0
//
// Operations that have ended: they are counted, and their completions posted.
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

namespace {

bool reads_cells(const flash_desc& d)
{
    return d.op == FLASH_OP_READ || d.op == FLASH_OP_COPYBACK;
}

/// A page that takes two passes is programmed once, by the second one.
bool programs_pages(const channel_operation& o)
{
    return o.programs || (o.desc.op == FLASH_OP_PROGRAM && !o.coarse);
}

} // namespace

/// Into the cells; a copyback always takes the whole page.
std::uint64_t controller::bytes_programmed(const operation& o) const
{
    const std::uint64_t bytes = o.programs          ? m_config.die.geo.page_size
                                : programs_pages(o) ? o.desc.length
                                                    : 0;
    return planes_of(o.desc).size() * bytes;
}

void controller::finish(op_id op, sim_time when)
{
    const operation& o = m_ops[op];
    if (m_environment.ledger != nullptr && o.desc.op == FLASH_OP_PROGRAM) {
        m_environment.ledger->end_program(m_environment.program(o.desc.tag));
    }
    count(o, static_cast<flash_purpose>(o.desc.purpose));
    const std::uint64_t bytes = std::uint64_t{planes_of(o.desc).size()} * o.desc.length;
    m_stats.bytes_read += reads_cells(o.desc) ? bytes : 0;
    m_stats.bytes_programmed += bytes_programmed(o);
    m_stats.copybacks += o.programs ? planes_of(o.desc).size() : 0;
    end(op);
    post(when);
}

/// What came of it.
std::uint64_t& controller::endings_like(const operation& o)
{
    if (o.status != FLASH_STATUS_OK) {
        return m_stats.failed;
    }
    const bool stores = o.desc.op == FLASH_OP_ERASE || o.desc.op == FLASH_OP_PROGRAM || o.programs;
    return stores ? m_stats.stored : m_stats.looked;
}

/// Who ordered it is going to be told.
void controller::end(op_id op)
{
    ++endings_like(m_ops[op]);
    if (m_ops[op].direct) {
        end_direct(op);
    } else {
        m_unposted.push_back(op);
    }
}

void controller::count(const operation& o, flash_purpose purpose)
{
    purpose_counts& c = m_stats.by_purpose[purpose];
    c.reads += reads_cells(o.desc) ? planes_of(o.desc).size() : 0;
    c.programs += programs_pages(o) ? planes_of(o.desc).size() : 0;
    c.erases += o.desc.op == FLASH_OP_ERASE ? planes_of(o.desc).size() : 0;
    c.bytes_programmed += bytes_programmed(o);
}

/// Posts finished operations at `when`, oldest first, while the completion ring has room.
void controller::post(sim_time when)
{
    std::size_t posted = 0;
    while (posted < m_unposted.size() && m_rings.can_post()) {
        const op_id op = m_unposted[posted];
        const operation& o = m_ops[op];
        flash_completion c{};
        c.tag = o.desc.tag;
        c.status = static_cast<std::uint8_t>(o.status);
        c.plane_fail = static_cast<std::uint8_t>(o.plane_fail.mask());
        c.lun = o.desc.lun;
        c.corrected_bits = o.corrected_bits;
        c.suspends = o.suspends;
        c.start_ns = o.begin.ns();
        c.end_ns = when.ns();
        if (!m_rings.post(c)) {
            break;
        }
        m_free.push_back(op);
        ++posted;
    }
    if (posted == 0) {
        return;
    }
    tell_held(when);
    m_unposted.erase(m_unposted.begin(), m_unposted.begin() + static_cast<std::ptrdiff_t>(posted));
    if (m_int_enable != 0 && !m_functional) {
        irq->raise(m_environment.irq_line);
    }
    if (!m_functional && !m_fetching && is_asked_for() && posted == m_free.size()) {
        fetch(); // the pool was exhausted
    }
}

} // namespace ssdvp::flash
