// SPDX-License-Identifier: Apache-2.0
//
// Which scopes of a drive are wanted, by patterns with * and ?: channel0.lun1, cores.core0, with
// all below them.
#pragma once

#include <string>
#include <vector>

namespace ssdvp::platform {

/// "channel 3/LUN 2" is channel3.lun2.
[[nodiscard]] std::string scope_name(const std::string& text);

class scope_filter {
public:
    /// No patterns: everything is wanted. `drive`: the outermost scope, which may be left out.
    /// `option`: where the patterns came from.
    scope_filter(std::vector<std::string> patterns, std::string drive, const char* option);

    /// Asked for each track or signal that there is; `shown`: what a message calls it.
    [[nodiscard]] bool wants(const std::string& full, const std::string& shown);
    /// Throws output_error for the first pattern that names nothing of what there is.
    void check() const;

private:
    std::vector<std::string> m_patterns;
    std::vector<bool> m_matched; // by pattern
    std::string m_drive;
    const char* m_option;
    std::vector<std::string> m_shown; // all that there are
};

} // namespace ssdvp::platform
