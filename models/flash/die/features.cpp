// SPDX-License-Identifier: Apache-2.0
//
// Vendor features of a LUN: the suspend policy that Set Features selects, and the counts that Get
// Features gives (models/regs/channel_regs.h). All other addresses keep their bytes without effect.
#include "models/flash/die/lun.h"

namespace ssdvp::flash {

namespace {

unsigned char byte_of(std::uint64_t value, unsigned n)
{
    return static_cast<unsigned char>(value >> (8 * n));
}

} // namespace

/// False when the value is none that the die knows: it keeps what it has.
bool lun::set_feature(std::uint32_t address, const unsigned char* value, std::size_t count)
{
    if (address == FLASH_FEATURE_SUSPEND_COUNTS || count < die_registers::feature_bytes) {
        return false;
    }
    if (address == FLASH_FEATURE_SUSPEND_POLICY) {
        const suspend_policy* policy = find_suspend_policy(value[0]);
        if (policy == nullptr || value[1] > 1) {
            return false;
        }
        m_suspend = {policy, value[0], value[1] != 0};
    }
    m_registers.set_feature(address, value, count);
    return true;
}

void lun::get_feature(std::uint32_t address)
{
    if (address == FLASH_FEATURE_SUSPEND_COUNTS) {
        const unsigned char counts[die_registers::feature_bytes] = {
            byte_of(m_erase_suspends, 0), byte_of(m_erase_suspends, 1),
            byte_of(m_stats.suspends, 0), byte_of(m_stats.suspends, 1)};
        m_registers.set_feature(address, counts, sizeof counts);
    } else if (address == FLASH_FEATURE_SUSPEND_POLICY) {
        const unsigned char setting[die_registers::feature_bytes] = {
            m_suspend.id, m_suspend.programs ? std::uint8_t{1} : std::uint8_t{0}, 0, 0};
        m_registers.set_feature(address, setting, sizeof setting);
    }
    m_registers.select_feature(address);
}

} // namespace ssdvp::flash
