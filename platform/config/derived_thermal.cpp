// SPDX-License-Identifier: Apache-2.0
#include "platform/config/derived.h"

namespace ssdvp::platform {

thermal::thermal_config thermal_of_drive(const ssd_config& c)
{
    thermal::thermal_config t = c.thermal;
    for (thermal::part_config* part : {&t.die, &t.controller, &t.chassis}) {
        part->capacity /= c.thermal_speed;
    }
    return t;
}

} // namespace ssdvp::platform
