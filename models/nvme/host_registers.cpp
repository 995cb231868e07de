// SPDX-License-Identifier: Apache-2.0
//
// BAR0: NVM Express base 1.4 section 3.1, and the MSI-X table.
#include <algorithm>
#include <cstring>

#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

using namespace ssdvp::literals;

namespace {

constexpr std::uint64_t with_low(std::uint64_t v, std::uint32_t low)
{
    return (v & 0xFFFFFFFF00000000ull) | low;
}
constexpr std::uint64_t with_high(std::uint64_t v, std::uint32_t high)
{
    return (v & 0xFFFFFFFFull) | (std::uint64_t{high} << 32);
}
/// CAP.TO: 8 bits that count 500 ms (3.1.1).
constexpr std::uint32_t time_to_ready(sim_time limit)
{
    constexpr std::uint64_t step = (500_ms).ps();
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        (limit.ps() + step - 1) / step, NVME_CAP_TO_MASK >> NVME_CAP_TO_SHIFT));
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
    if (offset >= NVME_REG_MSIX_PBA) {
        return pending_vectors((offset - NVME_REG_MSIX_PBA) / NVME_MSIX_PBA_STRIDE);
    }
    switch (offset) {
    case NVME_REG_CAP:
        return low(NVME_CAP_RESET) | (m_config.queue_entries - 1) | // MQES
               time_to_ready(m_config.ready_limit) << NVME_CAP_TO_SHIFT;
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
    if (offset >= NVME_REG_MSIX_PBA) {
        return; // read-only
    }
    if (offset >= NVME_REG_DOORBELL) {
        doorbell(offset - NVME_REG_DOORBELL, value);
        return;
    }
    switch (offset) {
    case NVME_REG_INTMS:
        m_intm |= value;
        break;
    case NVME_REG_INTMC:
        unmask_vectors(value);
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
    const bool enabled = (m_cc & NVME_CC_EN) != 0;
    const bool enable = (value & NVME_CC_EN) != 0;
    m_cc = value;
    if (enabled && !enable) {
        m_reset_unseen = m_told_ready;
        controller_reset();
    } else if (!enabled && enable && !can_enable(value)) {
        fatal(); // and firmware's RDY stays without effect
    } else if (!enabled && enable) {
        m_arbiter.reset((value & NVME_CC_AMS_MASK) != 0);
    }
    if (enable && m_reset_unseen) {
        m_csts &= ~NVME_CSTS_RDY; // for a host that does not wait for that: it is of before
    }
    m_cc_written = true;
    raise(FE_INT_CC);
}

/// What the host asks for is what CAP offers (3.1.5). The sizes of I/O queue entries may be left 0
/// until there are I/O queues (7.6.1).
bool front_end::can_enable(std::uint32_t cc) const
{
    constexpr std::uint64_t cap = NVME_CAP_RESET;
    const auto of_cc = [cc](std::uint32_t mask, std::uint32_t shift) {
        return (cc & mask) >> shift;
    };
    const auto of_cap = [](std::uint64_t mask, std::uint32_t shift) {
        return static_cast<std::uint32_t>((cap & mask) >> shift);
    };
    const std::uint32_t mps = of_cc(NVME_CC_MPS_MASK, NVME_CC_MPS_SHIFT);
    const std::uint32_t ams = of_cc(NVME_CC_AMS_MASK, NVME_CC_AMS_SHIFT);
    const std::uint32_t css = of_cc(NVME_CC_CSS_MASK, NVME_CC_CSS_SHIFT);
    const std::uint32_t sqes = of_cc(NVME_CC_IOSQES_MASK, NVME_CC_IOSQES_SHIFT);
    const std::uint32_t cqes = of_cc(NVME_CC_IOCQES_MASK, NVME_CC_IOCQES_SHIFT);
    const std::uint32_t asqs = m_aqa & NVME_AQA_ASQS_MASK;
    const std::uint32_t acqs = (m_aqa & NVME_AQA_ACQS_MASK) >> NVME_AQA_ACQS_SHIFT;
    const std::uint32_t sets = of_cap(NVME_CAP_CSS_MASK, NVME_CAP_CSS_SHIFT);
    const std::uint32_t schemes = of_cap(NVME_CAP_AMS_MASK, NVME_CAP_AMS_SHIFT);
    return mps >= of_cap(NVME_CAP_MPSMIN_MASK, NVME_CAP_MPSMIN_SHIFT) &&
           mps <= of_cap(NVME_CAP_MPSMAX_MASK, NVME_CAP_MPSMAX_SHIFT) &&
           (ams == 0 || (ams == 1 && (schemes & 1u) != 0)) && (sets >> css & 1u) != 0 &&
           (sqes == 0 || 1u << sqes == sizeof(nvme_sqe)) &&
           (cqes == 0 || 1u << cqes == sizeof(nvme_cqe)) && asqs != 0 && acqs != 0;
}

/// The way out is a controller reset.
void front_end::fatal()
{
    m_fatal = true;
    m_csts |= NVME_CSTS_CFS;
    ++m_stats.fatal_states;
}

/// Only of a controller that is ready: else there are no queues, and nobody to tell.
void front_end::doorbell(std::uint32_t offset, std::uint32_t value)
{
    const std::uint32_t id = offset / NVME_DOORBELL_STRIDE;
    const bool completion = offset % NVME_DOORBELL_STRIDE == NVME_DOORBELL_CQHDBL;
    const bool exists = id < m_sqs.size() && (completion ? m_cqs[id].exists : m_sqs[id].exists);
    if (exists &&
        (completion ? completion_doorbell(m_cqs[id], value) : submission_doorbell(id, value))) {
        return;
    }
    ++m_stats.invalid_doorbells;
    if ((m_csts & NVME_CSTS_RDY) == 0 || (m_cc & NVME_CC_EN) == 0) {
        return;
    }
    if (m_doorbell_error == 0) {
        m_doorbell_error =
            (completion ? FE_DOORBELL_ERROR_COMPLETION : 0) | id << FE_DOORBELL_ERROR_QUEUE_SHIFT;
    }
    m_doorbell_error |= exists ? FE_DOORBELL_ERROR_VALUE : FE_DOORBELL_ERROR_REGISTER;
    raise(FE_INT_DOORBELL);
}

/// Returns false when the value cannot be right: beyond the queue's end, the value it has already,
/// or more entries than the queue has room for.
bool front_end::submission_doorbell(std::uint32_t id, std::uint32_t tail)
{
    submission_queue& q = m_sqs[id];
    if (tail >= q.size || tail == q.tail) {
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
    m_arbiter.filled(id);
    fetch();
    return true;
}

/// Returns false also when the host claims entries that were not posted.
bool front_end::completion_doorbell(completion_queue& q, std::uint32_t head)
{
    if (!q.exists || head >= q.size || head == q.head || q.distance(q.head, head) > q.used()) {
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
