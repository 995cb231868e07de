// SPDX-License-Identifier: Apache-2.0
//
// Errors of the part and the code of the channel that corrects them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/time.h"

namespace ssdvp::flash {

/// Temperature that retention is told for.
inline constexpr double retention_celsius = 30.0;

/// Raw bit errors of a part: RBER is the product of these terms (die/errors/rber.h).
struct error_config {
    double rber = 0.0;      // lower page of a new block, just programmed; 0 = no bit errors
    double wear = 0.0;      // growth at the rated endurance; goes with the square of the wear
    double retention = 0.0; // growth after a year at 30 C at the rated endurance; half of it new
    double retention_scale = 1.0; // time compression: seconds of retention per simulated second
    double retention_age = 0.0;   // days at `temperature` that preconditioned data lie already
    double temperature = retention_celsius; // of the cells, degrees Celsius
    double activation_energy = 1.1;         // eV, for Arrhenius' law
    double read_disturb = 0.0;          // growth by a million reads of the block at rated endurance
    double suspend_gain = 0.0;          // per suspend of the block's erase beyond what is safe ...
    std::uint32_t suspend_exponent = 2; // ... raised to this power
    /// By page of a word line, or one for all; empty: by the read levels that each page compares.
    std::vector<double> page_factor;
    double block_spread = 0.0;      // standard deviation between blocks, as a share of the mean
    std::vector<double> retry_gain; // factor on RBER at each read retry level, the first is level 1
    double program_fail = 0.0;      // probability that a program fails, and its block with it
    double erase_fail = 0.0;        // the same of an erase
    double shallow_factor = 2.0;    // RBER of the program modes, relative to the normal one
    double slc_factor = 0.1;

    [[nodiscard]] bool any() const { return rber > 0.0 || program_fail > 0.0 || erase_fail > 0.0; }
};

enum class ecc_kind : std::uint8_t { none, bch, ldpc };

/// The channel's code. A code word covers `codeword` data bytes from a multiple of that size on.
struct ecc_config {
    ecc_kind kind = ecc_kind::bch;
    std::uint32_t codeword = 1024;  // bytes, a power of two
    std::uint32_t correctable = 72; // bits per code word, by hard decision
    std::uint32_t parity = 0;       // bytes of all code words of a page; 0 = none is known
    // LDPC: what each soft step corrects, rising, and how long it takes (one time for all, or each
    // its own), the sensing of its soft information included.
    std::vector<std::uint64_t> soft_correctable;
    std::vector<sim_time> soft_latency;
};

} // namespace ssdvp::flash
