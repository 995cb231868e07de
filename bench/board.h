// SPDX-License-Identifier: Apache-2.0
//
// A board to characterise flash parts: one channel, memory, and a program that keeps the rings. No
// drive around it, no host, no firmware.
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/fault_log.h"
#include "models/flash/flash_channel.h"

namespace ssdvp::bench {

class board final : public sc_core::sc_module, public irq_line_if {
public:
    board(const sc_core::sc_module_name& name, const flash::channel_config& config);

    /// Elaborates the modules and sets up the rings; once, before anything else.
    void power_on();
    /// Carries out one operation on plane 0 of LUN 0; throws std::runtime_error when it fails.
    flash_completion execute(flash_op op, std::uint32_t block, std::uint32_t page);
    /// The same for an erase, while reads of page 0 of block `busy` ask all the time: as soon as
    /// one of them is done another one waits.
    flash_completion erase_under_reads(std::uint32_t block, std::uint32_t busy);
    void wait(sim_time t) { sc_core::sc_start(t.to_sc()); }

    [[nodiscard]] flash::channel_stats stats() { return m_channel.stats(); }
    void raise(unsigned line) override;

private:
    tlm::tlm_sync_enum access(tlm::tlm_generic_payload& gp, tlm::tlm_phase&, sc_core::sc_time&);
    bool direct_memory(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi);
    void write(std::uint64_t reg, std::uint32_t value);
    void submit(flash_op op, std::uint32_t block, std::uint32_t page);
    flash_completion finish(flash_op op);

    flash::channel_config m_config;
    std::vector<unsigned char> m_bytes;
    fault_log m_faults;
    flash::flash_channel m_channel;
    tlm_utils::simple_target_socket<board> m_memory;
    tlm_utils::simple_initiator_socket<board> m_registers;
    std::optional<std::uint32_t> m_busy; // block that reads ask for without a pause
    std::optional<flash_completion> m_done;
    std::uint32_t m_tail = 0;
    std::uint32_t m_head = 0;
    std::uint8_t m_phase = 1;
};

} // namespace ssdvp::bench
