// SPDX-License-Identifier: Apache-2.0
//
// The host as the machine that a recording is played on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

extern "C" {
#include "tests/validation/replay.h"
}

namespace ssdvp::test {

class host_machine {
public:
    host_machine();
    virtual ~host_machine() = default;
    host_machine(const host_machine&) = delete;
    host_machine& operator=(const host_machine&) = delete;

    /// Plays the recording to that image, or, for nullptr, alone: what the replay itself costs.
    /// Returns the number of calls. std::runtime_error where the firmware does something else.
    std::uint64_t play(const firmware_image* image);
    /// Processor time between the marks, ns: what else runs on the machine counts little.
    [[nodiscard]] double marked_ns() const;

    std::vector<char> bytes; // the recording

protected:
    virtual void mark(std::uint32_t which);

private:
    std::size_t read(std::uint8_t* to, std::size_t size);

    replay_machine m_functions{};
    std::unique_ptr<replay> m_replay;
    std::size_t m_at = 0;
    std::vector<std::uint8_t> m_sram, m_dram;
    double m_start = 0, m_stop = 0;
};

} // namespace ssdvp::test
