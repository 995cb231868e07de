// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace ssdvp::platform {

/// A guest cannot be had: QEMU is missing or too old, a file is not there. Says what to do.
class guest_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The guest's machine speaks something else than the protocol says.
class proxy_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace ssdvp::platform
