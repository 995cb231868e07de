// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/front_end_base.h"
#include "models/common/time.h"
#include "models/protocols/fis.h"

namespace ssdvp::sata {

/// Told of each command that the host hears the end of.
class command_watch {
public:
    virtual ~command_watch() = default;
    struct ended {
        const fis::register_h2d& fis;
        std::uint8_t host_slot;    // the HBA's: its record in the ledger
        std::uint32_t status;      // bits 7..0 Status, 15..8 Error of ATA
        const unsigned char* data; // of a command that moved no sectors of the medium: its ranges
        std::uint32_t data_length; // bytes
        sim_time issued;           // when the host wrote PxCI
    };
    /// At the time the last frame is at the host.
    virtual void on_command(const ended& command, sim_time when) = 0;
};

/// What the front end shares with the drive around it; pointers may be null. Index of a command in
/// the ledger: frame::slot of its Register FIS.
struct front_end_environment : front_end_links {
    bool ledger_opens = false; // at that FIS: nobody else opens records
    command_watch* watch = nullptr;
};

} // namespace ssdvp::sata
