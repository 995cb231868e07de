// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/trace_format.h"

namespace ssdvp::fuzz {

const char* const trace_format = SSDVP_TRACE_FORMAT;

} // namespace ssdvp::fuzz
