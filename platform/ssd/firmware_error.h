// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace ssdvp::platform {

/// The image cannot be loaded: the message names the file, the reason and the remedy.
class firmware_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace ssdvp::platform
