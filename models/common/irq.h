// SPDX-License-Identifier: Apache-2.0
//
// What a core sees of the interrupt controller.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/calendar.h"

namespace ssdvp {

class irq_view_if : public virtual sc_core::sc_interface {
public:
    /// Devices do what only a core sees and was due until now: before it looks at memory or lines
    /// that the kernel's time may have changed.
    virtual void catch_up() = 0;
    /// Lines that are raised and enabled.
    [[nodiscard]] virtual std::uint64_t pending() const = 0;
    virtual void acknowledge(std::uint64_t lines) = 0;
    /// The core goes to sleep with nothing pending: at the next enabled line that is raised wake()
    /// rings, once, but not before `earliest`: until then the core works. A core that is awake
    /// costs no notification.
    virtual void arm(sim_time earliest) = 0;
    [[nodiscard]] virtual alarm& wake() = 0;
    /// wake() rings without a line: the core has another reason to look up.
    virtual void rouse() = 0;
};

} // namespace ssdvp
