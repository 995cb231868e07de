// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ssdvp::platform {

/// Of the command line of `ssdvp serve`.
struct serve_options {
    std::string unix_path; // one of the two
    std::string tcp;
    bool allow_remote = false;
    std::string image; // empty: none
};

} // namespace ssdvp::platform
