// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace ssdvp::platform {

/// A kept state that cannot be used or made. what() names the file, what is wrong and the remedy.
class state_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace ssdvp::platform
