// SPDX-License-Identifier: Apache-2.0
#include "models/common/at_checker.h"

#include <algorithm>

namespace ssdvp {

at_checker::at_checker(const sc_core::sc_module_name& name, fault_log* faults)
    : sc_core::sc_module(name), in("in"), out("out"), m_faults(faults)
{
    in.register_nb_transport_fw(this, &at_checker::nb_transport_fw);
    in.register_b_transport(this, &at_checker::b_transport);
    in.register_get_direct_mem_ptr(this, &at_checker::get_direct_mem_ptr);
    in.register_transport_dbg(this, &at_checker::transport_dbg);
    out.register_nb_transport_bw(this, &at_checker::nb_transport_bw);
    out.register_invalidate_direct_mem_ptr(this, &at_checker::invalidate_direct_mem_ptr);
}

at_checker::~at_checker() = default;

void at_checker::violation(const char* what)
{
    ++m_violations;
    if (m_faults != nullptr) {
        m_faults->record(name(), std::string("base protocol: ") + what);
    }
}

at_checker::open_transaction* at_checker::find(const tlm::tlm_generic_payload& gp)
{
    const auto found = std::find_if(m_open.begin(), m_open.end(),
                                    [&gp](const open_transaction& o) { return o.gp == &gp; });
    return found == m_open.end() ? nullptr : &*found;
}

void at_checker::close(const tlm::tlm_generic_payload& gp)
{
    m_open.erase(std::remove_if(m_open.begin(), m_open.end(),
                                [&gp](const open_transaction& o) { return o.gp == &gp; }),
                 m_open.end());
}

void at_checker::check_request(const tlm::tlm_generic_payload& gp)
{
    ++m_checked;
    if (gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
        violation("request with a response status already set");
    }
    if (gp.is_dmi_allowed()) {
        violation("request with the DMI hint already set");
    }
    if (gp.get_data_ptr() == nullptr) {
        violation("data pointer is null");
    }
    if (gp.get_data_length() == 0) {
        violation("data length is 0");
    }
    if (gp.get_streaming_width() == 0) {
        violation("streaming width is 0");
    }
    if ((gp.get_byte_enable_ptr() == nullptr) != (gp.get_byte_enable_length() == 0)) {
        violation("byte enable length does not fit the byte enable pointer");
    }
}

void at_checker::check_response(const tlm::tlm_generic_payload& gp)
{
    if (gp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        violation("completed without a response status");
    }
}

/// `sent` is the time the caller's delay pointed at, absolute.
void at_checker::check_delay(const sc_core::sc_time& delay, const sc_core::sc_time& sent)
{
    // sc_time is unsigned: a negative delay shows as one beyond any simulation.
    if (delay.value() >> 62 != 0) {
        violation("the delay is negative");
    } else if (now().to_sc() + delay < sent) {
        violation("the delay went back");
    }
}

void at_checker::check_forward_phase(const tlm::tlm_generic_payload& gp,
                                     const tlm::tlm_phase& phase)
{
    const open_transaction* open = find(gp);
    if (phase == tlm::BEGIN_REQ) {
        if (open != nullptr) {
            violation("BEGIN_REQ for a transaction that is under way");
        }
        if (std::any_of(m_open.begin(), m_open.end(),
                        [](const open_transaction& o) { return o.last == tlm::BEGIN_REQ; })) {
            violation("BEGIN_REQ before the END_REQ of the request before it");
        }
        check_request(gp);
    } else if (phase == tlm::END_RESP) {
        if (open == nullptr || open->last != tlm::BEGIN_RESP) {
            violation("END_RESP without BEGIN_RESP");
        }
    } else {
        violation("phase that does not travel forward");
    }
}

void at_checker::check_backward_phase(const tlm::tlm_generic_payload& gp,
                                      const tlm::tlm_phase& phase)
{
    const open_transaction* open = find(gp);
    if (open == nullptr) {
        violation("backward call for a transaction that is not under way");
    } else if (phase == tlm::END_REQ) {
        if (open->last != tlm::BEGIN_REQ) {
            violation("END_REQ without BEGIN_REQ");
        }
    } else if (phase == tlm::BEGIN_RESP) {
        if (open->last == tlm::BEGIN_RESP) {
            violation("BEGIN_RESP twice");
        }
        check_response(gp);
    } else {
        violation("phase that does not travel backward");
    }
}

/// The target's answer to a forward call.
void at_checker::after_forward(tlm::tlm_generic_payload& gp, const tlm::tlm_phase& sent,
                               const tlm::tlm_phase& returned, tlm::tlm_sync_enum sync)
{
    if (sync == tlm::TLM_COMPLETED || sent == tlm::END_RESP) {
        check_response(gp);
        close(gp);
        return;
    }
    if (sync == tlm::TLM_ACCEPTED) {
        if (returned != sent) {
            violation("TLM_ACCEPTED with a changed phase");
        }
        return;
    }
    check_backward_phase(gp, returned);
    open_transaction* open = find(gp);
    if (open != nullptr) {
        open->last = static_cast<tlm::tlm_phase_enum>(static_cast<unsigned>(returned));
    }
}

tlm::tlm_sync_enum at_checker::nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay)
{
    check_forward_phase(gp, phase);
    const tlm::tlm_phase sent = phase;
    check_delay(delay, sc_core::SC_ZERO_TIME);
    const sc_core::sc_time sent_time = now().to_sc() + delay;
    if (phase == tlm::BEGIN_REQ && find(gp) == nullptr) {
        m_open.push_back({&gp, tlm::BEGIN_REQ});
    }
    const tlm::tlm_sync_enum sync = out->nb_transport_fw(gp, phase, delay);
    check_delay(delay, sent_time);
    after_forward(gp, sent, phase, sync);
    return sync;
}

tlm::tlm_sync_enum at_checker::nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay)
{
    check_backward_phase(gp, phase);
    open_transaction* open = find(gp);
    if (open != nullptr) {
        open->last = static_cast<tlm::tlm_phase_enum>(static_cast<unsigned>(phase));
    }
    check_delay(delay, sc_core::SC_ZERO_TIME);
    const sc_core::sc_time sent_time = now().to_sc() + delay;
    const bool response = phase == tlm::BEGIN_RESP;
    const tlm::tlm_sync_enum sync = in->nb_transport_bw(gp, phase, delay);
    check_delay(delay, sent_time);
    if (sync == tlm::TLM_COMPLETED || (response && phase == tlm::END_RESP)) {
        close(gp);
    }
    return sync;
}

void at_checker::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    check_request(gp);
    check_delay(delay, sc_core::SC_ZERO_TIME);
    const sc_core::sc_time sent_time = now().to_sc() + delay;
    out->b_transport(gp, delay);
    check_delay(delay, sent_time);
    check_response(gp);
}

bool at_checker::get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi)
{
    return out->get_direct_mem_ptr(gp, dmi);
}

unsigned at_checker::transport_dbg(tlm::tlm_generic_payload& gp)
{
    return out->transport_dbg(gp);
}

void at_checker::invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end)
{
    in->invalidate_direct_mem_ptr(begin, end);
}

} // namespace ssdvp
