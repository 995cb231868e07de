// SPDX-License-Identifier: Apache-2.0
//
// Energy by what draws it, and by where it becomes heat. In integers, so that a sum does not depend
// on its order.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "models/common/histogram.h"

namespace ssdvp::platform {

/// Of blocks that work or wait.
struct spent {
    uint128 active = 0;
    uint128 idle = 0;

    [[nodiscard]] uint128 sum() const { return active + idle; }
};

/// In units of 1e-27 J: 1 uA x 1 mV x 1 ps, in millionths because a share has so many digits.
struct energy_parts {
    std::array<uint128, 3> array{}; // read, program, erase
    uint128 bus = 0;
    uint128 io = 0;
    uint128 nand_idle = 0;
    spent channels;
    spent ecc;
    spent dram_phy;
    spent link;
    spent cores;
    std::array<uint128, 5> dram{}; // activate, read, write, refresh, background
    uint128 asleep = 0;            // in non-operational power states, in place of all of these

    [[nodiscard]] uint128 nand() const
    {
        return array[0] + array[1] + array[2] + bus + io + nand_idle;
    }
    [[nodiscard]] uint128 memory() const { return dram[0] + dram[1] + dram[2] + dram[3] + dram[4]; }
    [[nodiscard]] uint128 controller() const
    {
        return channels.sum() + ecc.sum() + dram_phy.sum() + link.sum() + cores.sum();
    }
    [[nodiscard]] uint128 sum() const { return nand() + memory() + controller() + asleep; }
};

/// Where it becomes heat, in the same units.
struct energy_places {
    std::vector<uint128> luns; // by channel, then LUN
    uint128 controller = 0;    // its blocks, and what a drive asleep draws
    uint128 board = 0;         // DRAM
};

/// f(of a, of b) of each.
template <class F>
void each_part(energy_parts& a, const energy_parts& b, F f)
{
    for (std::size_t i = 0; i < a.array.size(); ++i) {
        f(a.array[i], b.array[i]);
    }
    for (std::size_t i = 0; i < a.dram.size(); ++i) {
        f(a.dram[i], b.dram[i]);
    }
    f(a.bus, b.bus);
    f(a.io, b.io);
    f(a.nand_idle, b.nand_idle);
    for (const auto block : {&energy_parts::channels, &energy_parts::ecc, &energy_parts::dram_phy,
                             &energy_parts::link, &energy_parts::cores}) {
        f((a.*block).active, (b.*block).active);
        f((a.*block).idle, (b.*block).idle);
    }
}

/// Likewise; `a` has as many LUNs as `b` then.
template <class F>
void each_place(energy_places& a, const energy_places& b, F f)
{
    a.luns.resize(std::max(a.luns.size(), b.luns.size()));
    for (std::size_t i = 0; i < b.luns.size(); ++i) {
        f(a.luns[i], b.luns[i]);
    }
    f(a.controller, b.controller);
    f(a.board, b.board);
}

} // namespace ssdvp::platform
