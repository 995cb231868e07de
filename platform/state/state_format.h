// SPDX-License-Identifier: Apache-2.0
//
// The file of a kept state: a header, pages as they lie in memory, and an index behind them. All
// numbers are the host's own: a state is for the program that made it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ssdvp::platform {

constexpr std::array<char, 8> state_magic = {'S', 'S', 'D', 'V', 'P', 'S', 'T', '\n'};
constexpr std::uint32_t state_version = 6;    // of this format
constexpr std::size_t state_block = 4u << 20; // bytes under one checksum

struct state_header { // in the file's first page; checksums are XXH3 of 64 bits
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t page_bytes;
    std::uint64_t file_bytes;
    std::uint64_t index_offset; // the index ends with the file
    std::uint64_t index_sum;
    std::uint64_t header_sum; // of the page, this one as 0
};
using state_first_page = std::array<unsigned char, 4096>; // the header, then zeros

/// Pages that lie together, in memory and in the file.
struct state_extent {
    std::uint64_t offset; // from where their table begins
    std::uint64_t bytes;
    std::uint64_t in_file;
};

struct state_section { // one table
    std::uint64_t bytes = 0;
    std::vector<state_extent> extents;
};

/// All but the pages.
struct state_index {
    std::string identity;              // what the state was made by and of, as text
    std::vector<unsigned char> values; // plain values, in the order in which they were named
    std::vector<state_section> sections;
    std::vector<std::uint64_t> sums; // of each block of the file between header and index

    [[nodiscard]] std::string pack() const;
    /// False: it is none.
    [[nodiscard]] bool unpack(const std::string& text);
};

[[nodiscard]] std::uint64_t checksum(const void* bytes, std::size_t count);
[[nodiscard]] state_first_page first_page(const state_header& h);
/// Of a page with that header, whatever its sum says.
[[nodiscard]] std::uint64_t header_sum(const state_first_page& page);

} // namespace ssdvp::platform
