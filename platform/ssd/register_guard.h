// SPDX-License-Identifier: Apache-2.0
//
// The registers of the drive by name: what firmware writes to bits that are not there, and what it
// accesses where nothing is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/fault_log.h"
#include "models/interconnect/interconnect.h"
#include "platform/report/traces/register_access.h"

namespace ssdvp::platform {

/// Of models/regs/*.rdl; a generated table for each block.
struct register_field {
    const char* name;
    std::uint32_t low; // bits
    std::uint32_t high;
};
struct register_row {
    const char* group; // of registers that repeat; empty: it is alone
    const char* name;
    std::uint32_t offset;
    std::uint32_t count; // of them, `stride` bytes apart
    std::uint32_t stride;
    std::uint32_t writable; // bits
    std::vector<register_field> fields;
};

extern const std::vector<register_row> nvme_fe_rows;
extern const std::vector<register_row> sata_fe_rows;
extern const std::vector<register_row> channel_rows;
extern const std::vector<register_row> irq_rows;
extern const std::vector<register_row> timer_rows;
extern const std::vector<register_row> thermal_rows;
extern const std::vector<register_row> nor_rows;

class register_guard final : private interconnect::write_watch {
public:
    /// `windows` as the crossbar has them; `drive`: hierarchical name.
    register_guard(std::vector<interconnect::window> windows, std::string drive, fault_log& faults);

    /// Watches all windows of registers. The guard must outlive the crossbar's use.
    void watch(interconnect::interconnect& crossbar);
    /// Why nobody takes this access.
    [[nodiscard]] std::string name(std::uint64_t address, bool write) const;
    /// "channel3.SQ_TAIL", "irq.CORE0.DOORBELL". Precondition: a block has taken it.
    [[nodiscard]] traced_register trace_name(std::uint64_t address) const;

private:
    void wrong_write(std::size_t window, std::uint64_t offset, std::uint32_t value) override;
    [[nodiscard]] std::string block(std::size_t window) const;

    std::vector<interconnect::window> m_windows;
    std::vector<const std::vector<register_row>*> m_rows; // per window; null: memory
    std::vector<std::vector<std::uint32_t>> m_writable;   // per window and register
    std::string m_drive;
    fault_log& m_faults;
};

} // namespace ssdvp::platform
