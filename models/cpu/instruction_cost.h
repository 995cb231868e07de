// SPDX-License-Identifier: Apache-2.0
//
// What a stretch of firmware costs. The core asks at every call of the port; the answer covers the
// instructions since the previous call.
#pragma once

#include <cstdint>

namespace ssdvp::cpu {

enum class port_call : std::uint8_t {
    read32,
    write32,
    wait_irq,
    time,
    log,
    stopping,
    touch,
    fence
};

struct instruction_charge {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
};

class instruction_cost {
public:
    virtual ~instruction_cost() = default;
    /// Cost of the firmware code that led to `call`. Must not touch simulation state.
    virtual instruction_charge charge(port_call call) = 0;
    /// What runs from now on costs nothing, outside of simulated time; or does again.
    virtual void functional(bool on) { (void)on; }
    /// The program starts from reset on this core.
    virtual void restarted() {}
    /// The program goes on behind a wait: others may have run meanwhile.
    virtual void resumed() {}
    /// Cycles of the call itself: the bus, an interrupt.
    virtual void also(port_call call, std::uint64_t cycles)
    {
        (void)call;
        (void)cycles;
    }
    /// Level of the timing, as the summary reports it: "full", "host_size", "flat"
    [[nodiscard]] virtual const char* level() const = 0;
};

} // namespace ssdvp::cpu
