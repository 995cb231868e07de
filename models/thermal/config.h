// SPDX-License-Identifier: Apache-2.0
//
// Keys `thermal.*`: what the drive is made of as heat sees it (docs/heat.md).
#pragma once

#include "models/common/time.h"

namespace ssdvp::thermal {

/// Resistance towards what lies outside, and capacity.
struct part_config {
    double resistance = 1.0; // K/W
    double capacity = 1.0;   // J/K
};

struct thermal_config {
    bool on = false;
    double ambient = 25.0; // degrees Celsius, as are all temperatures here
    double start = 25.0;   // of all parts, at power-on
    part_config die;       // each, towards the case
    part_config controller;
    part_config chassis; // case and board, towards ambient
    sim_time step;       // from one conversion of the sensors to the next, at least
};

} // namespace ssdvp::thermal
