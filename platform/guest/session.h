// SPDX-License-Identifier: Apache-2.0
//
// A guest on the drive's registers: its accesses go to the models, and simulated time runs while
// the drive has work. Page in docs/guest.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "models/pcie/config_space.h"
#include "platform/guest/qemu.h"
#include "platform/guest/shared_ram.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

enum class guest_ending { left, interrupted, stuck };

class guest_session {
public:
    guest_session(ssd& drive, qemu& machine);

    /// Until the guest leaves, `interrupted()`, or the drive gives up. Throws proxy_error.
    guest_ending run(const std::function<bool()>& interrupted);

private:
    void handle(const proxy_message& m);
    void handle(const share_memory& m);
    void handle(const config_access& a);
    void handle(const bar_access& a);
    void handle(const device_reset& r);
    std::uint64_t read_bar(const bar_access& a);
    void write_bar(const bar_access& a);
    std::uint32_t read_register(std::uint64_t offset);
    void message(std::uint64_t address, std::uint32_t data);
    void deliver();
    [[nodiscard]] bool works() const;
    void simulate(sim_time t);
    void follow_the_clock();

    ssd& m_drive;
    qemu& m_machine;
    host::guest_driver& m_guest;
    pcie::function_identity m_identity;
    pcie::config_space m_config;
    shared_ram m_ram;
    struct interrupt_message {
        std::uint64_t address;
        std::uint32_t data;
    };
    std::vector<interrupt_message> m_held; // while the function is masked
    std::chrono::steady_clock::time_point m_clock;
};

/// What the guest finds on its PCI bus: our NVMe controller or our AHCI adapter.
[[nodiscard]] pcie::function_identity function_of(const ssd_config& config);

} // namespace ssdvp::platform
