// SPDX-License-Identifier: Apache-2.0
//
// How much of a host sector the platform carries. `tag` moves the first 8 bytes of each 512-byte
// sector: a number that proves which sector and which version it is.
//
// On TLM sockets the reduction is a standard byte-enable pattern, so that a payload always says
// truly which bytes it transfers while data_length keeps the length that takes time.
#pragma once

#include <cstdint>
#include <cstring>
#include <tlm>

namespace ssdvp {

enum class data_mode : std::uint8_t { none, tag, full };

constexpr std::uint32_t sector_size = 512; // bytes
constexpr std::uint32_t tag_size = 8;      // bytes at the start of each sector in `tag` mode

/// Tag of a sector: 40 bits of address, 24 bits of version. Version 0 is "never written", whose
/// tag is 0 as a whole.
constexpr unsigned tag_version_bits = 24;
constexpr std::uint64_t tag_version_mask = (1ull << tag_version_bits) - 1;
constexpr std::uint64_t tag_step = 1ull << tag_version_bits; // to the next sector's tag
constexpr std::uint64_t make_tag(std::uint64_t lba, std::uint64_t version)
{
    return version == 0 ? 0 : (lba << tag_version_bits) | (version & tag_version_mask);
}

/// Byte-enable array of a mode, `sector_size` long; nullptr means every byte (full).
const unsigned char* byte_enables(data_mode mode);

/// Sets the byte enables of `gp` for host data in `mode`.
inline void set_byte_enables(tlm::tlm_generic_payload& gp, data_mode mode)
{
    const unsigned char* pattern = byte_enables(mode);
    gp.set_byte_enable_ptr(const_cast<unsigned char*>(pattern));
    gp.set_byte_enable_length(pattern == nullptr ? 0 : sector_size);
}

/// fn(offset) for each sector of `length` bytes: eight at a time, so that the loop costs little.
template <typename Fn>
void for_each_sector(std::size_t length, Fn fn)
{
    constexpr std::size_t block = 8 * sector_size;
    std::size_t at = 0;
    for (; at + block <= length; at += block) {
        for (std::size_t i = 0; i < block; i += sector_size) {
            fn(at + i);
        }
    }
    for (; at < length; at += sector_size) {
        fn(at);
    }
}

/// Copies host data of `length` bytes as `mode` says. Both ends sector-aligned in `tag` mode.
inline void copy_payload(data_mode mode, unsigned char* to, const unsigned char* from,
                         std::size_t length)
{
    if (mode == data_mode::full) {
        std::memcpy(to, from, length);
    } else if (mode == data_mode::tag) {
        for_each_sector(length,
                        [to, from](std::size_t at) { std::memcpy(to + at, from + at, tag_size); });
    }
}

/// Performs gp's transfer on memory at `storage`, honouring its byte enables.
void transfer(tlm::tlm_generic_payload& gp, unsigned char* storage);

} // namespace ssdvp
