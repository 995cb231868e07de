// SPDX-License-Identifier: Apache-2.0
//
// Which pages of a mapping that starts as zeros were ever touched: the others need not be looked
// at.
#pragma once

#include <cstddef>
#include <functional>

namespace ssdvp::platform {

constexpr std::size_t page_bytes = 4096; // of the host, and of a state's file

[[nodiscard]] constexpr std::size_t whole_pages_of(std::size_t bytes)
{
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Calls `run` for each stretch of pages of [at, at + bytes) that holds anything but zeros, by its
/// offset and length in bytes. `at` is where a page begins.
void for_each_stretch(const unsigned char* at, std::size_t bytes,
                      const std::function<void(std::size_t, std::size_t)>& run);

} // namespace ssdvp::platform
