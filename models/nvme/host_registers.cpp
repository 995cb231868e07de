// SPDX-License-Identifier: Apache-2.0
//
// BAR0: NVM Express base 1.4 section 3.1, and the MSI-X table.
#include <cstring>

#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

void front_end::bar_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const std::uint64_t address = gp.get_address();
    const std::uint32_t length = gp.get_data_length();
    if ((length != 4 && length != 8) || address % length != 0 ||
        gp.get_byte_enable_ptr() != nullptr) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (address >= NVME_BAR_SIZE) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    catch_up();
    if (m_shared.agenda.due()) {
        drain();
    }
    const auto offset = static_cast<std::uint32_t>(address);
    for (std::uint32_t at = 0; at < length; at += 4) {
        std::uint32_t value = 0;
        if (gp.is_read()) {
            value = bar_read(offset + at);
            std::memcpy(gp.get_data_ptr() + at, &value, sizeof value);
            continue;
        }
        std::memcpy(&value, gp.get_data_ptr() + at, sizeof value);
        const job j{job_kind::bar_write, 0, 0, 0, offset + at, value};
        if (early_head(offset + at, value, now() + sim_time::from_sc(delay))) {
            continue;
        }
        if (delay == sc_core::SC_ZERO_TIME) {
            perform(j, now());
        } else {
            m_shared.agenda.push(now() + sim_time::from_sc(delay), j);
        }
    }
    update_irq();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// A completion head that nobody waits for is taken while its doorbell is still on the link: the
/// host has read those entries already, and the block is not woken for nothing.
bool front_end::early_head(std::uint32_t offset, std::uint32_t value, sim_time arrives)
{
    const std::uint32_t id = (offset - NVME_REG_DOORBELL) / NVME_DOORBELL_STRIDE;
    if (offset < NVME_REG_DOORBELL || offset % NVME_DOORBELL_STRIDE != NVME_DOORBELL_CQHDBL ||
        !m_queues.has(id)) {
        return false;
    }
    completion_queue& q = m_queues.cq(id);
    return q.first_waiting == no_slot && set_head(id, value, arrives);
}

bool front_end::set_head(std::uint32_t id, std::uint32_t value, sim_time arrives)
{
    const bool right = m_completions.set_head(m_queues.cq(id), value);
    if (right) {
        m_shared.levels.head(id, value, arrives);
    }
    return right;
}

/// Reserved offsets and doorbells read 0.
std::uint32_t front_end::bar_read(std::uint32_t offset) const
{
    if (offset >= NVME_REG_MSIX_TABLE) {
        return m_interrupts.read_table(offset - NVME_REG_MSIX_TABLE);
    }
    if (offset >= NVME_REG_MSIX_PBA) {
        return m_interrupts.pending((offset - NVME_REG_MSIX_PBA) / NVME_MSIX_PBA_STRIDE);
    }
    if (offset == NVME_REG_INTMS || offset == NVME_REG_INTMC) {
        return m_interrupts.mask();
    }
    return m_controller.read(offset);
}

void front_end::bar_write(std::uint32_t offset, std::uint32_t value)
{
    if (offset >= NVME_REG_MSIX_TABLE) {
        m_interrupts.write_table(offset - NVME_REG_MSIX_TABLE, value);
        return;
    }
    if (offset >= NVME_REG_MSIX_PBA) {
        return; // read-only
    }
    if (offset >= NVME_REG_DOORBELL) {
        doorbell(offset - NVME_REG_DOORBELL, value);
        return;
    }
    switch (offset) {
    case NVME_REG_INTMS:
        m_interrupts.set_mask(value);
        break;
    case NVME_REG_INTMC:
        m_interrupts.clear_mask(value);
        break;
    case NVME_REG_CC:
        write_cc(value);
        break;
    default:
        m_controller.write(offset, value);
        break;
    }
}

void front_end::write_cc(std::uint32_t value)
{
    switch (m_controller.write_cc(value)) {
    case controller_registers::transition::disabled:
        controller_reset();
        break;
    case controller_registers::transition::enabled:
        m_queues.enable(m_controller.weighted());
        break;
    case controller_registers::transition::none:
        break;
    }
}

void front_end::doorbell(std::uint32_t offset, std::uint32_t value)
{
    const std::uint32_t id = offset / NVME_DOORBELL_STRIDE;
    const bool completion = offset % NVME_DOORBELL_STRIDE == NVME_DOORBELL_CQHDBL;
    const bool exists = m_queues.exists(id, completion);
    if (exists && completion && set_head(id, value, now())) {
        return;
    }
    if (exists && !completion && m_queues.set_tail(id, value)) {
        m_fetch.fetch();
        return;
    }
    m_controller.wrong_doorbell(id, completion, exists);
}

} // namespace ssdvp::nvme
