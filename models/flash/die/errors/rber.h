// SPDX-License-Identifier: Apache-2.0
//
// Raw bit error rate of a page from what its cells went through. Pure functions, one per cause;
// RBER is their product. No libm but the square root, which IEEE 754 rounds exactly: the same bits
// on every machine.
#pragma once

#include <cstdint>

#include "models/flash/config.h"
#include "models/protocols/flash_indices.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

/// What the cells of a page went through.
struct cell_history {
    page_index page;             // its place in the word line
    std::uint32_t pe_cycles = 0; // of the block
    double retention_days = 0.0; // since the program, at the temperature of the configuration
    std::uint64_t reads = 0;     // of the block since its erase
    std::uint32_t suspends = 0;  // of the block's last erase
    double block = 1.0;          // factor of the block: process variation
    flash_program_mode mode = FLASH_MODE_NORMAL;
    std::uint32_t retry = 0; // read retry level
};

/// How much faster charge leaks at `celsius` than at 30 C: Arrhenius' law, to three significant
/// digits, so that no last bit of the exponential shows.
[[nodiscard]] double acceleration(double activation_energy_ev, double celsius);

class rber_model {
public:
    explicit rber_model(const die_config& config);

    [[nodiscard]] double operator()(const cell_history& h) const;

    // Factors, 1 = no influence.
    [[nodiscard]] double wear(std::uint32_t pe_cycles) const;
    [[nodiscard]] double retention(double days, std::uint32_t pe_cycles) const;
    [[nodiscard]] double disturb(std::uint64_t reads, std::uint32_t pe_cycles) const;
    [[nodiscard]] double suspends(std::uint32_t count, std::uint32_t pe_cycles) const;
    [[nodiscard]] double page_type(page_index page) const;
    [[nodiscard]] double program_mode(flash_program_mode mode) const;
    [[nodiscard]] double retry(std::uint32_t level) const;
    /// Suspends that an erase stands without harm: the safe points of the dynamic policy, in each
    /// of the most loops that an erase may take (Kim, Seo, Kim, J. KICS 50(9), 2025, figure 8).
    [[nodiscard]] std::uint32_t safe_suspends(std::uint32_t pe_cycles) const;

private:
    /// Share of the rated endurance that is used up.
    [[nodiscard]] double used(std::uint32_t pe_cycles) const;

    die_config m_config;
    double m_acceleration;
};

} // namespace ssdvp::flash
