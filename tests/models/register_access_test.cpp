// SPDX-License-Identifier: Apache-2.0
//
// Each register of each block answers as models/regs/*.rdl say: value at reset, access, what is
// refused; and a block has no register that they do not describe.
#include "tests/models/register_access_bench.h"

#include <catch2/catch.hpp>

#include "models/irq/irq_controller.h"
#include "models/nor/nor_flash.h"
#include "models/regs/irq_regs.h"
#include "models/regs/memory_map.h"
#include "models/thermal/thermal.h"
#include "models/timer/timer.h"
#include "tests/models/flash_bench_parts.h"
#include "tests/models/nvme/bench.h"
#include "tests/models/sata/bench.h"
#include "tests/models/sata/hba_bench.h"
#include "tests/support/register_master.h"

namespace register_access_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

struct line : sc_core::sc_module, irq_line_if {
    explicit line(const sc_core::sc_module_name& name) : sc_module(name) {}
    void raise(unsigned) override {}
};

/// A port through `cpu`. A fault that a write records counts as refused.
register_port port_of(register_master& cpu, const fault_log* faults = nullptr)
{
    register_port p;
    p.read = [&cpu](std::uint32_t offset) -> std::optional<std::uint32_t> {
        std::uint32_t value = 0;
        if (cpu.access(tlm::TLM_READ_COMMAND, offset, &value, 4, {}) != tlm::TLM_OK_RESPONSE) {
            return std::nullopt;
        }
        return value;
    };
    p.write = [&cpu, faults](std::uint32_t offset, std::uint32_t value) {
        const std::uint64_t before = faults != nullptr ? faults->count() : 0;
        const bool ok = cpu.write(offset, value) == tlm::TLM_OK_RESPONSE;
        return ok && (faults == nullptr || faults->count() == before);
    };
    return p;
}

/// The cores' side of a front end on its bench.
template <typename Bench>
register_port device_side(Bench& b)
{
    const auto access = [&b](tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value) {
        tlm::tlm_generic_payload gp;
        gp.set_command(command);
        gp.set_address(offset);
        gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        sc_core::sc_time delay;
        b.dut.regs.get_base_interface().b_transport(gp, delay);
        return gp.is_response_ok();
    };
    register_port port;
    port.read = [access](std::uint32_t offset) -> std::optional<std::uint32_t> {
        std::uint32_t value = 0;
        return access(tlm::TLM_READ_COMMAND, offset, value) ? std::make_optional(value)
                                                            : std::nullopt;
    };
    port.write = [&b, access](std::uint32_t offset, std::uint32_t value) {
        const std::uint64_t before = b.faults.count();
        return access(tlm::TLM_WRITE_COMMAND, offset, value) && b.faults.count() == before;
    };
    return port;
}

void settle()
{
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
}

} // namespace

TEST_CASE("interrupt controller: registers as described")
{
    irq::irq_controller dut("dut");
    register_master cpu("cpu");
    cpu.out.bind(dut.regs);
    settle();
    register_port port = port_of(cpu);
    port.set_all = [&dut](std::uint32_t offset) {
        for (unsigned i = 0; i < 32; ++i) {
            dut.raise(i + (offset % IRQ_CORE_STRIDE == IRQ_REG_PENDING_HI ? 32 : 0));
        }
    };
    port.array_entries = MAP_CORES_MAX;
    register_check check(irq_registers, port);
    check.all(MAP_IRQ_SIZE);
    cpu.write(IRQ_REG_ENABLE_LO, ~0u);
    dut.power_off();
    check.reset();
}

TEST_CASE("timer: registers as described")
{
    timer::timer dut("dut", 1);
    line irq("irq");
    register_master cpu("cpu");
    cpu.out.bind(dut.regs);
    dut.irq.bind(irq);
    settle();
    register_check check(timer_registers, port_of(cpu));
    check.all(MAP_TIMER_SIZE);
}

TEST_CASE("boot flash: registers as described")
{
    struct no_loader final : nor::image_loader {
        bool load(std::uint32_t, const std::vector<unsigned char>&) override { return false; }
        void stop() override {}
        [[nodiscard]] bool stopped() const override { return true; }
        void start(std::uint32_t, bool) override {}
    } loader;
    nor::nor_flash dut("dut", loader, 1);
    line irq("irq");
    register_master cpu("cpu");
    cpu.out.bind(dut.regs);
    dut.irq.bind(irq);
    settle();
    register_check check(nor_registers, port_of(cpu));
    check.all(MAP_NOR_SIZE);
}

TEST_CASE("thermal unit: registers as described")
{
    struct cold final : thermal::energy_source {
        void read(thermal::heat&) override {}
        void divide_clock(unsigned) override {}
        void power_state(unsigned, bool) override {}
    } nothing;
    thermal::thermal_config config;
    config.on = true;
    config.step = 1_ms;
    thermal::thermal dut("dut", config, 2, nothing, 1);
    line irq("irq");
    register_master cpu("cpu");
    cpu.out.bind(dut.regs);
    dut.irq.bind(irq);
    settle();
    register_check check(thermal_registers, port_of(cpu));
    check.all(MAP_THERMAL_SIZE);
    dut.power_off();
    check.reset();
}

TEST_CASE("channel controller: registers as described")
{
    fault_log faults;
    flash::flash_environment environment;
    environment.faults = &faults;
    line irq("irq");
    flash::bench_memory memory("memory", 1 << 20);
    flash::flash_channel dut("dut", flash::small_config(), environment);
    register_master cpu("cpu");
    cpu.out.bind(dut.regs);
    dut.memory.bind(memory.in);
    dut.irq.bind(irq);
    settle();
    register_check check(channel_registers, port_of(cpu, &faults));
    check.all(MAP_CHANNEL_SIZE);
    dut.power_off();
    check.reset();
}

TEST_CASE("NVMe front end, device side: registers as described")
{
    nvme_bench b("bench", bench_front_end());
    b.run({});
    register_port port = device_side(b);
    port.in_context = {"Q_COMMAND"}; // a command takes a queue: nvme/queues.cpp
    register_check check(nvme_fe_registers, port);
    check.all(MAP_NVME_SIZE);
    b.dut.power_off();
    check.reset();
    b.expected_faults = b.faults.count();
}

TEST_CASE("SATA front end, device side: registers as described")
{
    sata_bench b("bench");
    b.run({});
    register_check check(sata_fe_registers, device_side(b));
    check.all(MAP_SATA_SIZE);
    b.dut.power_off();
    check.reset();
    b.expected_faults = b.faults.count();
}

TEST_CASE("NVMe controller, host side: registers as described")
{
    nvme_bench b("bench", bench_front_end());
    b.run({});
    register_port port;
    port.read = [&b](std::uint32_t offset) { return b.bar_read(offset); };
    port.write = [&b](std::uint32_t offset, std::uint32_t value) {
        const std::uint64_t before = b.dut.stats().invalid_doorbells;
        b.bar_write(offset, value);
        b.run(1_us); // over the link
        return b.dut.stats().invalid_doorbells == before;
    };
    port.set_all = [&b](std::uint32_t) {
        b.bar_write(NVME_REG_INTMS, ~0u);
        b.run(1_us);
    };
    port.array_entries = bench_front_end().vectors;
    register_check check(nvme_registers, port);
    check.all(NVME_BAR_SIZE);
    for (std::uint32_t v = port.array_entries; v < NVME_MSIX_TABLE_COUNT; ++v) {
        const std::uint32_t entry = NVME_REG_MSIX_TABLE + v * NVME_MSIX_TABLE_STRIDE;
        CHECK(b.bar_read(entry + NVME_MSIX_TABLE_CONTROL) == 0); // not there
    }
    CHECK((b.bar_read(NVME_REG_CAP) & NVME_CAP_MQES_MASK) == bench_front_end().queue_entries - 1);
}

TEST_CASE("AHCI adapter: registers as described")
{
    hba_bench b;
    b.link.device_power(false);
    register_port port;
    port.read = [&b](std::uint32_t offset) { return b.get(offset); };
    port.write = [&b](std::uint32_t offset, std::uint32_t value) {
        const std::uint64_t before = b.dut.stats().ignored_writes;
        b.put(offset, value);
        return b.dut.stats().ignored_writes == before;
    };
    port.set_all = [&b](std::uint32_t offset) { ahci::hba_peek::set_all(b.dut, offset); };
    port.in_context = {"PXSACT", "PXCI"}; // bits stay only while the port runs: hba_test.cpp
    register_check check(ahci_registers, port);
    check.all(ahci::hba::window);
    CHECK((b.get(AHCI_REG_CAP) & AHCI_CAP_ISS_MASK) == 3u << AHCI_CAP_ISS_SHIFT);
}

} // namespace register_access_test
