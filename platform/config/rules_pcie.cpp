// SPDX-License-Identifier: Apache-2.0
//
// The PCI Express link: what its generation decides, and the rules between its keys.
#include <fmt/format.h>

#include "models/pcie/tlp_cost.h"
#include "platform/config/rules.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

void complete_pcie(const raw_tree& raw, ssd_config& c)
{
    if (raw.values.count("host.pcie.tags") == 0) {
        c.pcie.tags = pcie::usual_tags(c.pcie.generation);
    }
    c.pcie.seed = c.run.seed;
}

/// A receiver must have room for the largest TLP (PCI Express base 5.0, table 2-46), or such a TLP
/// would wait for ever.
void check_pcie(const raw_tree& raw, const ssd_config& c)
{
    struct data_credits {
        const char* key;
        std::uint32_t units;
    };
    const data_credits all[] = {
        {"host.pcie.host_credits.posted_data", c.pcie.host_credits.posted_data},
        {"host.pcie.device_credits.completion_data", c.pcie.device_credits.completion_data},
    };
    for (const data_credits& d : all) {
        if (d.units != 0 && d.units * pcie::credit_unit < c.pcie.max_payload_size) {
            rejection{raw}(d.key,
                           fmt::format("{} units of 16 B do not hold one payload of "
                                       "host.pcie.max_payload_size {}",
                                       d.units, format_size(c.pcie.max_payload_size)),
                           fmt::format("use {} or more, 0 for infinite, or a smaller "
                                       "host.pcie.max_payload_size",
                                       c.pcie.max_payload_size / pcie::credit_unit));
        }
    }
}

} // namespace ssdvp::platform
