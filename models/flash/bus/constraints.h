// SPDX-License-Identifier: Apache-2.0
//
// The timing rules of an ONFI bus as a table: which event may follow which, and how soon
// (ONFI, Command Definition and Timing Parameters). Values are in
// models/flash/bus/interface_modes.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/flash/bus/interface_modes.h"

namespace ssdvp::flash {

/// What happens on the wires. A cycle group is several of these, in time order.
enum class bus_event : std::uint8_t {
    group_begin,     // first cycle of any group
    any_command,     // ... that begins with a command
    command,         // ... with one that a busy LUN does not take: not 70h, 78h, FAh, suspend
    plane_command,   // ... one that asks for a plane only: a read of it, its data out
    whole_command,   // ... any other, which asks for all planes
    addressed,       // last command or address cycle before the data
    program_address, // the same of 80h
    write_column,    // the same of 85h: change write column
    read_column,     // the same of E0h: change read column
    status_address,  // the same of 70h, 78h and 90h
    feature_address, // the same of EFh
    data_in_begin,
    data_in_end,
    data_out_begin, // of data; a status byte is status_begin
    status_begin,
    data_out_end, // of data or status
    confirmed,    // the command cycle after data in
    group_end,
    plane_end,      // last cycle of 32h, 11h, D1h: LUN busy for tDBSY
    array_end,      // last cycle of what makes R/B# fall: 30h, 10h, D0h, FAh, EFh
    plane_read_end, // last cycle of 30h of an independent read: its plane is busy
    reset_end,      // the same of a reset
    feature_end,    // last data-in cycle of EFh
    busy,           // R/B# falls
    ready,          // R/B# rises
    count
};

enum class bound : std::uint8_t {
    at_least,    // `to` no earlier than value after `from`
    at_most,     // `to` no later
    per_cycle,   // at least value for each of the cycles that `to` tells
    not_busy,    // `from` makes the LUN busy until `ready`: no `to` before that
    plane_rests, // `from` makes a plane busy until it is ready: no `to` of this plane before that
    planes_rest  // the same: no `to` before that at all
};

enum class reach : std::uint8_t { lun, bus }; // do the events of other LUNs count?

/// Constants of a channel: the interface's, and the die's.
struct constraint_values {
    cycle_times bus;
    sim_time tRST;
    bus_family family = bus_family::sdr;
};

struct constraint {
    const char* name; // as data sheets have it
    bus_event from;
    bus_event to;
    bound kind;
    reach scope;
    std::uint8_t families; // bits of bus_family
    sim_time (*value)(const constraint_values&);

    [[nodiscard]] constexpr bool applies(bus_family f) const
    {
        return (families & static_cast<std::uint8_t>(f)) != 0;
    }
};

constexpr std::size_t constraint_count = 29;
[[nodiscard]] const std::array<constraint, constraint_count>& constraints();
[[nodiscard]] const char* name_of(bus_event e);

} // namespace ssdvp::flash
