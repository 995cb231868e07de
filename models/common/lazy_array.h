// SPDX-License-Identifier: Apache-2.0
//
// A zeroed array that takes memory only where it is touched: anonymous pages without reservation.
// So tables can be sized by a drive's capacity and still cost what a run uses.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace ssdvp {

template <typename T>
class lazy_array {
    static_assert(std::is_trivially_copyable_v<T>, "pages start as zeros, without constructors");

public:
    lazy_array() = default;
    /// Throws std::runtime_error when the host cannot reserve the address space.
    explicit lazy_array(std::size_t count) : m_count(count)
    {
        if (count == 0) {
            return;
        }
        void* pages = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED) {
            throw std::runtime_error("the host cannot reserve " +
                                     std::to_string(count * sizeof(T)) +
                                     " bytes of address space; make the drive or its DRAM smaller");
        }
        m_data = static_cast<T*>(pages);
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
        if (m_data != nullptr) {
            madvise(m_data, m_count * sizeof(T), MADV_DONTNEED);
        }
    }
    [[nodiscard]] T* data() { return m_data; }
    [[nodiscard]] std::size_t size() const { return m_count; }

private:
    void swap(lazy_array& other) noexcept
    {
        std::swap(m_data, other.m_data);
        std::swap(m_count, other.m_count);
    }
    void release()
    {
        if (m_data != nullptr) {
            munmap(m_data, m_count * sizeof(T));
        }
    }

    T* m_data = nullptr;
    std::size_t m_count = 0;
};

} // namespace ssdvp
