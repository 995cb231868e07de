// SPDX-License-Identifier: Apache-2.0
//
// Commands that firmware has taken from a front end and not completed: which, oldest first, and
// which of them it has forgotten. Slots are a front end's own, with a command_owner each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/common/command_owner.h"

namespace ssdvp {

constexpr std::size_t open_told_at_most = 4;

// Those that count(slot) takes; name(slot) describes one.
template <typename Slots, typename Count, typename Name>
std::string describe_open(const Slots& slots, Count count, Name name)
{
    std::vector<std::size_t> open;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        if (slots[slot].owner.firmware && count(slot)) {
            open.push_back(slot);
        }
    }
    std::stable_sort(open.begin(), open.end(), [&slots](std::size_t a, std::size_t b) {
        return slots[a].owner.since < slots[b].owner.since;
    });
    std::string text;
    for (std::size_t i = 0; i < open.size() && i < open_told_at_most; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : "; ", name(open[i]));
    }
    return open.size() > open_told_at_most
               ? fmt::format("{}; and {} more", text, open.size() - open_told_at_most)
               : text;
}

// Firmware took it at least `age` ago and has completed a thousand others since, `ended` in all:
// told once.
inline bool is_forgotten(command_owner& o, sim_time now, sim_time age, std::uint64_t ended)
{
    constexpr std::uint64_t many_others = 1000;
    if (!o.firmware || o.told || ended - o.ended_before < many_others || now - o.since < age) {
        return false;
    }
    o.told = true;
    return true;
}

} // namespace ssdvp
