// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with something that people wrote, and where.
#pragma once

#include <stdexcept>
#include <string>

namespace ssdvp::platform {

/// A configuration that cannot be used. what() is one message for people:
/// `file:line:column: key: what is wrong; remedy`.
class config_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Where a value was written.
struct origin {
    std::string label; // file, or the command-line option as the user wrote it
    int line = 0;      // from 1; 0: no position
    int column = 0;
    [[nodiscard]] std::string text() const
    {
        return line == 0 ? label
                         : label + ":" + std::to_string(line) + ":" + std::to_string(column);
    }
};

[[noreturn]] inline void fail(const origin& at, const std::string& key, const std::string& what,
                              const std::string& remedy)
{
    throw config_error(at.text() + ": " + (key.empty() ? "" : key + ": ") + what + "; " + remedy);
}

} // namespace ssdvp::platform
