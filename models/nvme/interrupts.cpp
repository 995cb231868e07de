// SPDX-License-Identifier: Apache-2.0
//
// Messages to the host: the MSI-X table, masks and pending bits (PCI 3.0, 6.8.2), and messages
// that wait for more completions (NVM Express base 1.4, 5.21.1.8).
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

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
        if (v.pending && !masked(vector)) {
            interrupt_host(static_cast<std::uint16_t>(vector), false);
        }
    }
}

void front_end::unmask_vectors(std::uint32_t mask)
{
    m_intm &= ~mask;
    for (std::uint32_t vector = 0; vector < 32 && vector < m_msix.size(); ++vector) {
        if ((mask >> vector & 1u) != 0 && m_msix[vector].pending && !masked(vector)) {
            interrupt_host(static_cast<std::uint16_t>(vector), false);
        }
    }
}

/// Bits of vectors 32 * word and on.
std::uint32_t front_end::pending_vectors(std::uint32_t word) const
{
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < 32 && 32 * word + i < m_msix.size(); ++i) {
        bits |= m_msix[32 * word + i].pending ? 1u << i : 0u;
    }
    return bits;
}

bool front_end::masked(std::uint32_t vector) const
{
    return m_msix[vector].masked() || (vector < 32 && (m_intm >> vector & 1u) != 0);
}

/// Messages of admin completions never wait.
bool front_end::coalesces(const completion_queue& q) const
{
    return (m_window.coalescing & FE_COALESCING_THR_MASK) != 0 &&
           (m_window.coalescing & FE_COALESCING_TIME_MASK) != 0 && q.vector != 0 &&
           !m_msix[q.vector].never_waits;
}

namespace {

sim_time longest_wait(std::uint32_t coalescing)
{
    constexpr std::uint64_t unit = 100'000'000; // 100 us in ps
    return sim_time(unit * ((coalescing & FE_COALESCING_TIME_MASK) >> FE_COALESCING_TIME_SHIFT));
}

} // namespace

/// A completion of `q` is there. `on_wire`: the message's time on the link was taken before.
void front_end::notify_host(const completion_queue& q, bool on_wire)
{
    msix_vector& v = m_msix[q.vector];
    ++v.held;
    const std::uint32_t threshold = m_window.coalescing & FE_COALESCING_THR_MASK; // zero-based
    if (on_wire || !coalesces(q) || v.held > threshold) {
        v.held = 0;
        interrupt_host(q.vector, on_wire);
        return;
    }
    if (v.held == 1) {
        v.since = now();
    }
    if (!v.timed) {
        v.timed = true;
        m_agenda.push(v.since + longest_wait(m_window.coalescing),
                      {job_kind::coalesced, 0, 0, q.vector, m_generation, 0});
    }
}

/// A time has passed, maybe that of completions whose message has left: then that of those which
/// wait now begins anew. So there is one entry in the agenda for a vector, not one for a message.
void front_end::end_coalescing(const job& j)
{
    msix_vector& v = m_msix[j.slot];
    if (j.key != m_generation) {
        return;
    }
    v.timed = false;
    if (v.held == 0) {
        return;
    }
    const sim_time end = v.since + longest_wait(m_window.coalescing);
    if (end > now()) {
        v.timed = true;
        m_agenda.push(end, j);
        return;
    }
    v.held = 0;
    interrupt_host(j.slot, false);
}

/// `on_wire`: the message's time on the link was taken before.
void front_end::interrupt_host(std::uint16_t vector, bool on_wire)
{
    msix_vector& v = m_msix[vector];
    v.pending = masked(vector);
    if (v.pending) {
        return;
    }
    ++m_stats.host_interrupts;
    std::uint32_t message = v.data;
    host_dma({tlm::TLM_WRITE_COMMAND, v.address(), &message, sizeof message,
              on_wire ? tlp::portion::bytes : tlp::portion::whole},
             now());
}

} // namespace ssdvp::nvme
