// SPDX-License-Identifier: Apache-2.0
//
// Where heat goes: from each die and from the controller into the case, from there to ambient.
//
//     die 0 ..n --R_die---+
//     controller --R_ctl--+-- case --R_case-- ambient
//
// All dies are alike. So their mean is one node of n times the capacity, and what a die has more
// than the mean decays by itself with R_die C_die: both are exact, whatever the number of dies.
#pragma once

#include <vector>

#include "models/common/state_archive.h"
#include "models/thermal/config.h"
#include "models/thermal/modes.h"

namespace ssdvp::thermal {

/// Joules, or watts, of each part.
struct heat {
    std::vector<double> dies;
    double controller = 0.0;
    double chassis = 0.0; // what lies on the board: DRAM

    void subtract(const heat& other);
    void keep(state_archive& a);
};

class network {
public:
    network(const thermal_config& config, std::size_t dies);

    /// `seconds` pass with this power.
    void advance(double seconds, const heat& watts);
    void keep(state_archive& a);

    // Degrees Celsius.
    [[nodiscard]] double die(std::size_t i) const { return flash() + m_deviation[i]; }
    [[nodiscard]] double flash() const { return m_ambient + m_above[0]; } // mean of the dies
    [[nodiscard]] double hottest_die() const;
    [[nodiscard]] double controller() const { return m_ambient + m_above[1]; }
    [[nodiscard]] double chassis() const { return m_ambient + m_above[2]; }
    /// What firmware calls the temperature of the drive: its hottest part.
    [[nodiscard]] double composite() const;
    /// Seconds of constant power after which nothing is left of how it began.
    [[nodiscard]] double settles_in() const;

    // Joules since power-on.
    [[nodiscard]] double given_off() const { return m_given_off; }
    [[nodiscard]] double stored() const; // may be negative
    [[nodiscard]] double taken() const { return m_taken; }

private:
    double m_ambient;
    double m_start;
    part_config m_die;
    node_values m_capacity;
    double m_to_ambient; // W/K
    modes m_modes;
    node_values m_above;             // ambient: mean of the dies, controller, case
    std::vector<double> m_deviation; // of each die from their mean
    double m_given_off = 0.0;
    double m_taken = 0.0;
};

} // namespace ssdvp::thermal
