// SPDX-License-Identifier: Apache-2.0
//
// The AHCI adapter at register level: host memory, link, and a device that does what a test says.
#pragma once

#include <cstring>
#include <vector>

#include "models/host/ahci/hba.h"
#include "models/host/driver/registers.h"
#include "models/host/memory/memory.h"
#include "tests/models/sata/scripted_device.h"
#include "tests/support/register_master.h"

namespace ssdvp::ahci {

/// Opens the adapter's registers to the test of their access.
struct hba_peek {
    static void set_all(hba& dut, std::uint32_t offset)
    {
        dut.m_is = offset == AHCI_REG_IS ? AHCI_IS_IPS : dut.m_is;
        dut.m_port.is = offset == AHCI_REG_PXIS ? 0x7D00002Fu : dut.m_port.is;
        dut.m_port.serr = offset == AHCI_REG_PXSERR ? 0x06610500u : dut.m_port.serr;
    }
};

} // namespace ssdvp::ahci

namespace ssdvp::test {

using namespace ssdvp::literals;

struct hba_bench : host::memory_listener {
    struct prd {
        std::uint64_t address;
        std::uint32_t length;
        bool interrupt = false;
    };
    host::memory memory{"memory"};
    ahci::hba dut;
    sata::link link;
    scripted_device device;
    register_master cpu{"cpu"};
    host::registers regs{cpu.out};
    std::uint64_t list, fis_area, tables, data;
    std::vector<sim_time> messages;

    static ahci::hba_config config() { return {300_ns, 200_ns, data_mode::full}; }

    explicit hba_bench(const ahci::hba_config& c = config(), const sata::link_config& l = {})
        : dut("dut", c, host::memory::msi_base), link("link", l),
          list(memory.allocate(host::memory::page_size)), fis_area(list + 1024),
          tables(memory.allocate(32 * 1024)), data(memory.allocate(1 << 20))
    {
        cpu.out.bind(dut.regs);
        dut.memory.bind(memory.from_link);
        dut.link.bind(link);
        device.link = &link;
        link.attach(sata::side::host, dut);
        link.attach(sata::side::device, device);
        memory.listen(this);
        link.device_power(true);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    void on_watched_write(std::uint64_t, std::uint64_t, sim_time) override {}
    void on_msi(std::uint32_t message, sim_time when) override
    {
        CHECK(message == 0);
        messages.push_back(when);
    }

    void run(sim_time t = 20_us) { sc_core::sc_start(t.to_sc()); }
    std::uint32_t get(std::uint32_t offset)
    {
        return static_cast<std::uint32_t>(regs.read32(offset).value);
    }
    void put(std::uint32_t offset, std::uint32_t value) { regs.write32(offset, value); }

    void set_places()
    {
        put(AHCI_REG_PXCLB, static_cast<std::uint32_t>(list));
        put(AHCI_REG_PXCLBU, static_cast<std::uint32_t>(list >> 32));
        put(AHCI_REG_PXFB, static_cast<std::uint32_t>(fis_area));
        put(AHCI_REG_PXFBU, static_cast<std::uint32_t>(fis_area >> 32));
        put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
    }
    /// Link up, signature here, errors cleared, interrupts on, port started.
    void start()
    {
        set_places();
        run(1_ms);
        device.send_signature();
        run();
        put(AHCI_REG_PXSERR, ~0u);
        put(AHCI_REG_PXIS, ~0u);
        put(AHCI_REG_PXIE, ~0u);
        put(AHCI_REG_IS, 1);
        put(AHCI_REG_GHC, AHCI_GHC_AE | AHCI_GHC_IE);
        put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE | AHCI_PXCMD_ST);
        messages.clear();
        device.frames.clear();
    }
    void command(std::uint32_t slot, std::uint8_t code, const std::vector<prd>& prds,
                 std::uint16_t flags = 0, std::uint8_t device_control = 0)
    {
        fis::register_h2d f;
        f.flags = (flags & AHCI_HEADER_R) != 0 || code == 0 ? 0 : fis::FLAG_COMMAND;
        f.command = code;
        f.control = device_control;
        f.count = static_cast<std::uint8_t>(slot << 3);
        const std::uint64_t table = tables + std::uint64_t{slot} * 1024;
        std::memcpy(memory.at(table), &f, sizeof f);
        ahci_command_header h{};
        h.flags = static_cast<std::uint16_t>(flags | 5u);
        h.prdtl = static_cast<std::uint16_t>(prds.size());
        h.ctba = static_cast<std::uint32_t>(table);
        h.ctbau = static_cast<std::uint32_t>(table >> 32);
        std::memcpy(memory.at(list + slot * sizeof h), &h, sizeof h);
        for (std::size_t i = 0; i < prds.size(); ++i) {
            ahci_prd p{};
            p.dba = static_cast<std::uint32_t>(prds[i].address);
            p.dbau = static_cast<std::uint32_t>(prds[i].address >> 32);
            p.dbc = (prds[i].length - 1) | (prds[i].interrupt ? AHCI_PRD_I : 0);
            std::memcpy(memory.at(table + AHCI_TABLE_PRDT + i * sizeof p), &p, sizeof p);
        }
    }
    void issue(std::uint32_t slots, bool queued)
    {
        if (queued) {
            put(AHCI_REG_PXSACT, slots);
        }
        put(AHCI_REG_PXCI, slots);
    }
    std::uint32_t moved(std::uint32_t slot)
    {
        ahci_command_header h{};
        std::memcpy(&h, memory.at(list + slot * sizeof h), sizeof h);
        return h.prdbc;
    }
    void clear_interrupts()
    {
        put(AHCI_REG_PXIS, ~0u);
        put(AHCI_REG_IS, 1);
        messages.clear();
    }
    static std::vector<unsigned char> pattern(std::uint32_t length, unsigned seed = 1)
    {
        std::vector<unsigned char> bytes(length);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<unsigned char>(seed * 37 + i * 11 + i / 251);
        }
        return bytes;
    }
    bool holds(std::uint64_t address, const std::vector<unsigned char>& bytes)
    {
        return std::memcmp(memory.at(address), bytes.data(), bytes.size()) == 0;
    }
};

} // namespace ssdvp::test
