// SPDX-License-Identifier: Apache-2.0
//
// From the submission queues to the command ring: entries are fetched in bursts as far as slots and
// ring entries reach, their data pointers are walked, and firmware gets them: the commands of a
// queue in the order of its entries, whichever list of pages arrives first. Zones need that.
#pragma once

#include <vector>

#include "models/nvme/controller_registers.h"
#include "models/nvme/host_queues.h"
#include "models/nvme/pointer_walker.h"

namespace ssdvp::nvme {

/// Who takes reads before firmware gets them.
class read_taker {
public:
    /// The command in the slot is decoded at `ready`. False: it is firmware's.
    virtual bool take(std::uint16_t slot, sim_time ready) = 0;

protected:
    ~read_taker() = default;
};

class command_fetch {
public:
    command_fetch(front_end_shared& shared, host_queues& queues, controller_registers& registers)
        : m_shared(shared), m_queues(queues), m_registers(registers), m_walker(shared.host),
          m_burst(shared.config.fetch_burst)
    {}

    /// `taker` is asked for each command from now on.
    void offer_to(read_taker& taker) { m_taker = &taker; }
    /// Called whenever a slot, a ring entry or a submission entry may have become available.
    void fetch();
    /// A fetched command is decoded: it goes to the command ring.
    void hand_over(std::uint16_t slot, sim_time when);
    /// A controller reset: what was fetched goes nowhere.
    void forget()
    {
        m_shared.coming = 0;
        end_wait();
    }
    /// How long entries have waited for a slot until now, all slots being taken.
    [[nodiscard]] sim_time waited() const
    {
        return m_waits ? m_waited + (now() - m_wait_begin) : m_waited;
    }

private:
    void wait_for_slot();
    void end_wait();
    void fetch_burst(std::uint32_t id, std::uint32_t count);
    void accept(std::uint32_t sq, const nvme_sqe& sqe, sim_time rung, sim_time arrival);
    void open_slot(std::uint16_t slot, std::uint32_t sq, const nvme_sqe& sqe, sim_time rung);
    void bind_record(std::uint16_t slot);
    sim_time walk_pointers(command_slot& c, sim_time from);

    front_end_shared& m_shared;
    host_queues& m_queues;
    controller_registers& m_registers;
    pointer_walker m_walker;
    std::vector<nvme_sqe> m_burst;
    read_taker* m_taker = nullptr;
    bool m_waits = false; // since m_wait_begin
    sim_time m_wait_begin;
    sim_time m_waited; // before that
};

} // namespace ssdvp::nvme
