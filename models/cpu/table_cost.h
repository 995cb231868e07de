// SPDX-License-Identifier: Apache-2.0
//
// Level "full": the program counts what it costs as it runs, in an account that it adds to at each
// basic block. The core empties the account at every port call.
#pragma once

#include <memory>

#include "models/cpu/instruction_cost.h"

namespace ssdvp::cpu {

/// What the program has spent since the last look, in 1/256 instruction and cycle.
struct spent_account {
    std::int64_t instructions;
    std::int64_t cycles;
};

class table_cost : public instruction_cost {
public:
    /// `held` lives as long: whatever keeps the account valid.
    table_cost(spent_account& account, const char* level, std::shared_ptr<void> held)
        : m_account(account), m_level(level), m_held(std::move(held))
    {}
    instruction_charge charge(port_call call) override;
    void functional(bool) override { m_account = {}; }
    void restarted() override { m_account = {}; }
    [[nodiscard]] const char* level() const override { return m_level; }

protected:
    /// Moves what was spent to this core.
    virtual void collect();

    spent_account& m_account; // of the image: one for all cores that run it
    spent_account m_left{};   // not charged yet

private:
    const char* m_level;
    std::shared_ptr<void> m_held;
};

} // namespace ssdvp::cpu
