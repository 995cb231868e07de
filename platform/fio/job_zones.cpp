// SPDX-License-Identifier: Apache-2.0
//
// Options of zoned drives.
#include "platform/fio/job_options.h"

namespace ssdvp::platform::fio {

namespace {

constexpr std::uint64_t most_zones = 1u << 20;

void set_zone_mode(const value& v, job_options& o)
{
    const std::size_t mode = choice(v, v.text(), {"none", "zbd", "strided"});
    if (mode == 2) {
        v.refuse(v.text(), "a stride over parts of the range", "give offset and size");
    }
    o.zoned_at.reset();
    if (mode == 1) {
        o.zoned_at = v.text();
    }
}

void set_open_zones(const value& v, job_options& o)
{
    const auto n = static_cast<std::uint32_t>(number(v, v.text(), 0, most_zones));
    const std::uint32_t before = o.job.open_zones;
    o.job.open_zones = before == 0 || (n != 0 && n < before) ? n : before;
}

/// Options of zones that have one value here.
void expect_zero(const value& v, job_options&)
{
    const bool share = v.text().text.find('.') != std::string::npos;
    if (share ? real(v, v.text(), 0.0, 1.0) > 0.0 : bytes(v, v.text()) != 0) {
        v.refuse(v.text(), "the zones of a drive are next to each other, and reset when full",
                 "remove it");
    }
}

} // namespace

const std::vector<option_row>& zone_rows()
{
    static const std::vector<option_row> rows = {
        {"zonemode", set_zone_mode},
        {"zonesize",
         [](const value& v, job_options& o) {
             o.zone_size = v.text();
             o.zone_size_bytes = bytes(v, v.text());
         }},
        {"max_open_zones", set_open_zones},
        {"job_max_open_zones", set_open_zones},
        {"zoneskip", expect_zero},
        {"zone_reset_threshold", expect_zero},
        {"zone_reset_frequency", expect_zero},
    };
    return rows;
}

} // namespace ssdvp::platform::fio
