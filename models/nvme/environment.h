// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/front_end_base.h"
#include "models/common/time.h"
#include "models/regs/nvme_records.h"

namespace ssdvp::nvme {

/// Told of each command that has a completion.
class command_watch {
public:
    virtual ~command_watch() = default;
    struct ended {
        const nvme_sqe& sqe;
        std::uint16_t sq;
        std::uint16_t slot;      // its record in the ledger, where that goes by slots
        std::uint16_t status;    // status field without the phase
        std::uint32_t lba_shift; // of the namespace
        sim_time rung;           // when the doorbell was written
    };
    /// At the time the completion is in the host's memory.
    virtual void on_command(const ended& command, sim_time when) = 0;
};

/// What the front end shares with the drive around it; pointers may be null. Index of a command in
/// the ledger: sq_id * ledger_entries + cid, or its slot.
struct front_end_environment : front_end_links {
    std::uint32_t ledger_queues = 0;  // submission queues that the ledger has room for
    std::uint32_t ledger_entries = 0; // command identifiers per queue that it has room for
    bool ledger_by_slot = false;      // the index is the slot: nobody else opens records
    command_watch* watch = nullptr;
};

} // namespace ssdvp::nvme
