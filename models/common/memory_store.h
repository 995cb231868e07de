// SPDX-License-Identifier: Apache-2.0
//
// Backing bytes of a memory: reserved at once, zero, and paid for only where touched.
#pragma once

#include <cstdint>

#include "models/common/lazy_array.h"

namespace ssdvp {

class memory_store {
public:
    /// Throws std::runtime_error when the host cannot reserve `size` bytes of address space.
    explicit memory_store(std::uint64_t size) : m_bytes(size) {}

    [[nodiscard]] unsigned char* data() { return m_bytes.data(); }
    [[nodiscard]] std::uint64_t size() const { return m_bytes.size(); }
    [[nodiscard]] bool contains(std::uint64_t offset, std::uint64_t length) const
    {
        return length <= size() && offset <= size() - length;
    }

private:
    lazy_array<unsigned char> m_bytes;
};

} // namespace ssdvp
