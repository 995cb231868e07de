// SPDX-License-Identifier: Apache-2.0
//
// Level "flat": every port call stands for the same number of instructions.
#pragma once

#include "models/cpu/config.h"
#include "models/cpu/instruction_cost.h"

namespace ssdvp::cpu {

class flat_cost final : public instruction_cost {
public:
    explicit flat_cost(const core_config& config);
    instruction_charge charge(port_call call) override;
    [[nodiscard]] const char* level() const override { return "flat"; }

private:
    instruction_charge m_work; // around a call that does work
};

} // namespace ssdvp::cpu
