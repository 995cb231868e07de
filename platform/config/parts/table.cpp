// SPDX-License-Identifier: Apache-2.0
//
// What is done for all parts, in the order of their table.
#include "platform/config/parts/table.h"

#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

#define SSDVP_PART_ADDRESS(id) &parts::id,
constexpr const config_part* all_parts[] = {CONFIG_PARTS(SSDVP_PART_ADDRESS)};
#undef SSDVP_PART_ADDRESS

} // namespace

const std::vector<option>& option_table()
{
    static const std::vector<option> table = [] {
        std::vector<option> all;
        for (const config_part* part : all_parts) {
            append(all, part->options());
        }
        divide_by_interface(all);
        return all;
    }();
    return table;
}

void complete(const raw_tree& raw, ssd_config& c, preset_fit& fit)
{
    for (const config_part* part : all_parts) {
        if (part->complete != nullptr) {
            part->complete(raw, c, fit);
        }
    }
}

void check(const raw_tree& raw, const ssd_config& c)
{
    for (const config_part* part : all_parts) {
        if (part->check_division != nullptr) {
            part->check_division(raw, c);
        }
    }
    for (const config_part* part : all_parts) {
        if (part->check != nullptr) {
            part->check(raw, c);
        }
    }
}

void fill_parts(boot_params& p, const ssd_config& c)
{
    for (const config_part* part : all_parts) {
        if (part->fill != nullptr) {
            part->fill(p, c);
        }
    }
}

} // namespace ssdvp::platform
