// SPDX-License-Identifier: Apache-2.0
#include "models/host/driver/metadata.h"

#include <array>
#include <boost/crc.hpp>
#include <cstring>

#include "models/common/data_mode.h"

namespace ssdvp::host {

namespace {

constexpr std::uint32_t protection_bytes = 8;
constexpr std::uint16_t application_tag = 0x5344;

void put_be(unsigned char* to, std::uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; ++i) {
        to[i] = static_cast<unsigned char>(value >> (8 * (size - 1 - i)));
    }
}

} // namespace

std::uint32_t block_metadata::pitch() const
{
    return static_cast<std::uint32_t>(sector_size) + (extended() ? m_config.bytes : 0);
}

void block_metadata::protect(nvme_sqe& sqe, std::uint64_t lba) const
{
    if (m_config.protection == 0) {
        return;
    }
    // Type 3: nobody but the host knows what reference tags are.
    const std::uint32_t checks = m_config.protection == 3 ? 6 : 7;
    sqe.cdw12 |= checks << NVME_PRINFO_SHIFT;
    sqe.cdw14 = static_cast<std::uint32_t>(lba);
    sqe.cdw15 = 0xFFFFu << 16 | application_tag;
}

void block_metadata::make_one(std::uint64_t lba, const unsigned char* sector,
                              unsigned char* to) const
{
    std::uint64_t mixed = 0; // address and version of the data
    std::memcpy(&mixed, sector, sizeof mixed);
    for (std::uint32_t i = 0; i < m_config.bytes; i += 8) {
        mixed = (mixed + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
        mixed ^= mixed >> 29;
        std::memcpy(to + i, &mixed, sizeof mixed);
    }
    if (m_config.protection == 0) {
        return;
    }
    const std::uint32_t at = m_config.bytes - protection_bytes;
    boost::crc_optimal<16, 0x8BB7, 0, 0, false, false> guard; // T10, SBC-4
    guard.process_bytes(sector, sector_size);
    guard.process_bytes(to, at);
    put_be(to + at, guard.checksum(), 2);
    put_be(to + at + 2, application_tag, 2);
    put_be(to + at + 4, lba & 0xFFFFFFFFu, 4);
}

void block_metadata::make(std::uint64_t lba, std::uint32_t sectors, unsigned char* data,
                          unsigned char* metadata) const
{
    for (std::uint32_t i = sectors; i-- > 0;) {
        const unsigned char* from = data + std::size_t{i} * sector_size;
        unsigned char* sector = data + std::size_t{i} * pitch();
        std::memmove(sector, from, sector_size);
        make_one(lba + i, sector,
                 extended() ? sector + sector_size : metadata + std::size_t{i} * m_config.bytes);
    }
}

void block_metadata::gather(std::uint32_t sectors, unsigned char* data,
                            unsigned char* metadata) const
{
    for (std::uint32_t i = 0; extended() && i < sectors; ++i) {
        const unsigned char* from = data + std::size_t{i} * pitch();
        std::memcpy(metadata + std::size_t{i} * m_config.bytes, from + sector_size, m_config.bytes);
        std::memmove(data + std::size_t{i} * sector_size, from, sector_size);
    }
}

bool block_metadata::belongs(std::uint64_t lba, const unsigned char* sector,
                             const unsigned char* metadata) const
{
    std::array<unsigned char, most> expected{};
    std::uint64_t tag = 0;
    std::memcpy(&tag, sector, sizeof tag);
    if (tag != 0) {
        make_one(lba, sector, expected.data());
    } else if (m_config.protection != 0) {
        std::memset(expected.data() + m_config.bytes - protection_bytes, 0xFF, protection_bytes);
    }
    return std::memcmp(expected.data(), metadata, m_config.bytes) == 0;
}

} // namespace ssdvp::host
