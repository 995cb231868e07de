// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/config_space.h"

namespace ssdvp::pcie {

namespace {

constexpr unsigned msix_capability = 0x11;
constexpr unsigned msi_capability = 0x05;
constexpr unsigned pm_capability = 0x01;

constexpr std::uint32_t msix_enable = 0x8000, msix_function_mask = 0x4000; // message control
constexpr std::uint32_t msi_enable = 0x0001, msi_64_bit = 0x0080;

} // namespace

config_space::config_space(const function_identity& identity) : m_identity(identity)
{
    reset();
}

void config_space::reset()
{
    m_bytes.fill(0);
    m_writable.fill(0);
    const function_identity& f = m_identity;
    set(0x00, f.vendor, 2, 0);
    set(0x02, f.device, 2, 0);
    set(command, 0, 2, 0x0546); // memory, master, parity, SERR#, INTx off
    set(0x06, 0x0010, 2, 0);    // status: a list of capabilities
    set(0x08, f.revision, 1, 0);
    set(0x09, f.class_code, 2, 0);
    set(0x0B, f.class_code >> 16, 1, 0);
    set(0x0C, 0, 1, 0xFF); // cache line size
    set(0x2C, f.subsystem_vendor, 2, 0);
    set(0x2E, f.subsystem, 2, 0);
    set(0x34, power_management, 1, 0);
    set(0x3C, 0xFF, 1, 0xFF);                            // interrupt line; no pin: messages alone
    set(first_bar + 4 * f.bar, 0, 4, ~(f.bar_size - 1)); // 32 bits, not prefetchable
    set(power_management, pm_capability, 1, 0);
    set(power_management + 1, messages, 1, 0);
    set(power_management + 2, 0x0003, 2, 0);      // version 1.2, D0 and D3hot
    set(power_management + 4, 0x0008, 2, 0x0003); // power state; no reset by D3hot -> D0
    set_messages();
}

void config_space::set_messages()
{
    const function_identity& f = m_identity;
    set(messages, f.vectors != 0 ? msix_capability : msi_capability, 1, 0);
    if (f.vectors != 0) {
        set(messages + 2, f.vectors - 1, 2, msix_enable | msix_function_mask);
        set(messages + 4, f.msix_table | f.bar, 4, 0);
        set(messages + 8, f.msix_pba | f.bar, 4, 0);
        return;
    }
    set(messages + 2, msi_64_bit, 2, msi_enable);
    set(messages + 4, 0, 4, 0xFFFFFFFC);
    set(messages + 8, 0, 4, 0xFFFFFFFF);
    set(messages + 12, 0, 2, 0xFFFF);
}

void config_space::set(std::uint32_t offset, std::uint32_t value, unsigned length,
                       std::uint32_t writable)
{
    for (unsigned i = 0; i < length; ++i) {
        m_bytes[offset + i] = static_cast<std::uint8_t>(value >> 8 * i);
        m_writable[offset + i] = static_cast<std::uint8_t>(writable >> 8 * i);
    }
}

std::uint32_t config_space::read(std::uint32_t offset, unsigned length) const
{
    std::uint32_t value = 0;
    for (unsigned i = 0; i < length && i < 4; ++i) {
        const std::uint64_t at = std::uint64_t{offset} + i;
        value |= (at < size ? std::uint32_t{m_bytes[at]} : 0xFFu) << 8 * i;
    }
    return value;
}

void config_space::write(std::uint32_t offset, std::uint32_t value, unsigned length)
{
    for (unsigned i = 0; i < length && i < 4; ++i) {
        const std::uint64_t at = std::uint64_t{offset} + i;
        if (at < size) {
            const auto byte = static_cast<std::uint8_t>(value >> 8 * i);
            m_bytes[at] = static_cast<std::uint8_t>((m_bytes[at] & ~m_writable[at]) |
                                                    (byte & m_writable[at]));
        }
    }
}

std::uint32_t config_space::base() const
{
    return read(first_bar + 4 * m_identity.bar, 4);
}

bool config_space::messages_enabled() const
{
    return (word(messages + 2) & (m_identity.vectors != 0 ? msix_enable : msi_enable)) != 0;
}

bool config_space::function_masked() const
{
    return m_identity.vectors != 0 && (word(messages + 2) & msix_function_mask) != 0;
}

std::uint64_t config_space::message_address() const
{
    return std::uint64_t{read(messages + 8, 4)} << 32 | read(messages + 4, 4);
}

std::uint16_t config_space::message_data() const
{
    return static_cast<std::uint16_t>(word(messages + 12));
}

} // namespace ssdvp::pcie
