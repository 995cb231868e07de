// SPDX-License-Identifier: Apache-2.0
//
// Where a die may interrupt an erase (docs/models/die.md, Timing). The channel asks; the die
// answers by its policy. One file per policy and one line in
// models/regs/choices/suspend_policy.h.
#pragma once

#include <cstdint>

#include "models/flash/config.h"

namespace ssdvp::flash {

class suspend_policy {
public:
    suspend_policy() = default;
    suspend_policy(const suspend_policy&) = delete;
    suspend_policy& operator=(const suspend_policy&) = delete;
    virtual ~suspend_policy() = default;

    [[nodiscard]] virtual const char* name() const = 0;
    /// Is it any use asking?
    [[nodiscard]] virtual bool interrupts() const { return true; }
    /// Safe points per erase loop of a block with so many P/E cycles; 0 = it may stop anywhere.
    [[nodiscard]] virtual std::uint32_t safe_points(const suspend_config& config,
                                                    std::uint32_t pe_cycles) const = 0;
};

/// The policy of an enum flash_suspend_policy value; nullptr when nothing implements it.
[[nodiscard]] const suspend_policy* find_suspend_policy(std::uint32_t id);
/// enum flash_suspend_policy of a configured policy.
[[nodiscard]] std::uint32_t suspend_policy_id(suspend_kind kind);

/// What a die goes by, from power-up until Set Features says otherwise.
struct suspend_setting {
    const suspend_policy* policy = nullptr; // that of `id`, never null
    std::uint8_t id = 0;                    // enum flash_suspend_policy
    bool programs = false;                  // they may stop between two of their loops
};
[[nodiscard]] suspend_setting power_up_setting(const suspend_config& config);

#define SSDVP_SUSPEND_OF(ID, id, about) const suspend_policy& suspend_##id();
FLASH_SUSPENDS(SSDVP_SUSPEND_OF)
#undef SSDVP_SUSPEND_OF

} // namespace ssdvp::flash
