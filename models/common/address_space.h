// SPDX-License-Identifier: Apache-2.0
//
// Pages of the host without reservation: they cost memory when they are first touched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace ssdvp {

/// Bytes of address space that this process may have (ulimit -v); 0 = no limit.
[[nodiscard]] std::uint64_t address_space_limit() noexcept;
/// ... and those that it has.
[[nodiscard]] std::uint64_t address_space_taken() noexcept;

/// The host gives no more memory: its address space is limited, or full. Says so with what was
/// asked for, what the process has then, and its limit. Allocates nothing.
class address_space_error final : public std::bad_alloc {
public:
    static constexpr const char* begins = "the host gives no more memory: ";

    /// `asked`: bytes; 0: by the heap, which does not tell how many.
    explicit address_space_error(std::size_t asked) noexcept;
    [[nodiscard]] const char* what() const noexcept override { return m_text.data(); }

private:
    std::array<char, 224> m_text{};
};

/// `access`: of mmap(). To be given back by munmap(). Throws address_space_error.
void* map_pages(std::size_t bytes, int access);
/// Pages of map_pages() that may be written are zeros again, whatever was mapped over them. Throws
/// address_space_error.
void map_zeros(void* pages, std::size_t bytes);

} // namespace ssdvp
