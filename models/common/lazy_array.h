// SPDX-License-Identifier: Apache-2.0
//
// A zeroed array that takes memory only where it is touched: anonymous pages without reservation.
// So tables can be sized by a drive's capacity and still cost what a run uses.
#pragma once

#include <cstddef>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

#include "models/common/address_space.h"

namespace ssdvp {

template <typename T>
class lazy_array {
    static_assert(std::is_trivially_copyable_v<T>, "pages start as zeros, without constructors");

public:
    lazy_array() = default;
    /// Throws address_space_error when the host has no room. `guard`: so many
    /// bytes, whole pages, on either side trap when they are touched.
    explicit lazy_array(std::size_t count, std::size_t guard = 0) : m_count(count), m_guard(guard)
    {
        if (count == 0) {
            return;
        }
        const int access = guard == 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
        void* pages = map_pages(count * sizeof(T) + 2 * guard, access);
        m_data = reinterpret_cast<T*>(static_cast<unsigned char*>(pages) + guard);
        if (guard != 0) {
            mprotect(m_data, count * sizeof(T), PROT_READ | PROT_WRITE);
        }
    }
    ~lazy_array() { release(); }
    lazy_array(const lazy_array&) = delete;
    lazy_array& operator=(const lazy_array&) = delete;
    lazy_array(lazy_array&& other) noexcept { swap(other); }
    lazy_array& operator=(lazy_array&& other) noexcept
    {
        swap(other);
        return *this;
    }

    T& operator[](std::size_t i) { return m_data[i]; }
    const T& operator[](std::size_t i) const { return m_data[i]; }
    /// Zeros again: the pages go back to the host.
    void clear()
    {
        if (m_data == nullptr) {
            return;
        }
        if (m_from_file != 0) { // else they would be the file's again
            map_zeros(m_data, m_from_file);
            m_from_file = 0;
        }
        madvise(m_data, m_count * sizeof(T), MADV_DONTNEED);
    }
    /// The first so many bytes show pages of a file from now on.
    void came_from_file(std::size_t bytes) { m_from_file = bytes; }
    [[nodiscard]] T* data() { return m_data; }
    [[nodiscard]] std::size_t size() const { return m_count; }

private:
    void swap(lazy_array& other) noexcept
    {
        std::swap(m_data, other.m_data);
        std::swap(m_count, other.m_count);
        std::swap(m_guard, other.m_guard);
        std::swap(m_from_file, other.m_from_file);
    }
    void release()
    {
        if (m_data != nullptr) {
            munmap(reinterpret_cast<unsigned char*>(m_data) - m_guard,
                   m_count * sizeof(T) + 2 * m_guard);
        }
    }

    T* m_data = nullptr;
    std::size_t m_count = 0;
    std::size_t m_guard = 0;     // bytes
    std::size_t m_from_file = 0; // bytes
};

} // namespace ssdvp
