// SPDX-License-Identifier: Apache-2.0
//
// What a RAM drive is made of, and which of its blocks are bad or weak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <tuple>
#include <vector>

#include "models/regs/boot_params.h"
#include "models/regs/channel_regs.h"

struct firmware_image;

namespace ssdvp::test {

inline constexpr std::uint32_t sector = 512;
inline constexpr std::uint64_t ram_host_base = 1ull << 32; // of the host's memory

struct nand_place {
    std::uint32_t channel, lun, plane, block;
    bool operator<(const nand_place& o) const
    {
        return std::tie(channel, lun, plane, block) < std::tie(o.channel, o.lun, o.plane, o.block);
    }
};

struct flash_point {
    flash_op op;
    flash_purpose purpose;
    bool ended;
};

struct ram_config {
    boot_params params{};
    const firmware_image* firmware = nullptr; // nullptr: the one in the tree
    std::uint32_t slots = 32;                 // front-end command slots
    std::uint32_t queue_max = 4;              // I/O queue pairs
    std::uint32_t vectors = 5;
    std::uint32_t queue_entries = 256;
    std::uint64_t seed = 1;
    bool random_delays = true; // false: everything ends in the order it was started
    std::uint32_t endurance = 0;
    std::uint32_t host_memory = 0;  // bytes from ram_host_base on that a host can lend; 0 = none
    std::uint32_t damage_every = 0; // ... of which so many reads get changed bytes; 0 = none
    std::set<nand_place> factory_bad;
    std::set<nand_place> weak; // programs fail from page `weak_page` on
    std::uint32_t weak_page = 2;
    std::set<nand_place> erase_weak;                                  // erases fail
    std::function<bool(const nand_place&, std::uint32_t)> unreadable; // block, page; at any level
    /// Called for each plane of each read with data or of recovery: what becomes of it.
    struct read_result {
        bool uncorrectable = false;
        std::uint32_t corrected_bits = 0;
        bool oob_lost = false; // the out-of-band bytes of an uncorrectable page are garbage too
    };
    std::function<read_result(const nand_place&, const flash_desc&)> on_read;
    /// Likewise: true = it fails, and the block with it.
    std::function<bool(const nand_place&, const flash_desc&)> on_program;
    std::function<bool(const nand_place&, const flash_desc&)> on_erase;
    /// Called when an operation of the array begins and when its cells are done: true cuts the
    /// power there, before anybody hears of it.
    std::function<bool(const flash_point&)> on_point;
    /// Called when the device has written to memory that firmware sees.
    std::function<void(std::uint64_t address, const std::uint8_t* bytes, std::size_t size)>
        on_memory;
    bool impatient = false; // true: the host comes when boot is through, not when all is at rest
    bool quiet = false;     // true: a panic is not printed
    bool any_order =
        false;            // true: a page may be programmed whenever it is erased (small-block SLC)
    bool clock = false;   // true: time goes on while the power is off
    bool planted = false; // true: pages were put there by hand; an erased one is no ECC code word
};

/// Parameters of a tiny drive; tests change what they need.
ram_config tiny_drive();
/// One plane whose pages are units of a sector, 384 of them for the user, and no checkpoint on the
/// way: for counts by hand.
ram_config one_plane();

/// Superblocks more, in the middle, of which nothing is good but the anchor's blocks: the others
/// stay whole.
void anchor_apart(ram_config& c);

struct nand_page {
    std::vector<std::uint64_t> words;
    std::vector<std::uint64_t> tags;
};

struct host_completion {
    std::uint32_t id = 0; // what submit() returned
    std::uint16_t status = 0;
    std::uint32_t dw0 = 0;
    std::uint8_t wait = 0;    // enum fe_wait of the last move
    std::uint8_t flags = 0;   // FE_MOVE_*, SFE_MOVE_*, likewise
    std::uint64_t result = 0; // SFE_RESULT
};

} // namespace ssdvp::test
