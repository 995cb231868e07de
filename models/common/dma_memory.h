// SPDX-License-Identifier: Apache-2.0
//
// The memory that firmware may point devices to: what the controller has of SRAM, and of DRAM what
// is firmware's.
#pragma once

#include <array>
#include <cstdint>

namespace ssdvp {

struct dma_memory {
    struct area {
        std::uint64_t base = 0;
        std::uint64_t size = ~0ull; // of nobody said: all there is
    };
    std::array<area, 2> areas; // the larger one first

    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t length) const
    {
        for (const area& a : areas) {
            if (address - a.base < a.size && length <= a.size - (address - a.base)) {
                return true;
            }
        }
        return false;
    }
};

/// Of buffers and lists that descriptors point to.
constexpr std::uint64_t dma_alignment = 8;

} // namespace ssdvp
