// SPDX-License-Identifier: Apache-2.0
//
// Level "full": the program counts what it costs as it runs, in an account that it adds to at each
// basic block. The core empties the account at every port call.
#pragma once

#include <array>
#include <memory>

#include "models/cpu/instruction_cost.h"

namespace ssdvp::cpu {

/// What the program has spent since the last look, in 1/256 instruction and cycle.
struct spent_account {
    std::int64_t instructions;
    std::int64_t cycles;
};

/// An image has several accounts: functions that call each other add to different ones, so that
/// no addition waits for the one before it. Their sum counts.
struct spent_accounts {
    static constexpr std::size_t count = 4;
    std::array<spent_account, count> each;

    /// The sum, and empties them.
    spent_account take()
    {
        spent_account sum{};
        for (const spent_account& one : each) {
            sum.instructions += one.instructions;
            sum.cycles += one.cycles;
        }
        each = {};
        return sum;
    }
};

class table_cost : public instruction_cost {
public:
    /// `held` lives as long: whatever keeps the accounts valid.
    table_cost(spent_accounts& accounts, const char* level, std::shared_ptr<void> held)
        : m_accounts(accounts), m_level(level), m_held(std::move(held))
    {}
    instruction_charge charge(port_call call) override;
    void functional(bool) override { m_accounts.take(); }
    void restarted() override { m_accounts.take(); }
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
