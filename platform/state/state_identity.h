// SPDX-License-Identifier: Apache-2.0
//
// Everything that shaped a state: program, firmware image, what firmware is told when it boots, and
// keys of the configuration. Two states with the same identity are the same.
#pragma once

#include <string>

namespace ssdvp::platform {

struct ssd_config;

class state_identity {
public:
    /// `firmware`: path of an image, empty: built in. `addresses`: how a member's sectors are
    /// called in its array; empty: as in the drive.
    state_identity(const ssd_config& config, const std::string& firmware,
                   const std::string& addresses);

    /// A line for each thing.
    [[nodiscard]] const std::string& text() const { return m_text; }
    /// 32 hexadecimal digits.
    [[nodiscard]] std::string key() const;
    /// What is not the same in the state that has `other`: "a is x there and y here; ...". Empty:
    /// nothing.
    [[nodiscard]] std::string difference(const std::string& other) const;

private:
    std::string m_text;
};

} // namespace ssdvp::platform
