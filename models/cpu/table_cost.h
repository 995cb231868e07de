// SPDX-License-Identifier: Apache-2.0
//
// Level "full": the program counts what it costs as it runs, in an account that it adds to at each
// basic block. The core empties the account at every port call.
#pragma once

#include <memory>

#include "models/cpu/instruction_cost.h"

namespace ssdvp::cpu {

class table_cost : public instruction_cost {
public:
    /// `held` lives as long: whatever keeps the accounts valid.
    table_cost(spent_accounts& accounts, const char* level, std::shared_ptr<void> held)
        : m_accounts(accounts), m_level(level), m_held(std::move(held))
    {}
    instruction_charge charge(port_call call) override;
    void functional(bool) override { m_accounts.take(); }
    void restarted() override { m_accounts.take(); }
    [[nodiscard]] uncharged open() const override { return {&m_accounts, &m_left}; }
    [[nodiscard]] const char* level() const override { return m_level; }

protected:
    /// Moves what was spent to this core.
    virtual void collect() { keep(m_accounts.take()); }
    void keep(const spent_account& spent);

    spent_accounts& m_accounts; // of the image: the same for all cores that run it
    spent_account m_left{};     // not charged yet

private:
    const char* m_level;
    std::shared_ptr<void> m_held;
};

} // namespace ssdvp::cpu
