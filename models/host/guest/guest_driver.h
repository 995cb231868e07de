// SPDX-License-Identifier: Apache-2.0
//
// A driver that runs elsewhere, in an operating system of its own: what it writes to registers
// comes in by calls, and what the drive moves goes to memory that both share. It stands where the
// platform's own drivers do, but takes no requests from the platform.
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/time.h"
#include "models/host/driver/drive.h"
#include "models/host/driver/registers.h"

namespace ssdvp::host {

/// A piece of the guest's memory, and where we see it.
struct guest_ram {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    unsigned char* bytes = nullptr;
};

class guest_driver final : public block, public drive, private tlm::tlm_fw_transport_if<> {
public:
    static constexpr std::uint64_t message_base = 0xFEE00000; // of the local APICs
    static constexpr std::uint64_t message_size = 0x100000;

    tlm_utils::simple_initiator_socket<guest_driver> mmio;
    tlm::tlm_target_socket<> from_link; // memory, and the messages of the drive

    explicit guest_driver(const sc_core::sc_module_name& name);
    ~guest_driver() override;

    /// The memory that the guest shares from now on.
    void map(std::vector<guest_ram> ram) { m_ram = std::move(ram); }
    /// Told of each interrupt message.
    void on_message(std::function<void(std::uint64_t address, std::uint32_t data)> told)
    {
        m_on_message = std::move(told);
    }
    /// May the drive reach memory? (Bus Master Enable.) At first it may not.
    void set_master(bool on) { m_master = on; }

    /// A register write of 4 bytes; it acts after its time on the link.
    void write(std::uint64_t offset, std::uint32_t value);
    /// When the writes so far have acted: a read has to come behind them.
    [[nodiscard]] sim_time settled() const { return m_settled; }
    /// A register read of 4 bytes, and how long it takes.
    registers::reading read(std::uint64_t offset) { return m_registers.read32(offset); }

    /// The guest's memory as it is now; null: it does not share that.
    [[nodiscard]] const unsigned char* look(std::uint64_t address, std::uint64_t length) const
    {
        return find(address, length);
    }

    // drive: there is nobody here to ask for anything
    void start(callback done) override { done(true); }
    void restart(callback done) override { done(true); }
    void shutdown(callback done) override { done(true); }
    void power_lost() override { m_settled = sim_time(); }
    void abandon() override {}
    [[nodiscard]] bool ready() const override { return true; }
    [[nodiscard]] bool in_sequence() const override { return false; }
    [[nodiscard]] const drive_info& info() const override { return m_info; }
    bool submit(const request&, unsigned char*, request_client&, std::uint64_t) override
    {
        return false;
    }
    void set_private(bool) override {}
    void ring() override {}
    [[nodiscard]] bool accepts() const override { return false; }
    [[nodiscard]] std::uint64_t in_flight() const override { return 0; }
    [[nodiscard]] std::uint64_t completed() const override { return 0; }
    [[nodiscard]] std::uint64_t lost() const override { return 0; }
    [[nodiscard]] std::uint64_t commands() const override { return 0; }
    [[nodiscard]] std::uint64_t doorbells() const override { return m_writes; }

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

    void access(tlm::tlm_generic_payload& gp);
    [[nodiscard]] unsigned char* find(std::uint64_t address, std::uint64_t length) const;

    registers m_registers;
    std::vector<guest_ram> m_ram;
    std::function<void(std::uint64_t, std::uint32_t)> m_on_message;
    sim_time m_settled;
    drive_info m_info;
    std::uint64_t m_writes = 0; // of registers
    bool m_master = false;
};

} // namespace ssdvp::host
