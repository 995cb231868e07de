// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/table_cost.h"

namespace ssdvp::cpu {

namespace {

/// Takes the whole ones out. Entries of the tables may be negative, so that a balance may be too
/// for a while: it waits.
std::uint64_t take(std::int64_t& left)
{
    if (left < spent_account::one) {
        return 0;
    }
    const std::int64_t whole = left / spent_account::one;
    left -= whole * spent_account::one;
    return static_cast<std::uint64_t>(whole);
}

} // namespace

void table_cost::keep(const spent_account& spent)
{
    m_left.instructions += spent.instructions;
    m_left.cycles += spent.cycles;
}

instruction_charge table_cost::charge(port_call)
{
    collect();
    instruction_charge c;
    c.instructions = take(m_left.instructions);
    c.cycles = take(m_left.cycles);
    return c;
}

} // namespace ssdvp::cpu
