// SPDX-License-Identifier: Apache-2.0
//
// How the operations of a LUN ended (ONFI, Read Status): FAIL of the last one, FAILC of the program
// before it in a cache sequence, and which planes failed.
#pragma once

#include <utility>

#include "models/protocols/onfi.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

class status_register {
public:
    /// An operation begins that has a verdict.
    void begin() { m_last = verdict(); }
    void fail(plane_index plane, flash_status result)
    {
        if (result != FLASH_STATUS_OK) {
            m_last.failed.insert(plane);
            // A firmware error must not hide behind a worn block of another plane.
            m_last.result = m_last.result == FLASH_STATUS_PHYSICS ? m_last.result : result;
        }
    }
    void forget_previous() { m_previous = verdict(); }
    /// The verdict of the last operation is FAILC from now on.
    void make_previous() { m_previous = std::exchange(m_last, verdict()); }
    void reset() { m_last = m_previous = verdict(); }

    /// Puts the verdicts into `g`, of 78h those of its plane. FAIL and FAILC as in the status byte.
    unsigned report(onfi::extension& g) const
    {
        const plane_set asked =
            g.first == onfi::STATUS_ENHANCED ? plane_set::only(g.plane) : plane_set(~0u);
        g.plane_fail = m_last.failed & asked;
        g.result = m_last.of(g.plane_fail);
        g.previous_fail = m_previous.failed & asked;
        g.previous_result = m_previous.of(g.previous_fail);
        return (g.plane_fail.empty() ? 0u : onfi::STATUS_FAIL) |
               (g.previous_fail.empty() ? 0u : onfi::STATUS_FAILC);
    }

private:
    struct verdict {
        flash_status result = FLASH_STATUS_OK;
        plane_set failed;

        [[nodiscard]] std::uint8_t of(plane_set planes) const
        {
            return static_cast<std::uint8_t>(planes.empty() ? FLASH_STATUS_OK : result);
        }
    };

    verdict m_last;
    verdict m_previous;
};

} // namespace ssdvp::flash
