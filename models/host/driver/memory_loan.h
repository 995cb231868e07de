// SPDX-License-Identifier: Apache-2.0
//
// Memory that the driver lends the drive: the host memory buffer of NVM Express base 1.4, section
// 8.9, in chunks with a descriptor each.
#pragma once

#include <cstdint>

#include "models/host/config.h"
#include "models/host/memory/memory.h"
#include "models/regs/nvme_records.h"

namespace ssdvp::host {

/// What Identify Controller says of it.
struct memory_wish {
    std::uint64_t preferred = 0;     // HMPRE, bytes
    std::uint64_t minimum = 0;       // HMMIN, bytes
    std::uint64_t least_chunk = 0;   // HMMINDS, bytes
    std::uint32_t descriptors = ~0u; // HMMAXD
};

class memory_loan {
public:
    /// Host memory that it may take.
    [[nodiscard]] static std::uint64_t most(const hmb_grant& grant)
    {
        return grant.on ? memory::page_up(grant.size) + memory::page_size : 0;
    }

    memory_loan(const hmb_grant& grant, memory& mem) : m_grant(grant), m_memory(mem) {}

    /// The drive wishes; memory is taken for it once, as far as the grant goes.
    void hear(const unsigned char* identify);
    /// There is memory that the drive can use.
    [[nodiscard]] bool any() const { return m_entries != 0; }
    /// Set Features that lends it, or takes it back.
    void lend(nvme_sqe& sqe);
    static void take_back(nvme_sqe& sqe);
    /// The host writes over all of it, which it must not as long as it is lent.
    void overwrite();

private:
    void allocate(std::uint64_t bytes, const memory_wish& wish);

    const hmb_grant& m_grant;
    memory& m_memory;
    std::uint64_t m_list = 0; // of descriptors
    std::uint32_t m_entries = 0;
    std::uint64_t m_pages = 0;
    bool m_lent_before = false;
};

} // namespace ssdvp::host
