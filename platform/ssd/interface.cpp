// SPDX-License-Identifier: Apache-2.0
//
// The host interface of the drive: link and front end of NVMe over PCIe, or of SATA.
#include "models/regs/memory_map.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "platform/ssd/wiring.h"

namespace ssdvp::platform {

std::unique_ptr<pcie::link> make_pcie_link(const ssd_config& config)
{
    return is_sata(config) ? nullptr : std::make_unique<pcie::link>("link", config.pcie);
}

dma_memory memory_of(const ssd_config& config)
{
    return {{dma_memory::area{MAP_DRAM_BASE, service_buffer(config)},
             dma_memory::area{MAP_SRAM_BASE, sram_window(config)}}};
}

std::unique_ptr<nvme::front_end> make_nvme(const ssd_config& config, latency_ledger& ledger,
                                           fault_log& faults, nvme::command_watch* watch)
{
    if (is_sata(config)) {
        return nullptr;
    }
    nvme::front_end_environment e;
    e.watch = watch;
    e.ledger_by_slot = config.driver.guest;
    e.ledger = &ledger;
    e.ledger_queues = config.driver.queue_pairs + 1;
    e.ledger_entries = config.driver.queue_entries;
    e.faults = &faults;
    e.irq_line = IRQ_LINE_NVME;
    e.base = MAP_NVME_BASE;
    e.memory = memory_of(config);
    nvme::front_end_config c = config.nvme;
    c.ready_limit = ready_limit(config);
    // A command and its list take two round trips; then its data have to be on their way before
    // those of others have ended, so that the link is never without any.
    c.ask_ahead = c.move_latency + 4 * (config.pcie.propagation + config.pcie.host_latency);
    return std::make_unique<nvme::front_end>("front_end", c, e);
}

std::unique_ptr<sata::link> make_sata_link(const ssd_config& config)
{
    return is_sata(config) ? std::make_unique<sata::link>("link", config.sata) : nullptr;
}

std::unique_ptr<sata::front_end> make_sata(const ssd_config& config, latency_ledger& ledger,
                                           fault_log& faults, sata::command_watch* watch)
{
    if (!is_sata(config)) {
        return nullptr;
    }
    sata::front_end_environment e;
    e.watch = watch;
    e.ledger_opens = config.driver.guest;
    e.ledger = &ledger;
    e.faults = &faults;
    e.irq_line = IRQ_LINE_SATA;
    e.base = MAP_SATA_BASE;
    e.memory = memory_of(config);
    return std::make_unique<sata::front_end>("front_end", config.sata_fe, e);
}

void ssd::bind_host()
{
    if (m_front_end) {
        m_host.to_link->bind(m_link->host_mmio);
        m_link->bar.bind(m_front_end->bar);
        bind_dma(m_front_end->link, m_link->device, "check_link");
        m_link->host.bind(*m_host.from_link);
        return;
    }
    m_host.adapter().link.bind(*m_sata_link);
    m_sata_front_end->link.bind(*m_sata_link);
    m_sata_link->attach(sata::side::host, m_host.adapter());
    m_sata_link->attach(sata::side::device, *m_sata_front_end);
    m_sata_link->device_power(true);
}

void ssd::bind_front_end()
{
    if (m_front_end) {
        bind_dma(m_front_end->memory, m_interconnect.in(MASTER_HOST), "check_nvme");
        m_interconnect.out(WINDOW_HOST).bind(m_front_end->regs);
        m_front_end->irq.bind(m_irq.in);
        return;
    }
    bind_dma(m_sata_front_end->memory, m_interconnect.in(MASTER_HOST), "check_sata");
    m_interconnect.out(WINDOW_HOST).bind(m_sata_front_end->regs);
    m_sata_front_end->irq.bind(m_irq.in);
}

void ssd::interface_power(bool on)
{
    m_power.set(now(), on ? 1 : 0);
    m_link_up.set(now(), on ? 1 : 0);
    if (m_sata_link) {
        if (!on) {
            m_sata_front_end->power_off();
        }
        m_sata_link->device_power(on);
    } else if (!on) {
        m_front_end->power_off();
        m_link->power_off();
    }
}

std::string ssd::open_commands() const
{
    return m_front_end ? m_front_end->open_commands() : m_sata_front_end->open_commands();
}

void ssd::look_for_forgotten(sim_time age)
{
    m_front_end ? m_front_end->look_for_forgotten(age) : m_sata_front_end->look_for_forgotten(age);
}

sim_time ssd::ready_since() const
{
    return m_front_end ? m_front_end->ready_since() : m_sata_front_end->ready_since();
}

std::uint64_t ssd::interface_activations() const
{
    return m_front_end ? m_link->activations() + m_front_end->activations()
                       : m_sata_link->activations() + m_sata_front_end->activations();
}

drive_progress ssd::interface_progress() const
{
    drive_progress p;
    if (m_front_end) {
        const nvme::front_end_stats& n = m_front_end->stats();
        p.lasting = n.commands_fetched + n.completions;
        p.passing = n.moves;
    } else {
        const sata::front_end_stats& s = m_sata_front_end->stats();
        p.lasting = s.commands_fetched + s.completions;
        p.passing = s.moves;
    }
    return p;
}

void ssd::read_interface(counters& r) const
{
    if (m_front_end) {
        r.link = m_link->stats();
        const nvme::front_end_stats& n = m_front_end->stats();
        r.nvme = nvme_statistics{n.commands_fetched, n.completions, n.host_interrupts, {}, {}, 0};
        r.nvme->slot_wait = m_front_end->waited_for_slots();
        if (m_config.nvme.lookup) {
            r.nvme->looked_up = n.lookups;
            r.nvme->passed_on = n.lookups_missed;
            r.nvme->looked_up_sectors = n.lookup_sectors;
            r.nvme->engine_busy = m_config.nvme.lookup_time * (n.lookups + n.lookups_missed);
        }
        return;
    }
    const sata::link_stats l = m_sata_link->stats();
    r.link.emplace();
    r.link->bytes_up = l.to_host.bytes;
    r.link->bytes_down = l.to_device.bytes;
    r.link->tlps_up = l.to_host.frames;
    r.link->tlps_down = l.to_device.frames;
    r.link->busy_up = l.to_host.busy;
    r.link->busy_down = l.to_device.busy;
    const sata::front_end_stats& s = m_sata_front_end->stats();
    auto& host = const_cast<host::host_system&>(m_host);
    const bool ours = !m_config.driver.guest; // a guest's driver keeps its counts to itself
    r.sata = sata_statistics{l.r_errs,
                             l.crc_errors,
                             l.collisions,
                             l.comresets,
                             s.commands_fetched,
                             s.completions,
                             s.set_device_bits,
                             host.adapter().stats().interrupts,
                             ours ? host.sata_driver().recoveries() : 0,
                             ours ? host.sata_driver().retries() : 0};
}

} // namespace ssdvp::platform
