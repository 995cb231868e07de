// SPDX-License-Identifier: Apache-2.0
//
// Reference firmware for the harness: a plain log of pages behind a small write-back buffer, found
// again by a scan of the spare areas. It does one thing at a time and is slow; what it holds after
// a cut is easy to see. With a flaw it is wrong in one known way, which a campaign must find.
#pragma once

#include <cstdint>

#include "tests/support/ram_nand.h"

namespace ssdvp::test {

enum class log_flaw : std::uint32_t {
    NONE = 0,
    FLUSH_DOES_NOTHING,  // the buffer is not written
    FUA_IGNORED,         // ... nor for a write with FUA
    ERASES_TOO_EARLY,    // collection erases before it has written what it read
    SEQUENCE_RESTARTS,   // at 1 after each power-up
    TORN_IS_CLEAN,       // a block whose erase was cut is programmed
    SCAN_WITHOUT_RETRY,  // recovery does not try a page again
    REWRITES_AT_POWER_UP // erases and programs a block during recovery
};

extern const firmware_image log_firmware;

/// A drive's configuration with this firmware.
void use_log_firmware(ram_config& c, log_flaw flaw);

} // namespace ssdvp::test
