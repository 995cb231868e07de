// SPDX-License-Identifier: Apache-2.0
//
// What a PCIe transfer tells its sender beyond the generic payload. The sender of a posted write
// that must not pass an earlier one starts it at that one's wire_end.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/time.h"

namespace ssdvp::tlp {

struct extension : tlm::tlm_extension<extension> {
    sim_time wire_begin; // first symbol on the wire, absolute
    sim_time wire_end;   // last symbol on the wire, absolute

    [[nodiscard]] tlm_extension_base* clone() const override { return new extension(*this); }
    void copy_from(const tlm_extension_base& other) override
    {
        *this = static_cast<const extension&>(other);
    }
};

} // namespace ssdvp::tlp
