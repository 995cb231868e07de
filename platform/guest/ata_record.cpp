// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/ata_record.h"

#include "models/host/driver/ahci_status.h"
#include "models/regs/ata_records.h"
#include "models/sata/commands.h"

namespace ssdvp::platform {

namespace {

const std::uint8_t* bytes_of(const fis::register_h2d& f)
{
    return reinterpret_cast<const std::uint8_t*>(&f);
}

bool has_fua(const fis::register_h2d& f)
{
    const bool queued = f.command == ATA_READ_FPDMA_QUEUED || f.command == ATA_WRITE_FPDMA_QUEUED;
    return f.command == ATA_WRITE_DMA_FUA_EXT || (queued && (f.device & ATA_DEVICE_FUA) != 0);
}

/// False: it is no request of the kinds that there are (IDENTIFY, SMART, READ VERIFY, ...).
bool request_of(const fis::register_h2d& f, host::request& r)
{
    const sata::command_form form = sata::form_of(f);
    if (f.command == ATA_FLUSH_CACHE || f.command == ATA_FLUSH_CACHE_EXT) {
        r.kind = host::request_kind::flush;
        return true;
    }
    if (f.command == ATA_DATA_SET_MANAGEMENT) {
        r.kind = host::request_kind::trim;
        return (f.features & ATA_DSM_TRIM) != 0;
    }
    if (!form.medium || form.moves == sata::protocol::discard) {
        return false;
    }
    r.kind = sata::is_in(form.moves) ? host::request_kind::read : host::request_kind::write;
    r.fua = has_fua(f);
    r.lba = form.lba28 ? ata_fis_lba28(bytes_of(f)) : ata_fis_lba48(bytes_of(f));
    r.sectors = static_cast<std::uint32_t>(form.bytes / ATA_SECTOR_BYTES);
    return true;
}

} // namespace

void ata_record::on_command(const ended& command, sim_time when)
{
    host::request_result r;
    if (!request_of(command.fis, r.req)) {
        return;
    }
    r.req.arrival = r.submitted = command.issued;
    r.completed = when;
    const bool failed = (command.status & (ATA_STATUS_ERR | ATA_STATUS_DF)) != 0;
    r.status = failed ? host::status_of_ata(command.status >> 8) : std::uint16_t{0};
    r.parts = m_ledger->parts(command.host_slot);
    if (r.req.kind == host::request_kind::trim) {
        trims(command, r);
    } else {
        tell(r);
    }
}

void ata_record::tell(host::request_result& r)
{
    r.sequence = m_sequence++;
    m_to.on_complete(r);
}

/// ACS-3 section 7.5.3: a range is 48 bits of LBA and 16 of sectors; 0 sectors is none.
void ata_record::trims(const ended& command, host::request_result& r)
{
    for (std::uint32_t at = 0; at + ATA_DSM_RANGE_BYTES <= command.data_length;
         at += ATA_DSM_RANGE_BYTES) {
        std::uint64_t range = 0;
        for (unsigned i = 0; i < ATA_DSM_RANGE_BYTES; ++i) {
            range |= std::uint64_t{command.data[at + i]} << (8 * i);
        }
        r.req.lba = range & 0xFFFFFFFFFFFFu;
        r.req.sectors = static_cast<std::uint32_t>(range >> 48);
        if (r.req.sectors != 0) {
            tell(r);
        }
    }
}

} // namespace ssdvp::platform
