// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ssdvp::platform {

/// Of the command line of `ssdvp serve`.
struct serve_options {
    std::string unix_path; // one of the two
    std::string tcp;
    bool allow_remote = false;
    std::string image;                    // empty: none
    void (*second_signal)(int) = nullptr; // handles it; null: the default, which ends the program
};

} // namespace ssdvp::platform
