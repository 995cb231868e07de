// SPDX-License-Identifier: Apache-2.0
//
// `ssdvp run --fw-profile DIR`: where firmware spends during the measured part of a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/cpu/call_profile.h"
#include "platform/control/command_costs.h"
#include "platform/report/measurement.h"

namespace ssdvp::platform {

class firmware_profile {
public:
    /// What the cores tell.
    [[nodiscard]] cpu::call_profile& live() { return m_live; }

    void begin();
    void completed(const host::request_result& result);
    void end();

    /// Sentences, if the profile does not add up to what the cores counted.
    [[nodiscard]] std::vector<std::string> violations(const counters& measured) const;
    /// instructions.folded, cycles.folded, functions.csv, commands.csv in a folder that
    /// is there. Throws output_error.
    void write(const std::filesystem::path& directory) const;
    /// What commands of each kind cost, for people.
    [[nodiscard]] std::string text() const;

private:
    cpu::call_profile m_live;
    cpu::call_profile m_end;
    command_costs m_costs;
};

} // namespace ssdvp::platform
