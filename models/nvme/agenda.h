// SPDX-License-Identifier: Apache-2.0
//
// What the front end does later, and what it asks of the link.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/timed_queue.h"
#include "models/protocols/tlp.h"

namespace ssdvp::nvme {

enum class job_kind : std::uint8_t {
    bar_write,
    register_write,
    command,
    completion,
    done,
    coalesced,
    ask,
    looked_up
};
struct job {
    job_kind kind;
    std::uint8_t flags = 0;  // FE_MOVE_*; completion: also msi_on_wire
    std::uint8_t status = 0; // enum fe_done_status
    std::uint16_t slot = 0;  // or vector
    std::uint32_t key = 0;   // register offset, or generation of the slot
    std::uint32_t value = 0; // register value, or tag
};
struct host_access {
    tlm::tlm_command command;
    std::uint64_t address;
    void* bytes;
    std::uint32_t length;
    tlp::portion carries = tlp::portion::whole;
    tlp::purpose reads = tlp::purpose::entries;
};
static constexpr std::uint8_t msi_on_wire = 0x80; // job flag

} // namespace ssdvp::nvme
