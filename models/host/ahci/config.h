// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/data_mode.h"
#include "models/common/time.h"

namespace ssdvp::ahci {

struct hba_config {
    sim_time command_latency; // PxCI written -> command header and table are here, X_RDY
    sim_time data_latency;    // DMA Activate received -> data are here, X_RDY
    data_mode data = data_mode::tag;
};

} // namespace ssdvp::ahci
