// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/suspend/suspend_policy.h"

#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

namespace {

struct entry {
    std::uint32_t id;
    suspend_kind kind;
    const suspend_policy& (*policy)();
};

#define SSDVP_SUSPEND_ENTRY(ID, id, about) {FLASH_SUSPEND_##ID, suspend_kind::id, suspend_##id},
constexpr entry table[] = {FLASH_SUSPENDS(SSDVP_SUSPEND_ENTRY)};
#undef SSDVP_SUSPEND_ENTRY

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
