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

// Commands of its kind that firmware took after it and has completed already. A drive that is slow
// completes those before it: a long queue of writes is no fault.
template <typename Slots>
std::uint64_t overtaken_by(const command_owner& o, const Slots& slots, const command_order& all)
{
    const auto before = std::count_if(slots.begin(), slots.end(), [&o](const auto& s) {
        return s.owner.firmware && s.owner.kind == o.kind && s.owner.order < o.order;
    });
    return all.ended[o.kind] - (o.order - static_cast<std::uint64_t>(before));
}

// Firmware took it at least `age` ago, and a thousand later ones have overtaken it: told once, by
// tell(slot, how many).
template <typename Slots, typename Tell>
void tell_forgotten(Slots& slots, const command_order& all, sim_time now, sim_time age, Tell tell)
{
    constexpr std::uint64_t many = 1000;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        command_owner& o = slots[slot].owner;
        // Whatever is open before it: no more can have overtaken it.
        const bool few = all.ended[o.kind] + slots.size() < o.order + many;
        if (!o.firmware || o.told || few || now - o.since < age) {
            continue;
        }
        const std::uint64_t later = overtaken_by(o, slots, all);
        o.told = later >= many;
        if (o.told) {
            tell(slot, later);
        }
    }
}

} // namespace ssdvp
