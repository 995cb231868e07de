// SPDX-License-Identifier: Apache-2.0
//
// On-chip SRAM: rings, firmware state. Page in docs/models/sram.md.
#pragma once

#include "models/common/memory_target.h"

namespace ssdvp::sram {

class sram final : public memory_target {
public:
    /// `size` in bytes; each access takes `latency`.
    sram(const sc_core::sc_module_name& name, std::uint64_t size, sim_time latency)
        : memory_target(name, size, latency)
    {}

private:
    sim_time access(const tlm::tlm_generic_payload&, sim_time at) override
    {
        return at + latency();
    }
};

} // namespace ssdvp::sram
