// SPDX-License-Identifier: Apache-2.0
//
// Completion entries to the host.
//
// A completion takes its time on the link when it is ordered, behind the command's data; its
// place in the queue, its bytes and the interrupt follow when they arrive. So completions that
// overtake each other take their places in the order of arrival, and the host, which may look at
// the queue at any time, finds none before its time.
#pragma once

#include "models/nvme/fetch.h"
#include "models/nvme/interrupts.h"

namespace ssdvp::nvme {

class completions {
public:
    completions(front_end_shared& shared, host_queues& queues, controller_registers& registers,
                command_fetch& fetch, interrupts& messages)
        : m_shared(shared), m_queues(queues), m_registers(registers), m_fetch(fetch),
          m_messages(messages)
    {}

    /// Firmware's last move of a command; `done_status`: how it ended (enum fe_done_status).
    void order(const fe_move& m, std::uint8_t done_status);
    /// An ordered one arrives.
    void post(const job& j);
    /// The host has read up to `head`. False when the value cannot be right: as of a tail, and when
    /// the host claims entries that were not posted.
    bool set_head(completion_queue& q, std::uint32_t head);

private:
    void commit(std::uint16_t slot, job notice, sim_time start);
    void send_cqe(const command_slot& c, completion_queue& q);
    void tell_watch(std::uint16_t slot);

    front_end_shared& m_shared;
    host_queues& m_queues;
    controller_registers& m_registers;
    command_fetch& m_fetch;
    interrupts& m_messages;
};

} // namespace ssdvp::nvme
