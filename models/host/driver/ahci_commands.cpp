// SPDX-License-Identifier: Apache-2.0
//
// Command tables and buffers of the SATA driver: AHCI 1.3.1 section 4.2, ACS-2.
#include <algorithm>
#include <cstring>

#include "models/host/driver/ahci_driver.h"
#include "models/regs/ata_records.h"

namespace ssdvp::host {

namespace {

/// A segment as operating systems make them; a buffer is contiguous, a long transfer has several.
constexpr std::uint32_t segment = 65536;

} // namespace

void ahci_driver::prepare_memory()
{
    if (m_buffers != 0) {
        return; // a power cycle: the drive is the same one
    }
    m_info.max_transfer = m_config.sata.max_transfer;
    const std::uint32_t prds = (m_info.max_transfer + segment - 1) / segment;
    m_table_bytes =
        (AHCI_TABLE_PRDT + prds * static_cast<std::uint32_t>(sizeof(ahci_prd)) + 127) / 128 * 128;
    const std::uint64_t tables = std::uint64_t{slots} * m_table_bytes;
    m_memory.reserve(memory::page_up(tables) + std::uint64_t{slots} * m_info.max_transfer);
    m_tables = m_memory.allocate(tables);
    m_buffers = m_memory.allocate(std::uint64_t{slots} * m_info.max_transfer);
    reserve_requests(slots);
}

fis::register_h2d ahci_driver::data_command(std::uint32_t slot, const request& req) const
{
    const command& c = m_commands[slot];
    const bool reads = req.kind == request_kind::read;
    fis::register_h2d f;
    f.flags = fis::FLAG_COMMAND;
    f.device = ATA_DEVICE_LBA;
    fis::set_lba(f, req.lba + c.offset);
    const auto low = static_cast<std::uint8_t>(c.sectors);
    const auto high = static_cast<std::uint8_t>(c.sectors >> 8);
    if (m_queued) { // sectors in features, tag in count
        f.command = reads ? ATA_READ_FPDMA_QUEUED : ATA_WRITE_FPDMA_QUEUED;
        f.features = low;
        f.features_high = high;
        f.count = static_cast<std::uint8_t>(slot << 3);
        f.device = static_cast<std::uint8_t>(f.device | (req.fua ? ATA_DEVICE_FUA : 0u));
        return f;
    }
    f.command = reads ? ATA_READ_DMA_EXT : req.fua ? ATA_WRITE_DMA_FUA_EXT : ATA_WRITE_DMA_EXT;
    f.count = low;
    f.count_high = high;
    return f;
}

void ahci_driver::fill_command(std::uint32_t slot)
{
    const command& c = m_commands[slot];
    const request& req = request_at(c.request).result.req;
    const bool reads = req.kind == request_kind::read;
    if (reads || req.kind == request_kind::write) {
        fill_slot(slot, data_command(slot, req), c.sectors * sector_size, !reads);
        return;
    }
    fis::register_h2d f;
    f.flags = fis::FLAG_COMMAND;
    f.device = ATA_DEVICE_LBA;
    f.command = ATA_FLUSH_CACHE_EXT;
    if (req.kind == request_kind::trim) {
        f.command = ATA_DATA_SET_MANAGEMENT;
        f.features = ATA_DSM_TRIM;
        f.count = static_cast<std::uint8_t>(fill_ranges(slot, req));
    }
    fill_slot(slot, f, f.count * ATA_SECTOR_BYTES, true);
}

/// Ranges of a trim, in blocks of 512 bytes; returns how many blocks.
std::uint32_t ahci_driver::fill_ranges(std::uint32_t slot, const request& req)
{
    const command& c = m_commands[slot];
    unsigned char* ranges = m_memory.at(buffer(slot));
    std::memset(ranges, 0, ATA_SECTOR_BYTES);
    std::uint64_t lba = req.lba + c.offset;
    std::uint32_t left = c.sectors;
    for (std::uint32_t at = 0; left != 0; at += ATA_DSM_RANGE_BYTES) {
        const std::uint32_t sectors = std::min(left, range_sectors);
        const std::uint64_t range = lba | std::uint64_t{sectors} << 48;
        std::memcpy(ranges + at, &range, sizeof range);
        lba += sectors;
        left -= sectors;
    }
    return 1;
}

void ahci_driver::fill_slot(std::uint32_t slot, const fis::register_h2d& c, std::uint32_t bytes,
                            bool out)
{
    const std::uint64_t place = table_of(slot);
    const std::uint64_t data = m_table != nullptr ? m_page : buffer(slot);
    unsigned char* at_table = m_memory.at(place);
    std::memcpy(at_table, &c, sizeof c);
    ahci_command_header h{};
    h.flags = static_cast<std::uint16_t>(sizeof c / 4 | (out && bytes != 0 ? AHCI_HEADER_W : 0u));
    h.ctba = static_cast<std::uint32_t>(place);
    h.ctbau = static_cast<std::uint32_t>(place >> 32);
    for (std::uint32_t at = 0; at < bytes; at += segment) {
        ahci_prd p{};
        p.dba = static_cast<std::uint32_t>(data + at);
        p.dbau = static_cast<std::uint32_t>((data + at) >> 32);
        p.dbc = std::min(segment, bytes - at) - 1;
        std::memcpy(at_table + AHCI_TABLE_PRDT + std::size_t{h.prdtl} * sizeof p, &p, sizeof p);
        ++h.prdtl;
    }
    std::memcpy(m_memory.at(m_list + slot * sizeof h), &h, sizeof h);
}

} // namespace ssdvp::host
