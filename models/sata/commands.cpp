// SPDX-License-Identifier: Apache-2.0
#include "models/sata/commands.h"

#include "models/regs/ata_records.h"

namespace ssdvp::sata {

namespace {

/// A count of 0 is the largest that its bits can tell, and one more.
std::uint64_t sectors(std::uint32_t count, std::uint32_t most)
{
    return std::uint64_t{count == 0 ? most : count} * ATA_SECTOR_BYTES;
}
std::uint64_t count28(const fis::register_h2d& f)
{
    return sectors(f.count, 256);
}
std::uint64_t count48(const fis::register_h2d& f)
{
    return sectors(fis::count_of(f), 65536);
}
std::uint64_t queued_count(const fis::register_h2d& f)
{
    return sectors(f.features | std::uint32_t{f.features_high} << 8, 65536);
}
/// Pages of a log, blocks of ranges: 0 is none.
std::uint64_t pages(const fis::register_h2d& f)
{
    return std::uint64_t{fis::count_of(f)} * ATA_SECTOR_BYTES;
}

command_form smart_form(const fis::register_h2d& f)
{
    if (f.features == ATA_SMART_READ_DATA || f.features == ATA_SMART_READ_THRESHOLDS) {
        return {protocol::pio_in, false, ATA_SECTOR_BYTES};
    }
    return {};
}

} // namespace

command_form form_of(const fis::register_h2d& f)
{
    switch (f.command) {
    case ATA_READ_FPDMA_QUEUED:
        return {protocol::queued_in, true, queued_count(f)};
    case ATA_WRITE_FPDMA_QUEUED:
        return {protocol::queued_out, true, queued_count(f)};
    case ATA_NCQ_NON_DATA:
    case ATA_SEND_FPDMA_QUEUED:
    case ATA_RECEIVE_FPDMA_QUEUED:
        return {protocol::queued_no_data, false, 0};
    case ATA_READ_DMA_EXT:
        return {protocol::dma_in, true, count48(f)};
    case ATA_WRITE_DMA_EXT:
    case ATA_WRITE_DMA_FUA_EXT:
        return {protocol::dma_out, true, count48(f)};
    case ATA_READ_DMA:
        return {protocol::dma_in, true, count28(f), true};
    case ATA_WRITE_DMA:
        return {protocol::dma_out, true, count28(f), true};
    case ATA_READ_SECTORS:
        return {protocol::pio_in, true, count28(f), true};
    case ATA_READ_SECTORS_EXT:
        return {protocol::pio_in, true, count48(f)};
    case ATA_WRITE_SECTORS:
        return {protocol::pio_out, true, count28(f), true};
    case ATA_WRITE_SECTORS_EXT:
        return {protocol::pio_out, true, count48(f)};
    case ATA_READ_VERIFY:
        return {protocol::discard, true, count28(f), true};
    case ATA_READ_VERIFY_EXT:
        return {protocol::discard, true, count48(f)};
    case ATA_DATA_SET_MANAGEMENT:
        return {protocol::dma_out, false, pages(f)};
    case ATA_READ_LOG_EXT:
        return {protocol::pio_in, false, pages(f)};
    case ATA_READ_LOG_DMA_EXT:
        return {protocol::dma_in, false, pages(f)};
    case ATA_IDENTIFY_DEVICE:
        return {protocol::pio_in, false, ATA_SECTOR_BYTES};
    case ATA_SMART:
        return smart_form(f);
    default:
        return {};
    }
}

} // namespace ssdvp::sata
