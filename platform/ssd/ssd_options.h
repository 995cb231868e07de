// SPDX-License-Identifier: Apache-2.0
//
// How a drive is built beside its configuration: who checks it, and who hears of what it does.
#pragma once

#include "models/common/timeline.h"
#include "models/cpu/call_profile.h"
#include "models/flash/bus/bus_tap.h"
#include "models/flash/die/array_watch.h"
#include "models/nvme/environment.h"
#include "models/pcie/tlp_watch.h"
#include "models/sata/environment.h"
#include "platform/report/traces/register_access.h"

namespace ssdvp::platform {

struct ssd_options {
    bool check_protocol = false;                 // a base-protocol checker on every AT socket
    bool check_onfi = false;                     // the ONFI constraints on every channel's bus
    bool check_dram = false;                     // the timing rules of the DRAM's commands
    bool stop_on_fault = false;                  // the first fault ends the run
    flash::array_watch* watch = nullptr;         // told of every program and erase that begins
    cpu::call_profile* profile = nullptr;        // told where firmware spends
    timeline* trace = nullptr;                   // told what blocks do, and when
    access_trace* accesses = nullptr;            // told of accesses to registers
    flash::bus_watch* flash_buses = nullptr;     // told of cycle groups and edges of R/B#
    pcie::tlp_watch* tlps = nullptr;             // told of packets of the link
    nvme::command_watch* commands = nullptr;     // told of each NVMe command that ends
    sata::command_watch* ata_commands = nullptr; // ... of each ATA command
};

} // namespace ssdvp::platform
