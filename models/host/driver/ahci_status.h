// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/regs/ata_records.h"
#include "models/regs/nvme_regs.h"

namespace ssdvp::host {

/// Results of requests are statuses of NVMe, whatever the interface. `error`: ATA's Error register
/// of a command that failed.
constexpr std::uint16_t status_of_ata(std::uint32_t error)
{
    if ((error & ATA_ERROR_UNC) != 0) {
        return NVME_SC_UNRECOVERED_READ_ERROR;
    }
    if ((error & ATA_ERROR_IDNF) != 0) {
        return NVME_SC_LBA_OUT_OF_RANGE;
    }
    return (error & ATA_ERROR_ICRC) != 0 ? NVME_SC_DATA_TRANSFER_ERROR : NVME_SC_INTERNAL_ERROR;
}

} // namespace ssdvp::host
