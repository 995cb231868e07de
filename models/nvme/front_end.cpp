// SPDX-License-Identifier: Apache-2.0
//
// Construction, the agenda, and the two DMA ports.
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

static_assert(sizeof(nvme_sqe) == 64);
static_assert(sizeof(nvme_cqe) == 16);

front_end::front_end(const sc_core::sc_module_name& name, const front_end_config& config,
                     const front_end_environment& environment)
    : front_end_base(name, environment), bar("bar"), regs("regs"), link("link"),
      m_config(config), m_move_limits{static_cast<std::uint16_t>(config.slots),
                                      FE_MOVE_META_FROM_HOST,
                                      FE_MOVE_CQE | FE_MOVE_NOTIFY | FE_MOVE_IRQ | FE_MOVE_METADATA,
                                      0x7FFF},
      m_environment(environment), m_agenda("agenda", 1024), m_msix(config.vectors),
      m_sqs(config.queue_pairs + 1), m_cqs(config.queue_pairs + 1), m_slots(config.slots),
      m_fetched(config.fetch_burst)
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
    m_agenda.wakes(sensitive);
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
            hand_over(j.slot);
        }
        break;
    case job_kind::completion:
        post_completion(j);
        break;
    case job_kind::done:
        append_done({j.value, j.slot, j.flags, j.status});
        break;
    case job_kind::coalesced:
        end_coalescing(j);
        break;
    case job_kind::ask:
        ask();
        break;
    }
}

/// A small transfer over the link whose bytes all count: entries, lists, messages.
dma_result front_end::host_dma(const host_access& a, sim_time earliest)
{
    m_link_gp.set_command(a.command);
    m_link_gp.set_address(a.address);
    m_link_gp.set_data_ptr(static_cast<unsigned char*>(a.bytes));
    m_link_gp.set_data_length(a.length);
    m_link_gp.set_byte_enable_ptr(nullptr);
    m_link_gp.set_byte_enable_length(0);
    m_tlp.carries = a.carries;
    m_tlp.reads = a.reads;
    return dma(link, m_link_gp, earliest);
}

} // namespace ssdvp::nvme
