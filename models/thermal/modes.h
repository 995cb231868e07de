// SPDX-License-Identifier: Apache-2.0
//
// Three heat capacities in a chain of resistances, by their modes: combinations of temperatures
// each of which approaches its end exponentially, with a time constant of its own. So any time of
// constant power is one step, and exact.
#pragma once

#include <array>

namespace ssdvp::thermal {

inline constexpr std::size_t nodes = 3;
using node_values = std::array<double, nodes>;

/// 1 - e^(-rate x seconds): how much of the way to its end something has gone.
[[nodiscard]] double gone_after(double rate, double seconds);

class modes {
public:
    /// `conductance`: W/K, symmetric, ambient in its diagonal. `capacity`: J/K.
    modes(const std::array<node_values, nodes>& conductance, const node_values& capacity);

    struct result {
        node_values end;      // K above ambient
        node_values integral; // K s, over the step
    };
    /// `seconds` later, with `power` in watts.
    [[nodiscard]] result after(double seconds, const node_values& above,
                               const node_values& power) const;
    /// Of the modes, 1/s.
    [[nodiscard]] const node_values& rates() const { return m_rate; }

private:
    node_values m_root; // of the capacities
    node_values m_rate;
    std::array<node_values, nodes> m_vector; // [node][mode], orthonormal
};

} // namespace ssdvp::thermal
