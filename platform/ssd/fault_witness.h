// SPDX-License-Identifier: Apache-2.0
//
// Says of what firmware does wrongly to the hardware which core did it and where firmware stood,
// and stops there if it is asked to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/fault_log.h"
#include "platform/ssd/firmware_program.h"

namespace ssdvp::platform {

class fault_witness final : public fault_log::witness {
public:
    using programs = std::vector<std::unique_ptr<firmware_program>>;

    /// `stop`: a fault ends the run, or is a breakpoint for a debugger. Both outlive this.
    fault_witness(const programs& of, bool stop) : m_programs(of), m_stop(stop) {}

    void on_misuse(fault_log::fault& f, std::uint64_t order) override;
    void recorded(const fault_log::fault& f) override;

private:
    [[nodiscard]] firmware_program* running() const;
    void tell(const fault_log::fault& f, const std::string& where);

    const programs& m_programs;
    bool m_stop;
    bool m_stopped = false;
    bool m_told = false;        // the fault that is being recorded
    std::size_t m_recorded = 0; // so far
};

} // namespace ssdvp::platform

/// Called for each fault of a run with --stop-on-fault: the place for a debugger's breakpoint.
/// While a debugger is attached it raises SIGTRAP.
extern "C" void ssdvp_fault(const char* text);
