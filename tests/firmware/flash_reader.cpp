// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/flash_reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

namespace ssdvp::test {

std::uint32_t slow_crc16(const std::string& bytes)
{
    std::uint32_t crc = 0xFFFF;
    for (const char byte : bytes) {
        crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(byte)) << 8;
        for (int bit = 0; bit < 8; ++bit) {
            crc = ((crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021u : 0u)) & 0xFFFF;
        }
    }
    return crc;
}

std::uint32_t slow_crc32(const std::string& bytes)
{
    std::uint32_t crc = 0xFFFFFFFF;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
        }
    }
    return ~crc;
}

std::uint32_t slow_content_check(const std::string& bytes)
{
    constexpr std::uint64_t g = 0x9E3779B97F4A7C15;
    const std::uint64_t n = bytes.size() / 8;
    std::uint64_t sum = 1;
    std::uint64_t weighted = n;
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t w = number_at(bytes, 8 * i, 8);
        sum += w;
        weighted += (n - i) * w;
    }
    sum ^= sum >> 32;
    weighted ^= weighted >> 32;
    return static_cast<std::uint32_t>((sum * g + weighted) * g >> 40);
}

std::uint64_t number_at(const std::string& bytes, std::size_t offset, std::size_t size)
{
    std::uint64_t value = 0;
    REQUIRE(offset + size <= bytes.size());
    std::memcpy(&value, bytes.data() + offset, size);
    return value;
}

void power_cycle(drive& d)
{
    d.nand.power_cut();
    d.forget();
    d.nand.power_on();
    REQUIRE_FALSE(d.nand.panicked());
    REQUIRE(d.nand.enable());
    d.create_queues();
}

void flush(drive& d)
{
    d.drain();
    REQUIRE(d.start_flush());
    d.idle();
}

void shut_down(drive& d)
{
    d.drain();
    d.nand.write_cc(NVME_CC_EN | (1u << NVME_CC_SHN_SHIFT));
    for (int n = 0; n < 100000; ++n) {
        if ((d.nand.csts() & NVME_CSTS_SHST_MASK) == NVME_CSTS_SHST_COMPLETE) {
            return;
        }
        if (!d.nand.step()) {
            d.nand.elapse();
        }
    }
    FAIL("the shutdown does not end");
}

void write_all(drive& d, std::uint64_t from, std::uint64_t sectors, std::uint32_t each)
{
    for (std::uint64_t lba = from; lba < from + sectors; lba += each) {
        while (!d.start_write(lba, each)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
}

flash_reader::flash_reader(const ram_nand& nand) : m_p(nand.config.params)
{
    const ram_image now = nand.image();
    ram_image copy = now;
    for (std::uint32_t n = 0;
         n < m_p.geometry.channels * m_p.geometry.luns_per_channel * m_p.geometry.planes; ++n) {
        for (std::uint32_t block = 0; block < m_p.geometry.blocks_per_plane; ++block) {
            const nand_place p{n % m_p.geometry.channels,
                               n / m_p.geometry.channels % m_p.geometry.luns_per_channel,
                               n / m_p.geometry.channels / m_p.geometry.luns_per_channel, block};
            read_block(nand.block_of(copy, p), p);
        }
    }
}

std::map<std::uint64_t, found_unit> flash_reader::newest(kind what) const
{
    std::map<std::uint64_t, found_unit> units;
    for (const found_page& page : pages) {
        for (std::size_t slot = 0; slot < page.words.size(); ++slot) {
            if (page.what(slot) != what) {
                continue;
            }
            found_unit u{page.index(slot), address_of(page, slot), page.sequence,
                         page.bytes.substr(slot * m_p.ftl.map_unit, m_p.ftl.map_unit)};
            if (what == kind::map || what == kind::journal) {
                CHECK(page.check(slot) == (slow_content_check(u.bytes)));
            }
            found_unit& best = units[u.index];
            if (u.sequence >= best.sequence) {
                best = u;
            }
        }
    }
    return units;
}

std::vector<found_page> flash_reader::record(std::uint64_t wanted, bool last_lun) const
{
    std::vector<found_page> found;
    for (const found_page& page : pages) {
        if (page.what(0) == kind::anchor && page.index(0) == wanted &&
            (lun_of(page.at) != 0) == last_lun) {
            found.push_back(page);
        }
    }
    return found;
}

std::uint64_t flash_reader::newest_record() const
{
    std::uint64_t most = 0;
    for (const found_page& page : pages) {
        most = page.what(0) == kind::anchor ? std::max(most, page.index(0)) : most;
    }
    return most;
}

std::uint64_t flash_reader::address_of(const found_page& page, std::uint64_t slot) const
{
    const unsigned slot_bits = bits_for(m_p.geometry.page_size / m_p.ftl.map_unit);
    const unsigned lun_shift = slot_bits + bits_for(m_p.geometry.planes);
    const unsigned row_shift =
        lun_shift + bits_for(std::uint64_t{m_p.geometry.channels} * m_p.geometry.luns_per_channel);
    const std::uint64_t row =
        std::uint64_t{page.at.block} * m_p.geometry.pages_per_block + page.page;
    return row << row_shift | std::uint64_t{lun_of(page.at)} << lun_shift |
           std::uint64_t{page.at.plane} << slot_bits | slot;
}

void flash_reader::read_block(const ram_block& b, const nand_place& p)
{
    const std::size_t slots = m_p.geometry.page_size / m_p.ftl.map_unit;
    for (std::uint32_t page = 0; page < b.programmed && b.pages && !b.torn; ++page) {
        if (!b.holds(page) || b.pages->torn[page] != 0) {
            continue;
        }
        found_page f;
        f.at = p;
        f.page = page;
        f.words.resize(slots);
        const std::uint8_t* oob = &b.pages->oob[std::size_t{page} * m_p.geometry.oob_size];
        std::uint64_t header = 0;
        std::memcpy(&header, oob, 8);
        std::memcpy(f.words.data(), oob + 8, slots * 8);
        f.sequence = header >> 24;
        // SPEC, section 2: the CRC of the header with its field 0, and of the words.
        std::string sealed(reinterpret_cast<const char*>(oob), 8 * (1 + slots));
        sealed[1] = sealed[2] = 0;
        CHECK((header & 0xFF) == 0xA2);
        CHECK(((header >> 8) & 0xFFFF) == slow_crc16(sealed));
        CHECK(f.sequence != 0);
        if (m_p.host.data_mode == 2) {
            f.bytes.assign(reinterpret_cast<const char*>(b.pages->data.data()) +
                               std::size_t{page} * m_p.geometry.page_size,
                           m_p.geometry.page_size);
        } else if (b.pages->whole.count(page) != 0) {
            const auto& all = b.pages->whole.at(page);
            f.bytes.assign(all.begin(), all.end());
        } else {
            f.bytes.assign(m_p.geometry.page_size, '\0');
        }
        pages.push_back(f);
    }
}

} // namespace ssdvp::test
