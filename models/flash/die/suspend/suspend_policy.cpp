// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/suspend/suspend_policy.h"

#include <array>

#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

namespace {

struct entry {
    std::uint32_t id;
    suspend_kind kind;
    const suspend_policy& (*policy)();
};

constexpr std::array<entry, 5> table = {{
    {FLASH_SUSPEND_NONE, suspend_kind::none, suspend_none},
    {FLASH_SUSPEND_IMMEDIATE, suspend_kind::immediate, suspend_immediate},
    {FLASH_SUSPEND_DEFERRED, suspend_kind::deferred, suspend_deferred},
    {FLASH_SUSPEND_SAFE_POINT_STATIC, suspend_kind::safe_point_static, suspend_safe_point_static},
    {FLASH_SUSPEND_SAFE_POINT_DYNAMIC, suspend_kind::safe_point_dynamic,
     suspend_safe_point_dynamic},
}};

} // namespace

const suspend_policy* find_suspend_policy(std::uint32_t id)
{
    for (const entry& e : table) {
        if (e.id == id) {
            return &e.policy();
        }
    }
    return nullptr;
}

std::uint32_t suspend_policy_id(suspend_kind kind)
{
    for (const entry& e : table) {
        if (e.kind == kind) {
            return e.id;
        }
    }
    return FLASH_SUSPEND_NONE;
}

suspend_setting power_up_setting(const suspend_config& config)
{
    const std::uint32_t id = suspend_policy_id(config.kind);
    return {find_suspend_policy(id), static_cast<std::uint8_t>(id), config.programs};
}

} // namespace ssdvp::flash
