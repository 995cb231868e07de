// SPDX-License-Identifier: Apache-2.0
#include "models/common/address_space.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace ssdvp {

namespace {

constexpr double mib = 1 << 20;
constexpr double gib = 1 << 30;

} // namespace

std::uint64_t address_space_limit() noexcept
{
    rlimit l{};
    const bool known = getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur != RLIM_INFINITY;
    return known ? l.rlim_cur : 0;
}

/// Without a FILE, whose buffer would come from the heap.
std::uint64_t address_space_taken() noexcept
{
    std::array<char, 64> text{};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? 0 : read(file, text.data(), text.size() - 1);
    if (file >= 0) {
        close(file);
    }
    const std::uint64_t pages = got > 0 ? std::strtoull(text.data(), nullptr, 10) : 0;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

address_space_error::address_space_error(std::size_t asked) noexcept
{
    std::array<char, 48> more{"the heap asked for more"};
    if (asked != 0) {
        std::snprintf(more.data(), more.size(), "%.2f MiB more were asked for",
                      static_cast<double>(asked) / mib);
    }
    std::array<char, 64> may{};
    if (const std::uint64_t limit = address_space_limit()) {
        std::snprintf(may.data(), may.size(), " of %.2f GiB that it may have (ulimit -v)",
                      static_cast<double>(limit) / gib);
    }
    std::snprintf(m_text.data(), m_text.size(),
                  "%s%s, this process has %.2f GiB of address space%s", begins, more.data(),
                  static_cast<double>(address_space_taken()) / gib, may.data());
}

void* map_pages(std::size_t bytes, int access)
{
    void* pages = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        throw address_space_error(bytes);
    }
    return pages;
}

void map_zeros(void* pages, std::size_t bytes)
{
    if (mmap(pages, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
        throw address_space_error(bytes);
    }
}

} // namespace ssdvp
