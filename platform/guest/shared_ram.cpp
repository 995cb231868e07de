// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/shared_ram.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "platform/guest/guest_error.h"

namespace ssdvp::platform {

namespace {

/// Memory behind the end of its file would be a fault at the first access.
void need_bytes(const share_memory::piece& p)
{
    struct stat s {};
    if (::fstat(p.file.get(), &s) != 0 || p.size == 0 || p.size > ~p.offset ||
        p.offset + p.size > static_cast<std::uint64_t>(s.st_size)) {
        throw proxy_error(
            fmt::format("guest memory of {} bytes at {:#x} is not in its file", p.size, p.address));
    }
}

} // namespace

const std::vector<host::guest_ram>& shared_ram::map(const share_memory& memory)
{
    unmap();
    for (const share_memory::piece& p : memory.pieces) {
        need_bytes(p);
        void* at = ::mmap(nullptr, p.size, PROT_READ | PROT_WRITE, MAP_SHARED, p.file.get(),
                          static_cast<off_t>(p.offset));
        if (at == MAP_FAILED) {
            throw proxy_error(fmt::format("guest memory of {} bytes at {:#x}: {}", p.size,
                                          p.address, std::strerror(errno)));
        }
        m_ram.push_back({p.address, p.size, static_cast<unsigned char*>(at)});
    }
    return m_ram;
}

void shared_ram::unmap()
{
    for (const host::guest_ram& r : m_ram) {
        ::munmap(r.bytes, r.size);
    }
    m_ram.clear();
}

} // namespace ssdvp::platform
