// SPDX-License-Identifier: Apache-2.0
//
// What a plane of a LUN holds beside its cells: the page registers, and what their contents are.
#pragma once

#include "models/flash/die/cell_array.h"
#include "models/flash/die/errors/bit_errors.h"

namespace ssdvp::flash {

/// A page of a plane, the program mode that a command named for it, and what a read senses of it.
struct page_target {
    static constexpr std::uint32_t all = ~0u;

    cell_address at;
    flash_program_mode mode = FLASH_MODE_NORMAL;
    std::uint32_t part = all; // of a snap read: which of the page's parts, from 0
};

struct plane_registers {
    plane_registers(std::uint32_t page_size, std::uint32_t stored_oob)
        : page(page_size, stored_oob), behind_page(page_size, stored_oob)
    {}
    /// As at power-up, but for the bytes: nobody can read those.
    void reset()
    {
        holds_page = latched = carried_torn = false;
        retry = 0;
        held.mode = target.mode = next.mode = behind.mode = FLASH_MODE_NORMAL;
    }
    /// The register holds what a snap read sensed.
    [[nodiscard]] bool holds_part() const { return holds_page && held.part != page_target::all; }

    page_register page; // to program
    page_register behind_page;
    page_target held;   // that a read left in the register, if it did
    page_target target; // of the program or erase in progress or suspended
    page_target next;   // of the read command being given
    page_target behind; // cache sequence: what the array works on behind the register
    bool holds_page = false;
    std::uint32_t retry = 0;   // read retry level of `held`
    page_noise noise;          // of the page that the register holds
    double carried = 0.0;      // error rate of the page that was copied into `page`
    bool carried_torn = false; // and whether it was torn
    bool latched = false;      // one-pass part: `latch` waits for its word line's last page
    cell_address latch;
};

/// Of a LUN.
using plane_bank = indexed<plane_index, plane_registers>;

} // namespace ssdvp::flash
