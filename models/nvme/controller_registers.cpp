// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/controller_registers.h"

#include <algorithm>

namespace ssdvp::nvme {

using namespace ssdvp::literals;

namespace {

constexpr std::uint64_t with_low(std::uint64_t v, std::uint32_t low)
{
    return (v & 0xFFFFFFFF00000000ull) | low;
}
constexpr std::uint64_t with_high(std::uint64_t v, std::uint32_t high)
{
    return (v & 0xFFFFFFFFull) | (std::uint64_t{high} << 32);
}
/// CAP.TO: 8 bits that count 500 ms (3.1.1).
constexpr std::uint32_t time_to_ready(sim_time limit)
{
    constexpr std::uint64_t step = (500_ms).ps();
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        (limit.ps() + step - 1) / step, NVME_CAP_TO_MASK >> NVME_CAP_TO_SHIFT));
}
constexpr std::uint32_t low(std::uint64_t v)
{
    return static_cast<std::uint32_t>(v);
}
constexpr std::uint32_t high(std::uint64_t v)
{
    return static_cast<std::uint32_t>(v >> 32);
}

} // namespace

std::uint32_t controller_registers::read(std::uint32_t offset) const
{
    const front_end_config& config = m_shared.config;
    switch (offset) {
    case NVME_REG_CAP:
        return low(NVME_CAP_RESET) | (config.queue_entries - 1) | // MQES
               time_to_ready(config.ready_limit) << NVME_CAP_TO_SHIFT;
    case NVME_REG_CAP + 4:
        return high(NVME_CAP_RESET);
    case NVME_REG_VS:
        return NVME_VS_RESET;
    case NVME_REG_CC:
        return m_cc;
    case NVME_REG_CSTS:
        return m_csts;
    case NVME_REG_AQA:
        return m_aqa;
    case NVME_REG_ASQ:
        return low(m_asq);
    case NVME_REG_ASQ + 4:
        return high(m_asq);
    case NVME_REG_ACQ:
        return low(m_acq);
    case NVME_REG_ACQ + 4:
        return high(m_acq);
    default:
        return 0;
    }
}

void controller_registers::write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case NVME_REG_AQA:
        m_aqa = value & (NVME_AQA_ASQS_MASK | NVME_AQA_ACQS_MASK);
        break;
    case NVME_REG_ASQ:
        m_asq = with_low(m_asq, value & low(NVME_ASQ_ASQB_MASK));
        break;
    case NVME_REG_ASQ + 4:
        m_asq = with_high(m_asq, value);
        break;
    case NVME_REG_ACQ:
        m_acq = with_low(m_acq, value & low(NVME_ACQ_ACQB_MASK));
        break;
    case NVME_REG_ACQ + 4:
        m_acq = with_high(m_acq, value);
        break;
    default:
        break;
    }
}

controller_registers::transition controller_registers::write_cc(std::uint32_t value)
{
    const bool enabled = (m_cc & NVME_CC_EN) != 0;
    const bool enable = (value & NVME_CC_EN) != 0;
    transition what = transition::none;
    m_cc = value;
    if (enabled && !enable) {
        m_reset_unseen = m_told_ready;
        what = transition::disabled;
    } else if (!enabled && enable && !can_enable(value)) {
        fatal(); // and firmware's RDY stays without effect
    } else if (!enabled && enable) {
        what = transition::enabled;
    }
    if (enable && m_reset_unseen) {
        m_csts &= ~NVME_CSTS_RDY; // for a host that does not wait for that: it is of before
        m_shared.levels.ready(false);
    }
    tell_cc();
    return what;
}

void controller_registers::tell_cc()
{
    m_cc_written = true;
    m_shared.block.raise(FE_INT_CC);
}

/// What the host asks for is what CAP offers (3.1.5). The sizes of I/O queue entries may be left 0
/// until there are I/O queues (7.6.1).
bool controller_registers::can_enable(std::uint32_t cc) const
{
    constexpr std::uint64_t cap = NVME_CAP_RESET;
    const auto of_cc = [cc](std::uint32_t mask, std::uint32_t shift) {
        return (cc & mask) >> shift;
    };
    const auto of_cap = [](std::uint64_t mask, std::uint32_t shift) {
        return static_cast<std::uint32_t>((cap & mask) >> shift);
    };
    const std::uint32_t mps = of_cc(NVME_CC_MPS_MASK, NVME_CC_MPS_SHIFT);
    const std::uint32_t ams = of_cc(NVME_CC_AMS_MASK, NVME_CC_AMS_SHIFT);
    const std::uint32_t css = of_cc(NVME_CC_CSS_MASK, NVME_CC_CSS_SHIFT);
    const std::uint32_t sqes = of_cc(NVME_CC_IOSQES_MASK, NVME_CC_IOSQES_SHIFT);
    const std::uint32_t cqes = of_cc(NVME_CC_IOCQES_MASK, NVME_CC_IOCQES_SHIFT);
    const std::uint32_t asqs = m_aqa & NVME_AQA_ASQS_MASK;
    const std::uint32_t acqs = (m_aqa & NVME_AQA_ACQS_MASK) >> NVME_AQA_ACQS_SHIFT;
    const std::uint32_t sets = of_cap(NVME_CAP_CSS_MASK, NVME_CAP_CSS_SHIFT);
    const std::uint32_t schemes = of_cap(NVME_CAP_AMS_MASK, NVME_CAP_AMS_SHIFT);
    return mps >= of_cap(NVME_CAP_MPSMIN_MASK, NVME_CAP_MPSMIN_SHIFT) &&
           mps <= of_cap(NVME_CAP_MPSMAX_MASK, NVME_CAP_MPSMAX_SHIFT) &&
           (ams == 0 || (ams == 1 && (schemes & 1u) != 0)) && (sets >> css & 1u) != 0 &&
           (sqes == 0 || 1u << sqes == sizeof(nvme_sqe)) &&
           (cqes == 0 || 1u << cqes == sizeof(nvme_cqe)) && asqs != 0 && acqs != 0;
}

void controller_registers::fatal()
{
    m_fatal = true;
    m_csts |= NVME_CSTS_CFS;
    ++m_shared.stats.fatal_states;
}

void controller_registers::wrong_doorbell(std::uint32_t id, bool completion, bool exists)
{
    ++m_shared.stats.invalid_doorbells;
    if ((m_csts & NVME_CSTS_RDY) == 0 || (m_cc & NVME_CC_EN) == 0) {
        return;
    }
    if (m_doorbell_error == 0) {
        m_doorbell_error =
            (completion ? FE_DOORBELL_ERROR_COMPLETION : 0) | id << FE_DOORBELL_ERROR_QUEUE_SHIFT;
    }
    m_doorbell_error |= exists ? FE_DOORBELL_ERROR_VALUE : FE_DOORBELL_ERROR_REGISTER;
    m_shared.block.raise(FE_INT_DOORBELL);
}

bool controller_registers::write_csts(std::uint32_t value)
{
    const bool was_unseen = m_reset_unseen;
    m_told_ready = (value & NVME_CSTS_RDY) != 0;
    m_reset_unseen = m_told_ready && (m_reset_unseen || (m_cc & NVME_CC_EN) == 0);
    if (was_unseen && !m_reset_unseen && (m_cc & NVME_CC_EN) != 0) {
        tell_cc();
    }
    if (m_reset_unseen && (m_cc & NVME_CC_EN) != 0) {
        value &= ~NVME_CSTS_RDY; // of before the reset: there are no queues to be ready with
    }
    const bool rises = (m_csts & NVME_CSTS_RDY) == 0 && (value & NVME_CSTS_RDY) != 0;
    const bool ready = rises && !m_fatal;
    m_csts = m_fatal ? value | NVME_CSTS_CFS : value;
    m_csts &= rises && m_fatal ? ~NVME_CSTS_RDY : ~0u;
    m_shared.levels.ready((m_csts & NVME_CSTS_RDY) != 0);
    m_ready_since = ready ? now() : m_ready_since;
    return ready && (m_cc & NVME_CC_EN) != 0;
}

void controller_registers::forget()
{
    m_fatal = false;
    m_csts &= ~NVME_CSTS_CFS;
    m_doorbell_error = 0;
}

void controller_registers::reset()
{
    m_cc = m_csts = m_aqa = 0;
    m_shared.levels.ready(false);
    m_asq = m_acq = 0;
    m_doorbell_error = 0;
    m_cc_written = m_told_ready = m_reset_unseen = m_fatal = false;
}

} // namespace ssdvp::nvme
