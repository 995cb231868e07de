// SPDX-License-Identifier: Apache-2.0
//
// Errors of a SATA drive or its link: AHCI 1.3.1 section 6.2, Serial ATA 3.x section 13.6.4. The
// port is stopped, the drive is asked which command failed, and all others are issued again.
#include <fmt/format.h>

#include "models/host/driver/ahci_driver.h"
#include "models/host/driver/ahci_status.h"
#include "models/regs/ata_records.h"

namespace ssdvp::host {

namespace {

constexpr std::uint8_t log_not_queued = 0x80; // NQ: the command that failed was no NCQ command
constexpr std::uint8_t log_tag = 0x1F;

} // namespace

void ahci_driver::recover(std::uint32_t causes)
{
    ++m_recoveries;
    m_bring_ups = 0;
    m_recovering = true;
    m_causes = causes;
    m_error_tfd = get(AHCI_REG_PXTFD);
    m_was_queued = m_by_queue != 0;
    m_awaiting = m_issued;
    m_issued = m_filled = m_by_queue = 0;
    const bool hangs = (m_error_tfd & (fis::STATUS_BSY | fis::STATUS_DRQ)) != 0;
    if ((causes & AHCI_PXIS_IFS) != 0 || hangs) {
        m_causes |= AHCI_PXIS_IFS;
        reset_link();
    } else {
        run(recovery_table());
    }
}

/// What was damaged on the link left the drive in an unknown state, or it is busy with what nobody
/// waits for.
void ahci_driver::reset_link()
{
    ++m_link_resets;
    ++m_bring_ups;
    run(init_table(), 1);
}

void ahci_driver::read_error_log()
{
    if (m_was_queued) {
        internal(ATA_READ_LOG_EXT, 0, 1, ATA_SECTOR_BYTES);
    }
}

ahci_driver::verdict ahci_driver::judge() const
{
    if ((m_causes & AHCI_PXIS_IFS) != 0) {
        return {m_awaiting, NVME_SC_DATA_TRANSFER_ERROR, true};
    }
    if ((m_causes & AHCI_PXIS_TFES) == 0) { // no host memory where the driver said: its own fault
        return {m_awaiting, NVME_SC_INTERNAL_ERROR, false};
    }
    std::uint32_t error = m_error_tfd >> AHCI_PXTFD_ERR_SHIFT & 0xFFu;
    std::uint32_t failed = m_awaiting;
    if (m_was_queued) {
        const unsigned char* log = m_memory.at(m_page);
        if ((log[0] & log_not_queued) != 0) {
            return {m_awaiting, NVME_SC_INTERNAL_ERROR, true};
        }
        error = log[3];
        failed = 1u << (log[0] & log_tag);
    }
    return {failed, status_of_ata(error), (error & ATA_ERROR_ICRC) != 0};
}

void ahci_driver::recovered()
{
    const verdict v = judge();
    m_recovering = false;
    const std::uint32_t awaiting = m_awaiting;
    m_awaiting = 0;
    m_issued = awaiting; // their slots are taken
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        if ((awaiting >> slot & 1u) != 0) {
            m_by_queue |=
                is_queued(request_at(m_commands[slot].request).result.req) ? 1u << slot : 0;
            judge_slot(slot, v);
        }
    }
    end_batch();
}

void ahci_driver::judge_slot(std::uint32_t slot, const verdict& v)
{
    command& c = m_commands[slot];
    const bool failed = (v.slots >> slot & 1u) != 0;
    if (failed && (!v.again || ++c.tries == attempts)) {
        finish_command(slot, v.status);
        return;
    }
    ++m_retries;
    fill_command(slot);
    m_filled |= 1u << slot;
}

} // namespace ssdvp::host
