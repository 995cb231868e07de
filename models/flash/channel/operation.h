// SPDX-License-Identifier: Apache-2.0
//
// An operation that the channel controller has, from its descriptor to its completion.
#pragma once

#include "models/flash/channel/scheduler.h"
#include "models/flash/channel/sequencer.h"

namespace ssdvp::flash {

struct channel_operation {
    flash_desc desc{};
    sim_time arrival;
    sim_time begin; // first command cycle
    sim_time array_done;
    sim_time programmed; // of a cache sequence: array_done, of which R/B# tells later; else 0
    sim_time segment;    // since when it holds its LUN (an erase: since its last resume)
    std::uint32_t suspends = 0;
    std::uint32_t corrected_bits = 0;
    flash_status status = FLASH_STATUS_OK;
    plane_set plane_fail;
    scheduler::op_id partner = scheduler::none; // the next one of its command sequence
    bool programs = false;                      // a copyback that got as far as its program
    bool coarse = false;                        // a program that is the first of two passes
    sequencer::finished out;                    // data out so far, of a copyback too
    plane_set to_come;                          // planes of a read whose data are still to go out
    bool shares = false;                        // its command sequence has other operations
    bool direct = false;                        // of the client on the wire, not of a ring
};

} // namespace ssdvp::flash
