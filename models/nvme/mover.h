// SPDX-License-Identifier: Apache-2.0
//
// The data mover: between buffers in the controller's memory and the host's pages. Data of the host
// are asked for no earlier than keeps the link full; what is ordered beyond that waits here, where
// the fetch of a command, of a list, or a read's data do not wait behind it.
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>

#include "models/nvme/completion.h"

namespace ssdvp::nvme {

class data_mover {
public:
    data_mover(front_end_shared& shared, completions& completed);

    /// A descriptor of the mover ring.
    void move(const fe_move& m);
    /// One of hardware's own, of a slot that firmware has never had.
    void move_of_hardware(const fe_move& m)
    {
        ++m_shared.stats.moves;
        begin(m);
    }
    /// The link has little left to bring: the next of the moves that wait, with what follows them
    /// in their commands.
    void ask();
    /// A controller reset: nothing that waits will be asked for.
    void give_held_back();
    /// Power is gone: nothing waits, and the link has nothing to bring.
    void reset();

private:
    static constexpr std::uint32_t staging_size = 4 * host_page;

    [[nodiscard]] bool may_ask() const
    {
        return m_held.empty() && m_asked_until <= now() + m_shared.config.ask_ahead;
    }
    void hold(const fe_move& m);
    void ask_later();
    void begin(const fe_move& m);
    void stale_move(const fe_move& m);
    void move_memory(const fe_move& m);
    dma_result memory_run(const fe_move& m, std::uint32_t at, std::uint32_t length, sim_time start);
    bool move_data(const fe_move& m, sim_time start);
    dma_result move_run(const fe_move& m, host_run run, std::uint32_t at, sim_time start);
    void set_enables(tlm::tlm_generic_payload& gp, const fe_move& m, std::uint32_t offset) const;
    void take_back(command_slot& c);
    void beyond_data(const fe_move& m, std::uint32_t length);
    void no_memory(const fe_move& m, std::uint64_t address);

    front_end_shared& m_shared;
    completions& m_completions;
    front_end_base::move_limits m_limits;
    boost::circular_buffer<fe_move> m_held{64}; // moves that wait for the link
    sim_time m_asked_until;    // the end, on the link, of all data asked for so far
    bool m_asks_later = false; // a job ask is in the agenda
    tlm::tlm_generic_payload m_memory_gp;
    std::array<unsigned char, staging_size> m_staging{};
};

} // namespace ssdvp::nvme
