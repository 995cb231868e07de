// SPDX-License-Identifier: Apache-2.0
//
// What the front ends of all host interfaces have towards firmware: the three rings and their
// registers, mover completions and those that wait for room, the interrupt, DMA. Registers 00h to
// 34h are the same in nvme_fe_regs.h and sata_fe_regs.h.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/command_owner.h"
#include "models/common/dma_memory.h"
#include "models/common/dma_result.h"
#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/common/ring_view.h"
#include "models/common/timeline.h"
#include "models/regs/nvme_fe_regs.h"

namespace ssdvp {

/// What a front end shares with the drive around it; pointers may be null.
struct front_end_links {
    latency_ledger* ledger = nullptr;
    fault_log* faults = nullptr;
    unsigned desk = 0; // of the core that orders moves (latency_ledger::hand_on)
    unsigned irq_line = 0;
    std::uint64_t base = 0; // controller address of its registers
    dma_memory memory;      // what moves and rings may point to
};

class front_end_base : public block {
public:
    using dma_socket = tlm_utils::simple_initiator_socket<front_end_base>;
    dma_socket memory; // AT: buffers; DMI: rings
    sc_core::sc_port<irq_line_if> irq;

    /// What fields of a move may hold at most.
    struct move_limits {
        std::uint16_t slots; // fewer
        std::uint8_t last_op;
        std::uint8_t flags; // these
        std::uint16_t status;
    };

    /// Moves of data are told to `to`.
    void follow_moves(timeline& to) { m_track = timeline_track(to, "front end", "data mover"); }

    // What follows is for the front end itself and its parts.

    /// A move took from `begin` to `end`.
    void tell_move(const fe_move& m, sim_time begin, sim_time end) const;

    /// A move that ended, or will not happen: what its completion says.
    struct move_notice {
        std::uint32_t tag;
        std::uint16_t slot;
        std::uint8_t flags;  // FE_MOVE_* of the move
        std::uint8_t status; // enum fe_done_status
    };

    void fault(const char* what);
    static constexpr std::uint32_t no_register = 0xFFF;
    /// Firmware has used the block wrongly, by a write of the register at `offset`, or by none.
    template <typename Text>
    void misuse(std::uint32_t offset, const Text& text)
    {
        if (m_links.faults != nullptr) {
            m_links.faults->misuse(name(), m_links.base + offset, text);
        }
    }
    /// By what tells it from others.
    [[nodiscard]] std::string describe(const fe_move& m) const;
    /// A field of the move holds what it cannot. True: it is to be done all the same.
    bool check_move(const fe_move& m, const move_limits& l)
    {
        const bool fields = m.op >= FE_MOVE_TO_HOST && m.op <= l.last_op && m.slot < l.slots &&
                            (m.flags & ~l.flags) == 0 && m.wait < FE_WAITS &&
                            (m.status <= l.status || (m.flags & FE_MOVE_CQE) == 0);
        const bool place = m.op == FE_MOVE_COMPLETE || m.length == 0 ||
                           (m.buffer % dma_alignment == 0 && reaches(m));
        return (fields && place) || report_move(m, l);
    }
    [[nodiscard]] bool reaches(const fe_move& m) const
    {
        return m_links.memory.holds(m.buffer, m.length);
    }
    /// Firmware has ordered a move for a slot that is not its own.
    void not_firmwares(const fe_move& m, const command_owner& o);
    void raise(std::uint32_t conditions) { m_raise |= conditions & m_int_enable; }
    /// Raises the line for what became true. Returns how often: 0 or 1.
    std::uint32_t interrupt_firmware();
    void stamp(std::uint16_t slot, latency_part part, sim_time t)
    {
        if (m_links.ledger != nullptr) {
            m_links.ledger->stamp_slot(slot, part, t);
        }
    }
    /// What firmware's order of the move ends.
    void stamp_order(const fe_move& m);
    void unbind(std::uint16_t slot);
    /// One transaction; the payload has command, address, data and byte enables.
    dma_result dma(dma_socket& socket, tlm::tlm_generic_payload& gp, sim_time earliest);

    /// Power is gone: no rings, nothing enabled.
    void close_rings();
    /// Registers of the rings, INT_ENABLE. False: none of them.
    [[nodiscard]] bool ring_read(std::uint32_t offset, std::uint32_t& value) const;
    /// ... but for the doorbell and the heads.
    void ring_write(std::uint32_t offset, std::uint32_t value);
    /// Firmware has read the entries before it. `offset`: CMD_HEAD or DONE_HEAD.
    void write_head(std::uint32_t offset, std::uint32_t head);
    void enable(std::uint32_t conditions) { m_int_enable = conditions; }
    /// Conditions of the rings that hold now.
    [[nodiscard]] std::uint32_t ring_conditions() const;

    /// The phase word is written last: firmware that polls it sees a whole entry. Precondition: the
    /// command ring is open.
    void append_command(fe_command& entry);
    /// A full ring holds the entry back until firmware reads.
    void append_done(const move_notice& n);
    void flush_done_backlog();
    [[nodiscard]] bool dones_wait() const { return !m_done_backlog.empty(); }
    [[nodiscard]] const ring_view& command_ring() const { return m_commands; }

    /// The doorbell of the mover rang: hands each new descriptor to `take`.
    template <typename Take>
    void take_moves(std::uint32_t tail, const Take& take)
    {
        if (tail >= m_moves.size()) {
            wrong_tail(tail);
            return;
        }
        while (m_moves.head != tail) {
            fe_move m;
            std::memcpy(&m, m_moves.at(m_moves.head), sizeof m);
            m_taken = m_moves.head;
            m_moves.head = m_moves.after(m_moves.head);
            take(m);
        }
        m_moves.tail = tail;
    }

protected:
    front_end_base(const sc_core::sc_module_name& name, const front_end_links& links);
    ~front_end_base() override;

private:
    void open_ring(ring_view& ring, std::uint32_t offset, std::uint32_t entries,
                   std::uint32_t entry_size);
    // front_end_misuse.cpp
    void wrong_tail(std::uint32_t tail);
    void wrong_size(std::uint32_t offset, std::uint32_t entries);
    void wrong_place(std::uint32_t offset, std::uint64_t base, std::uint32_t entries);
    void wrong_head(std::uint32_t offset, std::uint32_t head);
    bool report_move(const fe_move& m, const move_limits& l);

    timeline_track m_track;
    front_end_links m_links;
    ring_view m_commands, m_moves, m_dones;
    std::vector<std::uint8_t> m_done_irq;    // per entry of the done ring: FE_MOVE_IRQ
    std::vector<move_notice> m_done_backlog; // completions that found the done ring full
    std::uint32_t m_taken = 0;               // place of the move that is being taken
    std::uint32_t m_done_irq_unread = 0;
    std::uint32_t m_int_enable = 0;
    std::uint32_t m_raise = 0; // conditions that became true and are enabled
};

} // namespace ssdvp
