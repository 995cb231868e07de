// SPDX-License-Identifier: Apache-2.0
//
// The guest's PCI bus: its accesses go to the models, and simulated time runs while the drive has
// work. Page in docs/guest.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "models/pcie/config_space.h"
#include "platform/guest/qemu.h"
#include "platform/guest/shared_ram.h"
#include "platform/serve/session.h"

namespace ssdvp::platform {

/// What the guest finds there: our NVMe controller or our AHCI adapter.
[[nodiscard]] pcie::function_identity function_of(const ssd_config& config);

class guest_bus {
public:
    guest_bus(ssd& drive, qemu& machine, const advance_function& advance);
    ~guest_bus();
    guest_bus(const guest_bus&) = delete;
    guest_bus& operator=(const guest_bus&) = delete;

    enum class state { serves, left, dead };
    /// One message of the guest, or a slice of simulated time, or a short sleep.
    state turn();

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
    const advance_function& m_advance;
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
    bool m_alive = true;
};

} // namespace ssdvp::platform
