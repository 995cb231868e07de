// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the front end share: its configuration and surroundings, the agenda, the link,
// the counters, what firmware's registers hold, and the commands in the drive.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/front_end_base.h"
#include "models/common/timed_queue.h"
#include "models/nvme/agenda.h"
#include "models/nvme/config.h"
#include "models/nvme/environment.h"
#include "models/nvme/host_port.h"
#include "models/nvme/queue_levels.h"
#include "models/nvme/queues.h"
#include "models/nvme/statistics.h"
#include "models/nvme/windows.h"

namespace ssdvp::nvme {

/// The slots of commands, and which of them are free.
class command_slots {
public:
    explicit command_slots(std::uint32_t count) : m_slots(count)
    {
        m_free.reserve(count);
        for (std::uint32_t slot = count; slot-- > 0;) {
            m_free.push_back(static_cast<std::uint16_t>(slot));
        }
    }
    [[nodiscard]] command_slot& operator[](std::size_t slot) { return m_slots[slot]; }
    [[nodiscard]] const command_slot& operator[](std::size_t slot) const { return m_slots[slot]; }
    [[nodiscard]] const std::vector<command_slot>& all() const { return m_slots; }
    [[nodiscard]] std::vector<command_slot>& all() { return m_slots; }

    [[nodiscard]] std::uint32_t free() const { return static_cast<std::uint32_t>(m_free.size()); }
    /// Precondition: one is free.
    std::uint16_t take()
    {
        const std::uint16_t slot = m_free.back();
        m_free.pop_back();
        return slot;
    }
    void give_back(std::uint16_t slot)
    {
        m_slots[slot].busy = false;
        m_free.push_back(slot);
    }
    /// None is free: all will be given back.
    void take_all() { m_free.clear(); }

private:
    std::vector<command_slot> m_slots;
    std::vector<std::uint16_t> m_free;
};

struct front_end_shared {
    front_end_shared(front_end_base& front_end, late_device& looked_at,
                     front_end_base::dma_socket& link, const front_end_config& c,
                     const front_end_environment& e)
        : block(front_end), late(looked_at), config(c), environment(e), agenda(1024),
          host(front_end, link), slots(c.slots)
    {}
    /// Firmware hears of a move's end at `when`. Of one that raises no interrupt it hears when it
    /// looks.
    void tell(sim_time when, const job& notice)
    {
        if ((notice.flags & FE_MOVE_IRQ) != 0) {
            agenda.push(when, notice);
        } else {
            agenda.push_late(when, notice);
            note_late();
        }
    }
    /// A fetched command goes to firmware at `when`, and wakes it.
    void hand_over(sim_time when, const job& command)
    {
        ++coming;
        agenda.push_late(when, command);
        note_late();
        if (late.raises_at() == when) {
            block.irq->foresee(late.line(), when);
        }
    }
    void note_late()
    {
        const auto raises = [](const job& j) { return j.kind == job_kind::command; };
        late.set_late(agenda.first_late(),
                      coming == 0 ? late_device::never : agenda.first_late(raises));
    }
    /// The command is over, or was never carried out.
    void release(std::uint16_t slot)
    {
        block.unbind(slot);
        slots.give_back(slot);
        levels.commands(in_drive());
    }
    [[nodiscard]] std::uint32_t in_drive() const { return config.slots - slots.free(); }

    front_end_base& block; // towards firmware
    late_device& late;     // the same
    front_end_config config;
    front_end_environment environment;
    timed_queue<job> agenda;
    host_port host;
    window_registers window;
    front_end_stats stats;
    command_slots slots;
    command_order order;
    queue_levels levels;
    std::uint32_t coming = 0;     // commands fetched, not yet in the command ring
    std::uint32_t generation = 0; // counts controller resets
};

} // namespace ssdvp::nvme
