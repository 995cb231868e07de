// SPDX-License-Identifier: Apache-2.0
//
// Pages of the host without reservation: they cost memory when they are first touched.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <sys/mman.h>

namespace ssdvp {

/// The host has no room for so many bytes: its address space is limited (ulimit -v), or full.
class address_space_error final : public std::bad_alloc {
public:
    explicit address_space_error(std::size_t bytes)
        : m_text("the host cannot reserve " + std::to_string(bytes) +
                 " bytes of address space; make the drive or its DRAM smaller")
    {}
    [[nodiscard]] const char* what() const noexcept override { return m_text.c_str(); }

private:
    std::string m_text;
};

/// `access`: of mmap(). To be given back by munmap().
inline void* map_pages(std::size_t bytes, int access)
{
    void* pages = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        throw address_space_error(bytes);
    }
    return pages;
}

} // namespace ssdvp
