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

constexpr std::array<entry, 2> table = {{
    {FLASH_SUSPEND_NONE, suspend_kind::none, suspend_none},
    {FLASH_SUSPEND_IMMEDIATE, suspend_kind::immediate, suspend_immediate},
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

} // namespace ssdvp::flash
