// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/interrupts.h"

namespace ssdvp::nvme {

std::uint32_t interrupts::read_table(std::uint32_t offset) const
{
    const std::uint32_t vector = offset / NVME_MSIX_TABLE_STRIDE;
    if (!has(vector)) {
        return 0;
    }
    const msix_vector& v = m_vectors[vector];
    const std::uint32_t words[] = {v.address_low, v.address_high, v.data, v.control};
    return words[offset % NVME_MSIX_TABLE_STRIDE / 4];
}

void interrupts::write_table(std::uint32_t offset, std::uint32_t value)
{
    const std::uint32_t vector = offset / NVME_MSIX_TABLE_STRIDE;
    if (!has(vector)) {
        return;
    }
    msix_vector& v = m_vectors[vector];
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
        if (v.pending && !masked(vector)) {
            send(static_cast<std::uint16_t>(vector), false);
        }
    }
}

void interrupts::clear_mask(std::uint32_t bits)
{
    m_mask &= ~bits;
    for (std::uint32_t vector = 0; vector < 32 && has(vector); ++vector) {
        if ((bits >> vector & 1u) != 0 && m_vectors[vector].pending && !masked(vector)) {
            send(static_cast<std::uint16_t>(vector), false);
        }
    }
}

std::uint32_t interrupts::pending(std::uint32_t word) const
{
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < 32 && has(32 * word + i); ++i) {
        bits |= m_vectors[32 * word + i].pending ? 1u << i : 0u;
    }
    return bits;
}

void interrupts::set_coalescing(std::uint32_t value)
{
    m_coalescing = value & (FE_COALESCING_THR_MASK | FE_COALESCING_TIME_MASK);
}

bool interrupts::masked(std::uint32_t vector) const
{
    return m_vectors[vector].masked() || (vector < 32 && (m_mask >> vector & 1u) != 0);
}

/// Messages of admin completions never wait.
bool interrupts::coalesces(std::uint16_t vector) const
{
    return (m_coalescing & FE_COALESCING_THR_MASK) != 0 &&
           (m_coalescing & FE_COALESCING_TIME_MASK) != 0 && vector != 0 &&
           !m_vectors[vector].never_waits;
}

namespace {

sim_time longest_wait(std::uint32_t coalescing)
{
    constexpr std::uint64_t unit = 100'000'000; // 100 us in ps
    return sim_time(unit * ((coalescing & FE_COALESCING_TIME_MASK) >> FE_COALESCING_TIME_SHIFT));
}

} // namespace

void interrupts::notify(std::uint16_t vector, bool on_wire)
{
    msix_vector& v = m_vectors[vector];
    ++v.held;
    const std::uint32_t threshold = m_coalescing & FE_COALESCING_THR_MASK; // zero-based
    if (on_wire || !coalesces(vector) || v.held > threshold) {
        v.held = 0;
        send(vector, on_wire);
        return;
    }
    if (v.held == 1) {
        v.since = now();
    }
    if (!v.timed) {
        v.timed = true;
        m_shared.agenda.push(v.since + longest_wait(m_coalescing),
                             {job_kind::coalesced, 0, 0, vector, m_shared.generation, 0});
    }
}

/// A time has passed, maybe that of completions whose message has left: then that of those which
/// wait now begins anew. So there is one entry in the agenda for a vector, not one for a message.
void interrupts::end_coalescing(const job& j)
{
    if (j.key != m_shared.generation) {
        return;
    }
    msix_vector& v = m_vectors[j.slot];
    v.timed = false;
    if (v.held == 0) {
        return;
    }
    const sim_time end = v.since + longest_wait(m_coalescing);
    if (end > now()) {
        v.timed = true;
        m_shared.agenda.push(end, j);
        return;
    }
    v.held = 0;
    send(j.slot, false);
}

void interrupts::send(std::uint16_t vector, bool on_wire)
{
    msix_vector& v = m_vectors[vector];
    v.pending = masked(vector);
    if (v.pending) {
        return;
    }
    ++m_shared.stats.host_interrupts;
    m_shared.levels.message(vector);
    std::uint32_t message = v.data;
    m_shared.host.access({tlm::TLM_WRITE_COMMAND, v.address(), &message, sizeof message,
                          on_wire ? tlp::portion::bytes : tlp::portion::whole},
                         now());
}

void interrupts::forget()
{
    for (msix_vector& v : m_vectors) {
        v.pending = v.never_waits = v.timed = false;
        v.held = 0;
    }
    m_coalescing = 0;
}

void interrupts::reset()
{
    m_vectors.assign(m_vectors.size(), msix_vector());
    m_mask = 0;
    m_coalescing = 0;
}

} // namespace ssdvp::nvme
