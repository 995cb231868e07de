// SPDX-License-Identifier: Apache-2.0
//
// Settings beside those of the defaults: what is said of them, or what they make.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/config_support.h"

namespace ssdvp::platform::test {

inline std::string refused(std::vector<std::string> sets)
{
    return error_of(with_sets(std::move(sets)));
}

inline ssd_config accepted(std::vector<std::string> sets)
{
    return load(with_sets(std::move(sets)));
}

} // namespace ssdvp::platform::test
