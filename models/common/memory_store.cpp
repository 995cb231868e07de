// SPDX-License-Identifier: Apache-2.0
#include "models/common/memory_store.h"

#include <stdexcept>
#include <sys/mman.h>

namespace ssdvp {

memory_store::memory_store(std::uint64_t size) : m_size(size)
{
    void* p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        throw std::runtime_error("the host cannot reserve address space for a modelled memory; "
                                 "lower dram.capacity or sram.capacity");
    }
    m_data = static_cast<unsigned char*>(p);
}

memory_store::~memory_store()
{
    ::munmap(m_data, m_size);
}

} // namespace ssdvp
