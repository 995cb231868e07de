// SPDX-License-Identifier: Apache-2.0
//
// Construction, the agenda, and the two DMA ports.
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

static_assert(sizeof(nvme_sqe) == 64);
static_assert(sizeof(nvme_cqe) == 16);
static_assert(sizeof(fe_command) == 80);
static_assert(sizeof(fe_move) == 48);
static_assert(sizeof(fe_move_done) == 16);

front_end::front_end(const sc_core::sc_module_name& name, const front_end_config& config,
                     const front_end_environment& environment)
    : block(name), bar("bar"), regs("regs"), link("link"), memory("memory"), irq("irq"),
      m_config(config), m_environment(environment), m_agenda("agenda", 1024),
      m_msix(config.vectors), m_sqs(config.queue_pairs + 1), m_cqs(config.queue_pairs + 1),
      m_slots(config.slots), m_fetched(config.fetch_burst)
{
    bar.register_b_transport(this, &front_end::bar_transport);
    regs.register_b_transport(this, &front_end::regs_transport);
    m_free.reserve(config.slots);
    for (std::uint32_t slot = config.slots; slot-- > 0;) {
        m_free.push_back(static_cast<std::uint16_t>(slot));
    }
    reserve_maps();
    m_arbiter.reset(false);
    reset_features();
    m_link_gp.set_extension(&m_tlp);
    SC_HAS_PROCESS(front_end);
    SC_METHOD(run);
    sensitive << m_agenda.event();
    dont_initialize();
}

front_end::~front_end()
{
    m_link_gp.clear_extension(&m_tlp); // the payload would free it
}

/// Room for the pages of the largest transfer, before commands come; a longer SGL makes its own.
void front_end::reserve_maps()
{
    for (command_slot& c : m_slots) {
        c.data.pages.reserve(m_mdts / host_page + 1);
        c.data.runs.reserve(m_mdts / host_page + 1);
        c.metadata.runs.reserve(1);
    }
}

void front_end::run()
{
    activated();
    drain();
}

/// Does everything that is due. Register accesses call it too, because what was posted earlier
/// comes first even when the kernel has not yet woken this block.
void front_end::drain()
{
    job j{};
    while (m_agenda.pop_due(j)) {
        perform(j);
    }
    update_irq();
}

void front_end::perform(const job& j)
{
    switch (j.kind) {
    case job_kind::bar_write:
        bar_write(j.key, j.value);
        break;
    case job_kind::register_write:
        register_write(j.key, j.value);
        break;
    case job_kind::command:
        if (j.key == m_generation) {
            append_command(j.slot);
        }
        break;
    case job_kind::completion:
        post_completion(j);
        break;
    case job_kind::done:
        append_done(j);
        break;
    case job_kind::coalesced:
        end_coalescing(j);
        break;
    }
}

void front_end::update_irq()
{
    if (m_raise != 0) {
        m_raise = 0;
        ++m_stats.device_interrupts;
        irq->raise(m_environment.irq_line);
    }
}

void front_end::fault(const char* what)
{
    if (m_environment.faults != nullptr) {
        m_environment.faults->record(name(), what);
    }
}

void front_end::stamp(std::uint16_t slot, latency_part part, sim_time t)
{
    if (m_environment.ledger != nullptr) {
        m_environment.ledger->stamp_slot(slot, part, t);
    }
}

/// A small transfer over the link whose bytes all count: entries, lists, messages.
front_end::dma_result front_end::host_dma(const host_access& a, sim_time earliest)
{
    m_link_gp.set_command(a.command);
    m_link_gp.set_address(a.address);
    m_link_gp.set_data_ptr(static_cast<unsigned char*>(a.bytes));
    m_link_gp.set_data_length(a.length);
    m_link_gp.set_byte_enable_ptr(nullptr);
    m_link_gp.set_byte_enable_length(0);
    m_tlp.carries = a.carries;
    return dma(link, m_link_gp, earliest);
}

front_end::dma_result front_end::dma(tlm_utils::simple_initiator_socket<front_end>& socket,
                                     tlm::tlm_generic_payload& gp, sim_time earliest)
{
    const sim_time t = now();
    gp.set_streaming_width(gp.get_data_length());
    gp.set_dmi_allowed(false);
    gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = (earliest - t).to_sc();
    if (socket->nb_transport_fw(gp, phase, delay) != tlm::TLM_COMPLETED) {
        fault("a DMA target did not complete the transaction in its request");
    }
    return {t + sim_time::from_sc(delay), gp.is_response_ok()};
}

} // namespace ssdvp::nvme
