// SPDX-License-Identifier: Apache-2.0
//
// What every modelled memory is to TLM: LT, AT with early completion, DMI. A memory says how much
// time an access takes; its bytes are zero at first and cost the host only where touched.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/common/lazy_array.h"
#include "models/common/state_archive.h"
#include "models/common/time.h"

namespace ssdvp {

class memory_target : public block {
public:
    /// Bytes on either side of data() that trap: firmware has pointers into it.
    static constexpr std::size_t guard = 1u << 20;

    tlm_utils::simple_target_socket<memory_target> in;

    [[nodiscard]] unsigned char* data() { return m_bytes.data(); }
    [[nodiscard]] std::uint64_t size() const { return m_bytes.size(); }

    /// Power goes: all bytes are zero.
    void power_off()
    {
        m_bytes.clear();
        forget();
    }

    /// The first `used` bytes of it.
    void keep(state_archive& a, std::uint64_t used) { a.pages(m_bytes, used); }

protected:
    /// `size` in bytes, `latency` of an access without contention. Throws address_space_error
    /// when the host has no room for them.
    memory_target(const sc_core::sc_module_name& name, std::uint64_t size, sim_time latency);
    ~memory_target() override;

    [[nodiscard]] sim_time latency() const { return m_latency; }

private:
    /// What was promised to accesses under way.
    virtual void forget() {}
    /// When an access that is asked for at `at` is done.
    virtual sim_time access(const tlm::tlm_generic_payload& gp, sim_time at) = 0;

    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi);

    lazy_array<unsigned char> m_bytes;
    sim_time m_latency;
};

} // namespace ssdvp
