// SPDX-License-Identifier: Apache-2.0
//
// Backing bytes of a memory: reserved at once, zero, and paid for only where touched.
#pragma once

#include <cstdint>

namespace ssdvp {

class memory_store {
public:
    /// Throws std::runtime_error when the host cannot reserve `size` bytes of address space.
    explicit memory_store(std::uint64_t size);
    ~memory_store();
    memory_store(const memory_store&) = delete;
    memory_store& operator=(const memory_store&) = delete;

    [[nodiscard]] unsigned char* data() { return m_data; }
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] bool contains(std::uint64_t offset, std::uint64_t length) const
    {
        return length <= m_size && offset <= m_size - length;
    }

private:
    unsigned char* m_data = nullptr;
    std::uint64_t m_size = 0;
};

} // namespace ssdvp
