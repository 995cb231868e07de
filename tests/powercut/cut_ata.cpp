// SPDX-License-Identifier: Apache-2.0
//
// The host behind SATA: requests as ATA commands, queued or one at a time, and COMRESET.
#include "models/regs/ata_records.h"
#include "tests/powercut/cut_host.h"

namespace ssdvp::test {

namespace {

/// Reads and writes that are not queued wait until the queue is empty: one in so many.
constexpr std::uint64_t single_each = 7;

bool reads_or_writes(std::uint8_t opcode)
{
    return opcode == NVME_IO_READ || opcode == NVME_IO_WRITE || opcode == NVME_IO_WRITE_ZEROES;
}

std::uint8_t code_of(const host_op& op, bool queued)
{
    switch (op.opcode) {
    case NVME_IO_FLUSH:
        return ATA_FLUSH_CACHE_EXT;
    case NVME_IO_DSM:
        return ATA_DATA_SET_MANAGEMENT;
    case NVME_IO_READ:
        return queued ? ATA_READ_FPDMA_QUEUED : ATA_READ_DMA_EXT;
    default:
        return queued ? ATA_WRITE_FPDMA_QUEUED : op.fua ? ATA_WRITE_DMA_FUA_EXT : ATA_WRITE_DMA_EXT;
    }
}

/// Register FIS, Serial ATA 3.x section 10.5.5; of queued commands 13.6.4: the tag in the count,
/// the count in the features.
sata_fe_request request_of(std::uint8_t code, const host_op& op, bool queued, std::size_t tag)
{
    sata_fe_request r{};
    std::uint8_t* f = r.fis;
    const std::uint32_t blocks = op.opcode == NVME_IO_DSM ? 1 : op.sectors;
    const std::uint32_t count = queued ? static_cast<std::uint32_t>(tag) << 3 : blocks;
    const std::uint32_t features = queued                     ? op.sectors
                                   : op.opcode == NVME_IO_DSM ? ATA_DSM_TRIM
                                                              : 0;
    f[0] = ATA_FIS_REGISTER_H2D;
    f[1] = ATA_FIS_COMMAND;
    f[2] = code;
    f[7] = static_cast<std::uint8_t>(ATA_DEVICE_LBA | (queued && op.fua ? ATA_DEVICE_FUA : 0u));
    for (unsigned i = 0; i < 3; ++i) {
        f[4 + i] = static_cast<std::uint8_t>(op.lba >> (8 * i));
        f[8 + i] = static_cast<std::uint8_t>(op.lba >> (24 + 8 * i));
    }
    f[3] = static_cast<std::uint8_t>(features);
    f[11] = static_cast<std::uint8_t>(features >> 8);
    f[12] = static_cast<std::uint8_t>(count);
    f[13] = static_cast<std::uint8_t>(count >> 8);
    return r;
}

} // namespace

/// A request's place is its tag, or the slot of what is not queued; the two kinds never meet.
cut_host::request* cut_host::free_slot(bool queued)
{
    request& single = m_requests.at(SFE_SLOT_SINGLE);
    if (!queued || single.busy) {
        return m_under_way == 0 ? &single : nullptr;
    }
    for (std::size_t tag = 0; tag < SFE_SLOT_SINGLE; ++tag) {
        if (!m_requests[tag].busy) {
            return &m_requests[tag];
        }
    }
    return nullptr;
}

bool cut_host::post_ata(const host_op& op)
{
    const bool queued = reads_or_writes(op.opcode) && m_posted % single_each != 0;
    request* r = free_slot(queued);
    if (r == nullptr) {
        return false;
    }
    occupy(*r, op);
    const auto tag = static_cast<std::size_t>(r - m_requests.data());
    r->id = static_cast<std::uint32_t>(
        m_nand.submit_ata(request_of(code_of(op, queued), op, queued, tag), &r->data));
    return true;
}

bool cut_host::flush_and_stop()
{
    const host_op none;
    for (const std::uint8_t code :
         {std::uint8_t{ATA_FLUSH_CACHE_EXT}, std::uint8_t{ATA_STANDBY_IMMEDIATE}}) {
        if (!await(m_nand.submit_ata(request_of(code, none, false, 0), nullptr))) {
            return false;
        }
    }
    return true;
}

bool cut_host::begin_standby()
{
    const host_op none;
    m_nand.submit_ata(request_of(ATA_STANDBY_IMMEDIATE, none, false, 0), nullptr);
    return m_nand.powered();
}

} // namespace ssdvp::test
