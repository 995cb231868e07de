// SPDX-License-Identifier: Apache-2.0
//
// The submission and completion rings of a channel, in memory, and the registers that place them.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/state_archive.h"
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
    /// Place in the ring of the descriptor that take() has returned.
    [[nodiscard]] std::uint32_t taken() const { return m_taken; }
    /// What `value`, which write() has refused, breaks.
    [[nodiscard]] std::string refusal(std::uint32_t offset, std::uint32_t value) const;
    /// Firmware has not read so far: `head` lies behind what is posted.
    [[nodiscard]] bool beyond_posted(std::uint32_t head) const;
    /// The completions that it may read, for messages.
    [[nodiscard]] std::string unread() const;

    /// Takes the next descriptor. False when there is none or memory has no DMI.
    bool take(flash_desc& d);
    [[nodiscard]] bool can_post() const;
    /// Writes the next completion entry, with its phase bit. Precondition: can_post().
    bool post(flash_completion& c);

    void keep(state_archive& a)
    {
        for (ring* r : {&m_sq, &m_cq}) {
            a.value(r->base);
            a.value(r->size);
            a.value(r->index);
        }
        for (std::uint32_t* i : {&m_sq_head, &m_taken, &m_cq_tail}) {
            a.value(*i);
        }
        a.value(m_phase);
    }

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
    std::uint32_t m_taken = 0;
    std::uint32_t m_cq_tail = 0;
    std::uint8_t m_phase = 1;
};

} // namespace ssdvp::flash
