// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocols/onfi.h"

namespace ssdvp::flash {

/// What the first command cycle of a group begins, in the words of data sheets.
[[nodiscard]] const char* group_name(const onfi::extension& g);

} // namespace ssdvp::flash
