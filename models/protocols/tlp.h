// SPDX-License-Identifier: Apache-2.0
//
// What a PCIe transfer tells its sender beyond the generic payload. The sender of a posted write
// that must not pass an earlier one starts it at that one's wire_end.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/time.h"

namespace ssdvp::tlp {

/// What one call carries of a posted write. A completion entry's place in its queue is decided
/// when it arrives, but its time on the wire is known before: the sender takes the wire first and
/// hands the bytes over at the arrival. So the host never sees an entry before its time.
enum class portion : std::uint8_t {
    whole, // wire time and bytes
    wire,  // wire time only; the host sees nothing
    bytes  // bytes only, at once; the wire time was taken by an earlier call
};

/// What a read is of. Entries and lists are short and wait for no data that was asked for before
/// them; entries come in the order in which they were asked for.
enum class purpose : std::uint8_t { data, entries, list };

struct extension : tlm::tlm_extension<extension> {
    portion carries = portion::whole;
    purpose reads = purpose::data;
    sim_time wire_begin; // first symbol on the wire, absolute
    sim_time wire_end;   // last symbol on the wire, absolute

    [[nodiscard]] tlm_extension_base* clone() const override { return new extension(*this); }
    void copy_from(const tlm_extension_base& other) override
    {
        *this = static_cast<const extension&>(other);
    }
};

} // namespace ssdvp::tlp
