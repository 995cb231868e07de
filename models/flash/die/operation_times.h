// SPDX-License-Identifier: Apache-2.0
//
// How long the array takes for what: the part's lists, the program modes, and word lines that are
// programmed in one pass (docs/models/die.md, Timing). Pure functions of the configuration.
#pragma once

#include "models/flash/bus/interface_modes.h"
#include "models/flash/config.h"
#include "models/flash/die/plane_registers.h"
#include "models/flash/die/pulse_train.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

class operation_times {
public:
    /// Of the bus, tFEAT counts. `config` outlives this.
    operation_times(const die_config& config, const cycle_times& bus)
        : m_config(config), m_tFEAT(bus.tFEAT)
    {}

    /// Of `page`, in the mode of `next`; `retry`: read retry level.
    [[nodiscard]] sim_time read(page_index page, std::uint32_t retry,
                                flash_program_mode mode) const;
    /// Of a part of `page`. Precondition: the part has snap reads.
    [[nodiscard]] sim_time snap_read(page_index page) const;
    /// Of `target`; without a time of its own it is that of `page`.
    [[nodiscard]] sim_time program(page_index page, const page_target& target) const;
    /// Of a two-pass part: one pass of `target`, or a page that it only loads.
    [[nodiscard]] sim_time pass(const page_target& target, bool fine) const;
    /// `loops`: that the slowest of the blocks takes.
    [[nodiscard]] sim_time erase(std::uint32_t loops, flash_program_mode mode) const;
    [[nodiscard]] sim_time parameter_page() const { return m_config.timing.tR.front(); }
    [[nodiscard]] sim_time features() const { return m_tFEAT; }
    [[nodiscard]] sim_time reset() const { return m_config.timing.tRST; }

    /// The program or erase that begins at `begin`, as the loops between which it may stop.
    [[nodiscard]] pulse_train train_of(bool erases, sim_time begin, sim_time length) const;
    /// Does the program of this page leave it in the latches, for its word line's last page?
    [[nodiscard]] bool only_latched(const page_target& target) const;
    /// Do programs of the mode load a word line's pages before they program it?
    [[nodiscard]] bool has_latches(flash_program_mode mode) const
    {
        return (m_config.one_pass || m_config.two_pass) && mode == FLASH_MODE_NORMAL;
    }
    /// Does the part have the mode of this prefix?
    [[nodiscard]] bool has_mode(flash_program_mode mode) const;

private:
    [[nodiscard]] sim_time word_line() const;

    const die_config& m_config;
    sim_time m_tFEAT;
};

} // namespace ssdvp::flash
