// SPDX-License-Identifier: Apache-2.0
//
// Base-protocol checker for one socket pair: put between an initiator and a target, it passes
// everything through and records in a fault log what breaks the rules of TLM-2.0's base protocol
// (IEEE 1666 clauses 14 and 15). For tests: it costs time, not activations.
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/fault_log.h"

namespace ssdvp {

class at_checker final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<at_checker> in;     // from the initiator
    tlm_utils::simple_initiator_socket<at_checker> out; // to the target

    at_checker(const sc_core::sc_module_name& name, fault_log* faults);
    ~at_checker() override;

    /// Transactions that passed by.
    [[nodiscard]] std::uint64_t checked() const { return m_checked; }
    [[nodiscard]] std::uint64_t violations() const { return m_violations; }

private:
    /// A transaction between BEGIN_REQ and its end.
    struct open_transaction {
        const tlm::tlm_generic_payload* gp;
        tlm::tlm_phase_enum last;
    };

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi);
    unsigned transport_dbg(tlm::tlm_generic_payload& gp);
    void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end);

    void check_request(const tlm::tlm_generic_payload& gp);
    void check_response(const tlm::tlm_generic_payload& gp);
    void check_forward_phase(const tlm::tlm_generic_payload& gp, const tlm::tlm_phase& phase);
    void check_backward_phase(const tlm::tlm_generic_payload& gp, const tlm::tlm_phase& phase);
    void after_forward(tlm::tlm_generic_payload& gp, const tlm::tlm_phase& sent,
                       const tlm::tlm_phase& returned, tlm::tlm_sync_enum sync);
    void check_delay(const sc_core::sc_time& delay, const sc_core::sc_time& sent);
    open_transaction* find(const tlm::tlm_generic_payload& gp);
    void close(const tlm::tlm_generic_payload& gp);
    void violation(const char* what);

    fault_log* m_faults;
    std::vector<open_transaction> m_open;
    std::uint64_t m_checked = 0;
    std::uint64_t m_violations = 0;
};

} // namespace ssdvp
