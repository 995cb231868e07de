// SPDX-License-Identifier: Apache-2.0
//
// Rules between keys: the buffer.
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t group_units_most = 1u << 20;
constexpr std::uint64_t slots_most = (1u << 27) - 1; // that the tag of a move can name

void check_group(const rejection& reject, const ssd_config& c)
{
    const std::uint64_t unit = c.ftl.map_unit;
    if (c.cache.group % unit != 0) {
        reject("cache.group",
               fmt::format("{} bytes are no multiple of ftl.map_unit", c.cache.group),
               fmt::format("use a multiple of {}B", unit));
    }
    if (c.cache.group / unit > group_units_most) {
        reject(
            "cache.group",
            fmt::format("{} units in a group, {} at most", c.cache.group / unit, group_units_most),
            fmt::format("use {}B or less", group_units_most * unit));
    }
}

void check_read_ahead(const rejection& reject, const ssd_config& c)
{
    const std::uint64_t most = c.cache.capacity / 2;
    if (c.cache.read_ahead % c.ftl.map_unit != 0) {
        reject("cache.read_ahead",
               fmt::format("{} bytes are no multiple of ftl.map_unit", c.cache.read_ahead),
               fmt::format("use a multiple of {}B", c.ftl.map_unit));
    }
    if (c.cache.read_ahead > most) {
        reject("cache.read_ahead",
               fmt::format("{} bytes are more than half of cache.capacity", c.cache.read_ahead),
               fmt::format("use {}B or less, or more cache.capacity", most));
    }
}

} // namespace

void check_cache(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (c.cache.dirty_limit > 0.0 && buffer_dirty_permille(c) == 0) {
        reject("cache.dirty_limit", "firmware counts it in thousandths", "use 0.001 or more, or 0");
    }
    if (buffer_slots(c) > slots_most) {
        reject(
            "cache.capacity",
            fmt::format("{} units of {}B, {} at most", buffer_slots(c), c.ftl.map_unit, slots_most),
            fmt::format("use {}GiB or less, or a larger ftl.map_unit",
                        (slots_most * c.ftl.map_unit) >> 31));
    }
    if (groups_buffer(c)) {
        check_group(reject, c);
    }
    if (c.cache.read_ahead != 0) {
        check_read_ahead(reject, c);
    }
}

} // namespace ssdvp::platform
