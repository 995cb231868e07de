// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/ssd.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/mman.h>

#include "models/regs/boot_params.h"
#include "models/regs/memory_map.h"
#include "platform/config/boot_block.h"
#include "platform/config/config.h"
#include "platform/config/derived.h"
#include "platform/config/partition.h"
#include "platform/ssd/wiring.h"

namespace ssdvp::platform {

using namespace literals;

namespace {

constexpr std::uint64_t nor_bytes = std::uint64_t{NOR_AREAS} * NOR_AREA_SIZE;
constexpr sim_time sram_latency = 5_ns; // DMA masters; cores pay for it in their instruction cost

std::size_t master_of_core(const ssd_config& config, std::size_t core)
{
    return core == 0 ? std::size_t{MASTER_CORE} : MASTER_CHANNEL0 + config.channels + core - 1;
}

std::vector<std::string> master_names(const ssd_config& config)
{
    std::vector<std::string> names = {"core", is_sata(config) ? "sata" : "nvme"};
    for (std::uint32_t i = 0; i < config.channels; ++i) {
        names.push_back(fmt::format("channel{}", i));
    }
    for (std::size_t i = 1; i < roles_of_cores(config).size(); ++i) {
        names.push_back(fmt::format("core{}", i));
    }
    return names;
}

static_assert(latency_ledger::desks >= MAP_CORES_MAX);

std::string timer_name(std::size_t i)
{
    return i == 0 ? "timer" : fmt::format("timer{}", i);
}

std::vector<std::unique_ptr<timer::timer>> make_timers(std::size_t count)
{
    std::vector<std::unique_ptr<timer::timer>> timers;
    for (std::size_t i = 0; i < count; ++i) {
        timers.push_back(std::make_unique<timer::timer>(
            timer_name(i).c_str(), IRQ_LINE_TIMER0 + static_cast<unsigned>(i)));
    }
    return timers;
}

/// Those behind the first one lie behind the channels.
std::size_t window_of_timer(const ssd_config& config, std::size_t i)
{
    return i == 0 ? std::size_t{WINDOW_TIMER} : WINDOW_CHANNEL0 + config.channels + i - 1;
}

/// Desk of the core that rings a channel (latency_ledger): the front end's is 0.
unsigned flash_desk(const ssd_config& config, std::uint32_t channel)
{
    const bool with_host =
        config.roles == core_roles::together || config.roles == core_roles::ftl_apart;
    return with_host ? 0 : 1 + channel / (config.channels / config.ftl_cores);
}

/// A guest's commands have no other number than the slot they get.
std::size_t ledger_records(const ssd_config& config)
{
    return std::max<std::size_t>(host::host_system::ledger_commands(config.driver),
                                 config.driver.guest ? front_end_slots(config) : 0);
}

std::uint64_t dram_window(const ssd_config& config)
{
    return config.dram.capacity + config.dram.on_chip_size;
}

/// The last bytes that are firmware's of DRAM's window are on the chip, if any are.
std::uint64_t on_chip_begin(const ssd_config& config)
{
    return service_buffer(config) - config.dram.on_chip_size;
}

dram::dram_config dram_of(const ssd_config& config)
{
    dram::dram_config d = config.dram;
    d.on_chip_begin = on_chip_begin(config);
    d.on_chip_latency = sram_latency;
    return d;
}

cpu::core_config core_of(const ssd_config& config)
{
    cpu::core_config c = config.cpu;
    c.on_chip_base = MAP_DRAM_BASE + on_chip_begin(config);
    c.on_chip_size = config.dram.on_chip_size;
    return c;
}

/// Parts power up without suspend policy: firmware sets it.
flash::channel_config at_power_up(const ssd_config& config)
{
    flash::channel_config c = config.channel;
    c.die = part_as_built(config);
    c.die.suspend.kind = flash::suspend_kind::none;
    c.die.suspend.programs = false;
    return c;
}

} // namespace

std::vector<interconnect::window> ssd::address_map(const ssd_config& config)
{
    const interconnect::window nvme{"nvme", MAP_NVME_BASE, MAP_NVME_SIZE};
    const interconnect::window sata{"sata", MAP_SATA_BASE, MAP_SATA_SIZE};
    std::vector<interconnect::window> map = {{"sram", MAP_SRAM_BASE, sram_window(config)},
                                             {"dram", MAP_DRAM_BASE, dram_window(config)},
                                             is_sata(config) ? sata : nvme,
                                             {"irq", MAP_IRQ_BASE, MAP_IRQ_SIZE},
                                             {"timer", MAP_TIMER_BASE, MAP_TIMER_SIZE},
                                             {"nor", MAP_NOR_BASE, MAP_NOR_SIZE},
                                             {"thermal", MAP_THERMAL_BASE, MAP_THERMAL_SIZE},
                                             {"boot_flash", MAP_NOR_CODE_BASE, nor_bytes}};
    for (std::uint32_t i = 0; i < config.channels; ++i) {
        map.push_back({fmt::format("channel{}", i), MAP_CHANNEL_BASE + i * MAP_CHANNEL_SIZE,
                       MAP_CHANNEL_SIZE});
    }
    for (std::uint32_t i = 1; i < config.ftl_cores; ++i) {
        map.push_back({timer_name(i), MAP_TIMER_BASE + i * MAP_TIMER_SIZE, MAP_TIMER_SIZE});
    }
    return map;
}

ssd::ssd(const sc_core::sc_module_name& name, const ssd_config& config,
         const loaded_firmware& firmware, host::request_observer& observer,
         const ssd_options& options)
    : sc_module(name), m_config_held(std::make_unique<const ssd_config>(config)),
      m_config(*m_config_held), m_options(options),
      m_ledger(ledger_records(config), front_end_slots(config)),
      m_host(
          "host", config.driver, config.workload,
          {&m_ledger, &m_faults, &observer, config.run.seed, logical_bytes(config) / sector_size}),
      m_link(make_pcie_link(config)),
      m_front_end(make_nvme(config, m_ledger, m_faults, options.commands)),
      m_sata_link(make_sata_link(config)),
      m_sata_front_end(make_sata(config, m_ledger, m_faults, options.ata_commands)),
      m_interconnect("interconnect", master_names(config), address_map(config), config.port),
      m_irq("irq", static_cast<std::uint32_t>(roles_of_cores(config).size()), &m_faults),
      m_timers(make_timers(config.ftl_cores)), m_nor("nor", *this, IRQ_LINE_NOR, &m_faults),
      m_thermal("thermal", thermal_of_drive(config),
                std::size_t{config.channels} * config.channel.luns, *this, IRQ_LINE_THERMAL),
      m_sram("sram", sram_window(config), sram_latency), m_dram("dram", dram_of(config)),
      m_roles(roles_of_cores(config)), m_slice(partition_of(config).sram_size),
      m_witness(m_programs, options.stop_on_fault),
      m_registers(address_map(config), this->name(), m_faults), m_built_in(firmware)
{
    m_faults.call(&m_witness);
    m_registers.watch(m_interconnect);
    if (options.accesses != nullptr) {
        m_accesses = std::make_unique<access_tap>(*options.accesses, m_registers);
    }
    build_cores(firmware);
    if (options.trace != nullptr) {
        follow(*options.trace);
    }
    if (options.tlps != nullptr) {
        m_link->follow(*options.tlps);
    }
    build_channels();
    if (config.thermal.on && config.channel.die.errors.any()) {
        age_cells();
    }
    bind_host();
    bind_controller();
    if (config.states.any()) {
        m_states.emplace(idle_of_states(config));
    }
    write_boot_block();
    open_service_buffer(false);
    if (options.check_dram) {
        m_dram.check_commands(&m_faults);
    }
    if (config.power.any()) {
        m_host.check().expect_power_cuts();
    }
}

std::uint32_t ssd::partitions() const
{
    return m_config.ftl_cores;
}

ssd::~ssd() = default;

/// Tracks in the order in which a request goes through the drive; channels have theirs behind.
void ssd::follow(timeline& to)
{
    m_ledger.follow(to);
    m_power = timeline_level(to, "", "power", level_form::bit);
    if (m_link != nullptr) {
        m_link_up = timeline_level(to, "link", "up", level_form::bit);
        m_link->follow(to);
        m_front_end->follow(to);
    } else {
        m_host.adapter().follow(to);
        m_sata_link->follow(to);
        m_sata_front_end->follow(to);
    }
    for (const auto& core : m_cores) {
        core->follow(to);
    }
    m_dram.follow(to);
    if (m_config.thermal.on) {
        m_thermal.follow(to);
    }
    follow_lines(to);
    m_power.set(sim_time(), 1);
    m_link_up.set(sim_time(), 1);
}

/// Interrupt lines of the blocks that there are.
void ssd::follow_lines(timeline& to)
{
    static_assert(IRQ_LINE_NVME == IRQ_LINE_SATA);
    m_irq.follow(to, IRQ_LINE_NVME, "front_end");
    for (std::size_t i = 0; i < m_timers.size(); ++i) {
        m_irq.follow(to, IRQ_LINE_TIMER0 + static_cast<unsigned>(i), timer_name(i));
    }
    m_irq.follow(to, IRQ_LINE_NOR, "nor");
    for (std::size_t i = 0; i < m_cores.size(); ++i) {
        m_irq.follow(to, IRQ_LINE_MAILBOX0 + static_cast<unsigned>(i), fmt::format("mailbox{}", i));
    }
    for (std::uint32_t i = 0; i < std::min(m_config.channels, IRQ_CHANNEL_LINES); ++i) {
        m_irq.follow(to, IRQ_LINE_CHANNEL0 + i, fmt::format("channel{}", i));
    }
}

void ssd::charge(cpu::native_core& core, const loaded_firmware& firmware)
{
    core.set_cost(firmware.cost(m_config.cpu, m_options.profile));
    if (core.caches().has_icache) {
        const cpu::code_map code = firmware.code(m_config.cpu);
        core.set_code(code, code_address(m_config, code.bytes));
    }
}

void ssd::build_cores(const loaded_firmware& firmware)
{
    const std::size_t able = std::max(firmware.image().cores, 1u);
    if (m_roles.size() > able) {
        throw firmware_error(fmt::format(
            "firmware {} runs on {} core{}, and cpu.cores is {}; use "
            "{}: {}",
            firmware.image().name, able, able == 1 ? "" : "s", m_roles.size(),
            partitions() > 1 ? "cpu.ftl_cores" : "cpu.cores", partitions() > 1 ? 1 : able));
    }
    for (std::size_t i = 0; i < m_roles.size(); ++i) {
        m_cores.push_back(std::make_unique<cpu::native_core>(fmt::format("core{}", i).c_str(),
                                                             core_of(m_config), m_faults));
        charge(*m_cores.back(), firmware);
        m_cores.back()->count_in(m_ledger);
        m_cores.back()->name_accesses(
            [this](std::uint64_t address, bool write) { return m_registers.name(address, write); });
        if (m_options.stop_on_fault) {
            m_cores.back()->stop_at_writes();
        }
        const bool parted = partitions() > 1 && i > 0;
        const firmware_place place{static_cast<std::uint32_t>(i), m_sram.data(), m_dram.data(),
                                   parted ? (i - 1) * m_slice : 0, m_accesses.get()};
        m_programs.push_back(
            std::make_unique<firmware_program>(firmware.image(), *m_cores.back(), place));
        if ((m_roles[i] & BOOT_ROLE_FTL) != 0) {
            m_ftl_core = i + 1 - partitions(); // behind the last one: the first
        }
    }
}

void ssd::build_channels()
{
    for (const flash::channel_index i : each<flash::channel_index>(m_config.channels)) {
        flash::flash_environment e;
        e.ledger = &m_ledger;
        e.desk = flash_desk(m_config, i.value());
        e.partitions = partitions();
        e.partition = i.value() / (m_config.channels / partitions());
        e.faults = &m_faults;
        e.memory = memory_of(m_config);
        e.irq_line = IRQ_LINE_CHANNEL0 + i.value() % IRQ_CHANNEL_LINES;
        e.channel = i;
        e.check_protocol = m_options.check_protocol;
        e.check_onfi = m_options.check_onfi;
        e.watch = m_options.watch;
        e.trace = m_options.trace;
        e.watch_bus = m_options.flash_buses;
        e.reader = m_front_end && m_config.nvme.lookup ? &m_front_end->reader() : nullptr;
        m_channels.push_back(std::make_unique<flash::flash_channel>(
            fmt::format("channel{}", i.value()).c_str(), at_power_up(m_config), e));
        if (e.reader != nullptr) {
            m_front_end->attach(m_channels[i]->direct());
        }
    }
}

void ssd::bind_controller()
{
    for (std::size_t i = 0; i < m_cores.size(); ++i) {
        m_cores[i]->bus.bind(m_interconnect.in(master_of_core(m_config, i)));
        m_cores[i]->irq.bind(m_irq.view(i));
    }
    bind_front_end();
    bind_dma(m_interconnect.out(WINDOW_SRAM), m_sram.in, "check_sram");
    bind_dma(m_interconnect.out(WINDOW_DRAM), m_dram.in, "check_dram");
    m_interconnect.out(WINDOW_IRQ).bind(m_irq.regs);
    for (std::size_t i = 0; i < m_timers.size(); ++i) {
        m_interconnect.out(window_of_timer(m_config, i)).bind(m_timers[i]->regs);
        m_timers[i]->irq.bind(m_irq.in);
    }
    m_interconnect.out(WINDOW_NOR).bind(m_nor.regs);
    m_interconnect.out(WINDOW_NOR_CODE).bind(m_nor.code);
    m_nor.irq.bind(m_irq.in);
    m_interconnect.out(WINDOW_THERMAL).bind(m_thermal.regs);
    m_thermal.irq.bind(m_irq.in);
    for (const flash::channel_index i : m_channels.indices()) {
        flash::flash_channel& c = *m_channels[i];
        bind_dma(c.memory, m_interconnect.in(MASTER_CHANNEL0 + i.value()),
                 fmt::format("check_channel{}", i.value()));
        m_interconnect.out(WINDOW_CHANNEL0 + i.value()).bind(c.regs);
        c.irq.bind(m_irq.in);
    }
}

void ssd::set_functional(bool functional)
{
    for (const auto& c : m_channels) {
        c->set_functional(functional);
    }
}

std::uint64_t ssd::service_buffer_begin() const
{
    constexpr std::uint64_t page = 4096; // of the host
    return (service_buffer(m_config) + page - 1) / page * page;
}

void ssd::keep(state_archive& a)
{
    m_sram.keep(a, m_sram.size());
    m_dram.keep(a, service_buffer_begin());
    for (const auto& t : m_timers) {
        t->keep(a);
    }
    for (const auto& c : m_channels) {
        c->keep(a);
    }
    m_thermal.keep(a);
    if (m_front_end) {
        m_front_end->keep(a);
    }
}

void ssd::open_service_buffer(bool open)
{
    const std::uint64_t begin = service_buffer_begin();
    mprotect(m_dram.data() + begin, m_dram.size() - begin,
             open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void ssd::expect_random_access()
{
    madvise(m_dram.data(), m_dram.size(), MADV_HUGEPAGE); // a hint: nothing hangs on it
}

sim_time ssd::busy_until() const
{
    sim_time t;
    for (const auto& c : m_cores) {
        t = later(t, c->busy_until());
    }
    return t;
}

bool ssd::flash_works() const
{
    for (const auto& c : m_channels) {
        if (!c->idle()) {
            return true;
        }
    }
    return false;
}

bool ssd::idle() const
{
    if (flash_works()) {
        return false;
    }
    for (const auto& c : m_cores) {
        if (!c->asleep()) {
            return false;
        }
    }
    return m_irq.idle();
}

bool ssd::panicked() const
{
    return std::any_of(m_cores.begin(), m_cores.end(), [](const auto& c) { return c->panicked(); });
}

} // namespace ssdvp::platform
