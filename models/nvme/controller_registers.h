// SPDX-License-Identifier: Apache-2.0
//
// Controller properties that host and firmware share (NVM Express base 1.4, 3.1): configuration and
// status, the places of the admin queues, and how the controller becomes ready and fails.
#pragma once

#include <cstdint>

#include "models/nvme/shared.h"

namespace ssdvp::nvme {

class controller_registers {
public:
    explicit controller_registers(front_end_shared& shared) : m_shared(shared) {}

    // Host
    /// CAP to ACQ but for INTMS and INTMC; reserved offsets read 0.
    [[nodiscard]] std::uint32_t read(std::uint32_t offset) const;
    /// AQA, ASQ, ACQ; others are read-only or have a function of their own.
    void write(std::uint32_t offset, std::uint32_t value);
    enum class transition : std::uint8_t { none, disabled, enabled };
    /// CC; what of it is left to do. Enabling that cannot be is fatal.
    transition write_cc(std::uint32_t value);
    /// CC.AMS
    [[nodiscard]] bool weighted() const { return (m_cc & NVME_CC_AMS_MASK) != 0; }
    /// CSTS.CFS; the way out is a controller reset.
    void fatal();
    [[nodiscard]] bool is_fatal() const { return m_fatal; }
    /// A doorbell has brought what cannot be. Firmware is told when the controller is ready: else
    /// there are no queues, and nobody to tell.
    void wrong_doorbell(std::uint32_t id, bool completion, bool exists);

    // Firmware
    /// However briefly the host resets, firmware sees CC.EN 0 until it is ready no more.
    [[nodiscard]] std::uint32_t cc_for_firmware() const
    {
        return m_reset_unseen ? m_cc & ~NVME_CC_EN : m_cc;
    }
    [[nodiscard]] std::uint32_t csts() const { return m_csts; }
    [[nodiscard]] std::uint32_t doorbell_error() const { return m_doorbell_error; }
    /// Firmware has read CC or DOORBELL_ERROR.
    void seen_cc() { m_cc_written = false; }
    void seen_doorbell_error() { m_doorbell_error = 0; }
    /// True: the controller is ready, and its admin queues are to be armed.
    bool write_csts(std::uint32_t value);
    /// Of FE_INT_*
    [[nodiscard]] std::uint32_t conditions() const
    {
        return (m_cc_written ? FE_INT_CC : 0u) | (m_doorbell_error != 0 ? FE_INT_DOORBELL : 0u);
    }

    [[nodiscard]] std::uint32_t aqa() const { return m_aqa; }
    [[nodiscard]] std::uint64_t asq() const { return m_asq; }
    [[nodiscard]] std::uint64_t acq() const { return m_acq; }
    /// When CSTS.RDY last became 1.
    [[nodiscard]] sim_time ready_since() const { return m_ready_since; }

    /// A controller reset: nothing is fatal any more.
    void forget();
    /// Power is gone.
    void reset();

private:
    [[nodiscard]] bool can_enable(std::uint32_t cc) const;
    void tell_cc();

    front_end_shared& m_shared;
    std::uint32_t m_cc = 0;
    std::uint32_t m_csts = 0;
    std::uint32_t m_aqa = 0;
    std::uint64_t m_asq = 0;
    std::uint64_t m_acq = 0;
    std::uint32_t m_doorbell_error = 0; // FE_DOORBELL_ERROR_*
    sim_time m_ready_since;
    bool m_cc_written = false;
    bool m_told_ready = false;   // by firmware
    bool m_reset_unseen = false; // CC.EN went 1 -> 0, and firmware still says ready
    bool m_fatal = false;        // CSTS.CFS is the hardware's
};

} // namespace ssdvp::nvme
