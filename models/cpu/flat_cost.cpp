// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/flat_cost.h"

#include <cmath>

namespace ssdvp::cpu {

flat_cost::flat_cost(const core_config& config)
{
    m_work.instructions = config.instructions_per_call;
    m_work.cycles = static_cast<std::uint64_t>(
        std::llround(config.instructions_per_call * config.cycles_per_instruction));
}

instruction_charge flat_cost::charge(port_call call)
{
    switch (call) {
    case port_call::read32:
    case port_call::write32:
    case port_call::wait_irq:
        return m_work;
    case port_call::time:
    case port_call::log:
    case port_call::stopping:
    case port_call::touch:
    case port_call::fence:
    case port_call::fetch:
        break;
    }
    return {};
}

} // namespace ssdvp::cpu
