// SPDX-License-Identifier: Apache-2.0
//
// The submission and completion rings of a channel, in memory, and the registers that place them.
#pragma once

#include <cstdint>

#include "models/flash/channel/dma.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

class rings {
public:
    explicit rings(dma& memory) : m_memory(memory) {}

    /// As at power-up: no rings.
    void reset();
    /// Ring registers only (up to CQ_HEAD). False: no such register, or a value out of range.
    bool write(std::uint32_t offset, std::uint32_t value);
    [[nodiscard]] std::uint32_t read(std::uint32_t offset) const;

    [[nodiscard]] bool has_descriptor() const { return m_sq.size != 0 && m_sq_head != m_sq.index; }
    /// Takes the next descriptor. False when there is none or memory has no DMI.
    bool take(flash_desc& d);
    [[nodiscard]] bool can_post() const;
    /// Writes the next completion entry, with its phase bit. Precondition: can_post().
    bool post(flash_completion& c);

private:
    struct ring {
        std::uint64_t base = 0;
        std::uint32_t size = 0;  // entries
        std::uint32_t index = 0; // the register firmware writes: SQ_TAIL or CQ_HEAD
    };
    bool resize(ring& r, std::uint32_t entries);
    static bool move(ring& r, std::uint32_t index);

    dma& m_memory;
    ring m_sq;
    ring m_cq;
    std::uint32_t m_sq_head = 0;
    std::uint32_t m_cq_tail = 0;
    std::uint8_t m_phase = 1;
};

} // namespace ssdvp::flash
