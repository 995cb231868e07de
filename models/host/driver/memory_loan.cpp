// SPDX-License-Identifier: Apache-2.0
#include "models/host/driver/memory_loan.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::host {

namespace {

constexpr std::uint64_t identify_unit = 4096;     // of the fields below, whatever CC.MPS is
constexpr std::uint32_t enable = 1, returned = 2; // EHM, MR

template <class T>
std::uint64_t field(const unsigned char* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

memory_wish wish_of(const unsigned char* identify)
{
    memory_wish w;
    w.preferred = field<std::uint32_t>(identify + 272) * identify_unit;
    w.minimum = field<std::uint32_t>(identify + 276) * identify_unit;
    w.least_chunk = field<std::uint32_t>(identify + 332) * identify_unit;
    const auto most = static_cast<std::uint32_t>(field<std::uint16_t>(identify + 336));
    w.descriptors = most == 0 ? ~0u : most;
    return w;
}

} // namespace

void memory_loan::hear(const unsigned char* identify)
{
    const memory_wish wish = wish_of(identify);
    const std::uint64_t bytes =
        std::min(m_grant.size, wish.preferred) / memory::page_size * memory::page_size;
    if (!m_grant.on || any() || bytes == 0 || bytes < wish.minimum) {
        return;
    }
    allocate(bytes, wish);
}

/// Chunk by chunk; as Linux does, one that would be the last of too many is left out.
void memory_loan::allocate(std::uint64_t bytes, const memory_wish& wish)
{
    const std::uint64_t chunk = std::max(m_grant.chunk, wish.least_chunk);
    const std::uint64_t most =
        std::min<std::uint64_t>({wish.descriptors, (bytes + chunk - 1) / chunk,
                                 memory::page_size / sizeof(nvme_host_descriptor)});
    const std::uint64_t lent = std::min(bytes, most * chunk);
    if (lent < wish.minimum) {
        return;
    }
    m_list = m_memory.allocate(memory::page_size);
    auto* d = reinterpret_cast<nvme_host_descriptor*>(m_memory.at(m_list));
    for (std::uint64_t done = 0; done < lent; done += chunk, ++m_entries) {
        const std::uint64_t size = std::min(chunk, lent - done);
        d[m_entries] = {m_memory.allocate(size),
                        static_cast<std::uint32_t>(size / memory::page_size), 0};
    }
    m_pages = lent / memory::page_size;
}

void memory_loan::lend(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_SET_FEATURES;
    sqe.cdw10 = NVME_FEATURE_HOST_MEMORY;
    sqe.cdw11 = enable | (m_lent_before ? returned : 0);
    sqe.cdw12 = static_cast<std::uint32_t>(m_pages);
    sqe.cdw13 = static_cast<std::uint32_t>(m_list);
    sqe.cdw14 = static_cast<std::uint32_t>(m_list >> 32);
    sqe.cdw15 = m_entries;
    m_lent_before = true;
}

void memory_loan::take_back(nvme_sqe& sqe)
{
    sqe.opcode = NVME_ADMIN_SET_FEATURES;
    sqe.cdw10 = NVME_FEATURE_HOST_MEMORY;
    sqe.cdw11 = 0;
}

void memory_loan::overwrite()
{
    const auto* d = reinterpret_cast<const nvme_host_descriptor*>(m_memory.at(m_list));
    for (std::uint32_t i = 0; i < m_entries; ++i) {
        std::memset(m_memory.at(d[i].address), 0xA5, d[i].pages * memory::page_size);
    }
}

} // namespace ssdvp::host
