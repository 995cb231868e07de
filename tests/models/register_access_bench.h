// SPDX-License-Identifier: Apache-2.0
//
// Holds a block's registers to the rows that models/regs/*.rdl generate.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "tests/support/register_table.h"

namespace ssdvp::test {

/// A block's registers as a master sees them.
struct register_port {
    std::function<std::optional<std::uint32_t>(std::uint32_t offset)> read; // nothing = refused
    std::function<bool(std::uint32_t offset, std::uint32_t value)> write;   // false = refused
    /// Sets all bits of a register that a written 1 clears.
    std::function<void(std::uint32_t offset)> set_all = [](std::uint32_t) {};
    /// How many of an array of `count` the configuration has.
    std::uint32_t array_entries = 1;
    /// Does every value have a meaning only together with other registers?
    std::set<std::string> in_context{};
};

class register_check {
public:
    register_check(const std::vector<register_row>& rows, register_port port)
        : m_rows(rows), m_port(std::move(port))
    {}

    /// Everything below, in an order that leaves rings open for the doorbells.
    void all(std::uint32_t window);
    /// Values at reset, reserved bits included.
    void reset();
    void read_only();
    /// Bits that just keep what is written: each in both states, and no register is another's
    /// shadow. The values at reset come back.
    void plain();
    void set_and_clear();
    /// At and beyond each end of what a register takes; the least value stays.
    void limits();
    /// Rings of the least size are open: index 0 is there, one past the end is not.
    void doorbells();
    void write_only();
    /// Between and behind the registers there is nothing: refused, or zeroes that stay.
    void undescribed(std::uint32_t window);

private:
    /// Calls act(row, offset) for each register that is there.
    template <typename F>
    void each(const F& act);
    void write_plain(const register_row& row, std::uint32_t at, std::uint32_t value);
    void check_plain(const register_row& row, std::uint32_t at, std::uint32_t value);
    void refused(std::uint32_t at, std::uint32_t value);

    const std::vector<register_row>& m_rows;
    register_port m_port;
};

} // namespace ssdvp::test
