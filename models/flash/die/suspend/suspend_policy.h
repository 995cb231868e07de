// SPDX-License-Identifier: Apache-2.0
//
// Where a die may interrupt an erase (ALGORITHMS.md section 7). The channel asks; the die answers
// by its policy. One file per policy and one line in the table.
#pragma once

#include <cstdint>
#include <optional>

#include "models/common/time.h"
#include "models/flash/config.h"

namespace ssdvp::flash {

/// An erase in progress: `done` of it was executed before `resumed`, since when it runs.
struct erase_progress {
    erase_timing timing;
    sim_time done;
    sim_time resumed;

    [[nodiscard]] sim_time total() const { return timing.loops * timing.loop_time; }
    [[nodiscard]] sim_time finish() const { return resumed + (total() - done); }
};

class suspend_policy {
public:
    suspend_policy() = default;
    suspend_policy(const suspend_policy&) = delete;
    suspend_policy& operator=(const suspend_policy&) = delete;
    virtual ~suspend_policy() = default;

    [[nodiscard]] virtual const char* name() const = 0;
    /// Is it any use asking?
    [[nodiscard]] virtual bool interrupts() const = 0;
    /// When the pulse train stops for a suspend that was asked for at `asked`; nothing = it runs
    /// on. The array accepts a read `suspend_overhead` later.
    [[nodiscard]] virtual std::optional<sim_time> stop(const erase_progress& erase,
                                                       sim_time asked) const = 0;
};

/// The policy of an enum flash_suspend_policy value, as the SUSPEND register holds it; nullptr when
/// nothing implements it.
[[nodiscard]] const suspend_policy* find_suspend_policy(std::uint32_t id);
/// Register value of a configured policy.
[[nodiscard]] std::uint32_t suspend_policy_id(suspend_kind kind);

const suspend_policy& suspend_none();
const suspend_policy& suspend_immediate();

} // namespace ssdvp::flash
