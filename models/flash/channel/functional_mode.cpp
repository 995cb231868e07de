// SPDX-License-Identifier: Apache-2.0
//
// Functional mode of a channel: a doorbell carries out what the ring holds, at once.
#include <stdexcept>

#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

/// Pages that came and went between two erases without the cells: preconditioning by counts.
void controller::count_passed(const flash_desc& d)
{
    if (d.op == FLASH_OP_ERASE) {
        const std::uint64_t pages = std::uint64_t{planes_of(d).size()} * d.page;
        purpose_counts& c = m_stats.by_purpose[FLASH_PURPOSE_PRECONDITION];
        c.programs += pages;
        c.bytes_programmed += pages * m_config.die.geo.page_size;
    }
}

void controller::run_functional()
{
    flash_desc d;
    while (m_rings.can_post() && m_rings.take(d)) {
        flash_completion c{};
        c.tag = d.tag;
        c.lun = d.lun;
        c.start_ns = c.end_ns = now().ns();
        if (bad_descriptor(d)) {
            c.status = FLASH_STATUS_BAD_DESCRIPTOR;
        } else {
            const functional_executor::outcome result = m_functional_executor.execute(d);
            c.status = static_cast<std::uint8_t>(result.status);
            c.plane_fail = static_cast<std::uint8_t>(result.plane_fail.mask());
            operation o;
            o.desc = d;
            o.programs = d.op == FLASH_OP_COPYBACK;
            count(o, FLASH_PURPOSE_PRECONDITION);
            count_passed(d);
        }
        if (!m_rings.post(c)) {
            return;
        }
    }
}

void controller::set_functional(bool on)
{
    catch_up();
    if (on != m_functional && !idle()) {
        throw std::logic_error("a flash channel changes its mode only when idle");
    }
    m_functional = on;
}

} // namespace ssdvp::flash
