// SPDX-License-Identifier: Apache-2.0
//
// BAR0: NVM Express base 1.4 section 3.1, and the MSI-X table.
#include <cstring>

#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

namespace {

constexpr std::uint64_t with_low(std::uint64_t v, std::uint32_t low)
{
    return (v & 0xFFFFFFFF00000000ull) | low;
}
constexpr std::uint64_t with_high(std::uint64_t v, std::uint32_t high)
{
    return (v & 0xFFFFFFFFull) | (std::uint64_t{high} << 32);
}
constexpr std::uint32_t low(std::uint64_t v)
{
    return static_cast<std::uint32_t>(v);
}
constexpr std::uint32_t high(std::uint64_t v)
{
    return static_cast<std::uint32_t>(v >> 32);
}

} // namespace

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
    if (m_agenda.due()) {
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
        if (early_head(offset + at, value)) {
            continue;
        }
        if (delay == sc_core::SC_ZERO_TIME) {
            perform(j);
        } else {
            m_agenda.push(now() + sim_time::from_sc(delay), j);
        }
    }
    update_irq();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// A completion head that nobody waits for is taken while its doorbell is still on the link: the
/// host has read those entries already, and the block is not woken for nothing.
bool front_end::early_head(std::uint32_t offset, std::uint32_t value)
{
    const std::uint32_t id = (offset - NVME_REG_DOORBELL) / NVME_DOORBELL_STRIDE;
    if (offset < NVME_REG_DOORBELL || offset % NVME_DOORBELL_STRIDE != NVME_DOORBELL_CQHDBL ||
        id >= m_cqs.size()) {
        return false;
    }
    completion_queue& q = m_cqs[id];
    return q.first_waiting == no_slot && completion_doorbell(q, value);
}

/// Reserved offsets and doorbells read 0.
std::uint32_t front_end::bar_read(std::uint32_t offset) const
{
    if (offset >= NVME_REG_MSIX_TABLE) {
        const std::uint32_t vector = (offset - NVME_REG_MSIX_TABLE) / NVME_MSIX_TABLE_STRIDE;
        if (vector >= m_msix.size()) {
            return 0;
        }
        const msix_vector& v = m_msix[vector];
        const std::uint32_t words[] = {v.address_low, v.address_high, v.data, v.control};
        return words[offset % NVME_MSIX_TABLE_STRIDE / 4];
    }
    switch (offset) {
    case NVME_REG_CAP:
        return low(NVME_CAP_RESET) | (m_config.queue_entries - 1); // MQES
    case NVME_REG_CAP + 4:
        return high(NVME_CAP_RESET);
    case NVME_REG_VS:
        return NVME_VS_RESET;
    case NVME_REG_INTMS:
    case NVME_REG_INTMC:
        return m_intm;
    case NVME_REG_CC:
        return m_cc;
    case NVME_REG_CSTS:
        return m_csts;
    case NVME_REG_AQA:
        return m_aqa;
    case NVME_REG_ASQ:
        return low(m_asq);
    case NVME_REG_ASQ + 4:
        return high(m_asq);
    case NVME_REG_ACQ:
        return low(m_acq);
    case NVME_REG_ACQ + 4:
        return high(m_acq);
    default:
        return 0;
    }
}

void front_end::bar_write(std::uint32_t offset, std::uint32_t value)
{
    if (offset >= NVME_REG_MSIX_TABLE) {
        write_msix(offset - NVME_REG_MSIX_TABLE, value);
        return;
    }
    if (offset >= NVME_REG_DOORBELL) {
        doorbell(offset - NVME_REG_DOORBELL, value);
        return;
    }
    switch (offset) {
    case NVME_REG_INTMS: // for pin interrupts; MSI-X has its own masks
        m_intm |= value;
        break;
    case NVME_REG_INTMC:
        m_intm &= ~value;
        break;
    case NVME_REG_CC:
        write_cc(value);
        break;
    case NVME_REG_AQA:
        m_aqa = value & (NVME_AQA_ASQS_MASK | NVME_AQA_ACQS_MASK);
        break;
    case NVME_REG_ASQ:
        m_asq = with_low(m_asq, value & low(NVME_ASQ_ASQB_MASK));
        break;
    case NVME_REG_ASQ + 4:
        m_asq = with_high(m_asq, value);
        break;
    case NVME_REG_ACQ:
        m_acq = with_low(m_acq, value & low(NVME_ACQ_ACQB_MASK));
        break;
    case NVME_REG_ACQ + 4:
        m_acq = with_high(m_acq, value);
        break;
    default: // read-only and reserved
        break;
    }
}

void front_end::write_cc(std::uint32_t value)
{
    const bool reset = (m_cc & NVME_CC_EN) != 0 && (value & NVME_CC_EN) == 0;
    m_cc = value;
    if (reset) {
        controller_reset();
    }
    m_cc_written = true;
    raise(FE_INT_CC);
}

void front_end::write_msix(std::uint32_t offset, std::uint32_t value)
{
    const std::uint32_t vector = offset / NVME_MSIX_TABLE_STRIDE;
    if (vector >= m_msix.size()) {
        return;
    }
    msix_vector& v = m_msix[vector];
    switch (offset % NVME_MSIX_TABLE_STRIDE / 4) {
    case 0:
        v.address_low = value;
        break;
    case 1:
        v.address_high = value;
        break;
    case 2:
        v.data = value;
        break;
    default:
        v.control = value & NVME_MSIX_TABLE_CONTROL_MASK;
        if (v.pending && !v.masked()) {
            interrupt_host(static_cast<std::uint16_t>(vector), false);
        }
    }
}

void front_end::doorbell(std::uint32_t offset, std::uint32_t value)
{
    const std::uint32_t id = offset / NVME_DOORBELL_STRIDE;
    const bool completion = offset % NVME_DOORBELL_STRIDE == NVME_DOORBELL_CQHDBL;
    const bool valid = id < m_sqs.size() && (completion ? completion_doorbell(m_cqs[id], value)
                                                        : submission_doorbell(m_sqs[id], value));
    if (!valid) {
        ++m_stats.invalid_doorbells;
    }
}

/// Returns false when the value cannot be right: no such queue, beyond its end, or more entries
/// than the queue has room for.
bool front_end::submission_doorbell(submission_queue& q, std::uint32_t tail)
{
    if (!q.exists || tail >= q.size) {
        return false;
    }
    const std::uint32_t added = q.distance(q.tail, tail);
    if (q.used() + added > q.size - 1) {
        return false;
    }
    const sim_time t = now();
    while (q.tail != tail) {
        q.rung[q.tail] = t;
        q.tail = q.tail + 1 == q.size ? 0 : q.tail + 1;
    }
    m_unfetched += added;
    fetch();
    return true;
}

/// Returns false also when the host claims entries that were not posted.
bool front_end::completion_doorbell(completion_queue& q, std::uint32_t head)
{
    if (!q.exists || head >= q.size || q.distance(q.head, head) > q.used()) {
        return false;
    }
    q.head = head;
    while (q.first_waiting != no_slot && q.room()) {
        const std::uint16_t slot = q.first_waiting;
        q.first_waiting = m_slots[slot].next;
        const job notice{job_kind::completion, 0, 0, slot, m_generation, 0};
        commit_completion(slot, notice, later(now(), m_slots[slot].finish));
    }
    return true;
}

} // namespace ssdvp::nvme
