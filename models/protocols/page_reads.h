// SPDX-License-Identifier: Apache-2.0
//
// Reads of flash pages that a block of the controller orders beside firmware: a wire of its own to
// each channel controller, without rings, and one back.
#pragma once

#include <cstdint>

#include "models/regs/channel_records.h"

namespace ssdvp {

/// Who orders such reads.
class page_read_client {
public:
    /// The read with this tag has ended, now.
    virtual void page_arrived(std::uint16_t tag, flash_status status) = 0;

protected:
    ~page_read_client() = default;
};

/// A channel controller, towards it.
class page_read_port {
public:
    /// From now on it is an operation like those of the rings, in order of arrival.
    virtual void read_page(const flash_desc& read) = 0;

protected:
    ~page_read_port() = default;
};

} // namespace ssdvp
