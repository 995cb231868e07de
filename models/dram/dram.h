// SPDX-License-Identifier: Apache-2.0
//
// DRAM buffer, fidelity `bandwidth`: one shared data bus with a latency. Page in
// docs/models/dram.md.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/common/memory_store.h"
#include "models/common/reservation.h"
#include "models/dram/config.h"

namespace ssdvp::dram {

struct dram_stats {
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    sim_time busy; // data bus occupied
};

class dram final : public block {
public:
    tlm_utils::simple_target_socket<dram> in; // LT, AT with early completion, DMI

    dram(const sc_core::sc_module_name& name, const dram_config& config);

    [[nodiscard]] unsigned char* data() { return m_store.data(); }
    [[nodiscard]] std::uint64_t size() const { return m_store.size(); }
    [[nodiscard]] const dram_stats& stats() const { return m_stats; }
    /// Data bus time of a transfer of `bytes`, without latency or contention.
    [[nodiscard]] sim_time occupancy(std::uint64_t bytes) const
    {
        return time_for(bytes, m_effective);
    }

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi);

    memory_store m_store;
    rate m_effective; // bytes per second that the bus sustains
    sim_time m_latency;
    reservation m_bus;
    dram_stats m_stats;
};

} // namespace ssdvp::dram
