// SPDX-License-Identifier: Apache-2.0
//
// Messages to the host: the MSI-X table, masks and pending bits (PCI 3.0, 6.8.2), and messages that
// wait for more completions (NVM Express base 1.4, 5.21.1.8).
#pragma once

#include <cstdint>
#include <vector>

#include "models/nvme/shared.h"

namespace ssdvp::nvme {

class interrupts {
public:
    explicit interrupts(front_end_shared& shared)
        : m_shared(shared), m_vectors(shared.config.vectors)
    {}

    // Host registers; `offset` within the MSI-X table.
    [[nodiscard]] std::uint32_t read_table(std::uint32_t offset) const;
    void write_table(std::uint32_t offset, std::uint32_t value);
    /// Bits of vectors 32 * word and on.
    [[nodiscard]] std::uint32_t pending(std::uint32_t word) const;
    /// INTMS, INTMC.
    [[nodiscard]] std::uint32_t mask() const { return m_mask; }
    void set_mask(std::uint32_t bits) { m_mask |= bits; }
    void clear_mask(std::uint32_t bits);

    // Features
    [[nodiscard]] std::uint32_t coalescing() const { return m_coalescing; }
    void set_coalescing(std::uint32_t value);
    [[nodiscard]] bool has(std::uint32_t vector) const { return vector < m_vectors.size(); }
    [[nodiscard]] bool never_waits(std::uint32_t vector) const
    {
        return has(vector) && m_vectors[vector].never_waits;
    }
    /// Precondition: has(vector).
    void set_never_waits(std::uint32_t vector, bool never)
    {
        m_vectors[vector].never_waits = never;
    }

    /// A message of this vector will leave with its completion.
    [[nodiscard]] bool leaves_at_once(std::uint16_t vector) const
    {
        return !masked(vector) && !coalesces(vector);
    }
    /// Takes the link for a message, from `earliest` on; returns the arrival.
    sim_time occupy_link(std::uint16_t vector, sim_time earliest)
    {
        return m_shared.host.occupy(m_vectors[vector].address(), sizeof(std::uint32_t), earliest);
    }
    /// A completion is there. `on_wire`: the message's time on the link was taken before.
    void notify(std::uint16_t vector, bool on_wire);
    void end_coalescing(const job& j);

    /// A controller reset: nothing waits, and coalescing is as at power-up; the table stays.
    void forget();
    /// As at power-up.
    void reset();

private:
    [[nodiscard]] bool masked(std::uint32_t vector) const;
    [[nodiscard]] bool coalesces(std::uint16_t vector) const;
    void send(std::uint16_t vector, bool on_wire);

    front_end_shared& m_shared;
    std::vector<msix_vector> m_vectors;
    std::uint32_t m_mask = 0;
    std::uint32_t m_coalescing = 0;
};

} // namespace ssdvp::nvme
