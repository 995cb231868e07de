// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/suspend/suspend_policy.h"

#include <iterator>

namespace ssdvp::flash {

namespace {

#define SSDVP_SUSPEND_ENTRY(ID, id, about) suspend_##id,
constexpr const suspend_policy& (*policies[])() = {FLASH_SUSPENDS(SSDVP_SUSPEND_ENTRY)};
#undef SSDVP_SUSPEND_ENTRY

} // namespace

const suspend_policy* find_suspend_policy(std::uint32_t id)
{
    return id < std::size(policies) ? &policies[id]() : nullptr;
}

std::uint32_t suspend_policy_id(suspend_kind kind)
{
    return static_cast<std::uint32_t>(kind);
}

suspend_setting power_up_setting(const suspend_config& config)
{
    const std::uint32_t id = suspend_policy_id(config.kind);
    return {find_suspend_policy(id), static_cast<std::uint8_t>(id), config.programs};
}

} // namespace ssdvp::flash
