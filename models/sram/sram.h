// SPDX-License-Identifier: Apache-2.0
//
// On-chip SRAM: rings, firmware state. Page in docs/models/sram.md.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/common/memory_store.h"
#include "models/common/time.h"

namespace ssdvp::sram {

class sram final : public block {
public:
    tlm_utils::simple_target_socket<sram> in; // LT, AT with early completion, DMI

    /// `size` in bytes; each access takes `latency`.
    sram(const sc_core::sc_module_name& name, std::uint64_t size, sim_time latency);

    [[nodiscard]] unsigned char* data() { return m_store.data(); }
    [[nodiscard]] std::uint64_t size() const { return m_store.size(); }

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi);

    memory_store m_store;
    sim_time m_latency;
};

} // namespace ssdvp::sram
