// SPDX-License-Identifier: Apache-2.0
#include "models/host/host_system.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "models/host/workload/fio_source.h"
#include "models/host/workload/stream_source.h"
#include "models/host/workload/trace_source.h"

namespace ssdvp::host {

namespace {

// Address space beside the driver's, for who drives the registers by hand.
constexpr std::uint64_t beside = 16u << 20;

std::uint64_t queue_memory(const driver_config& config)
{
    const bool nvme = config.interface == interface_kind::nvme && !config.guest;
    const std::uint64_t queues =
        nvme ? driver::queue_memory(config) : 2 * memory::page_size; // AHCI: lists, one page
    return queues + beside;
}

} // namespace

host_system::host_system(const sc_core::sc_module_name& name, const driver_config& drive,
                         const workload_config& workload, const environment& env)
    : block(name), m_workload(workload), m_env(env), m_memory("memory", queue_memory(drive)),
      m_shadow(drive.data, std::string(this->name()) + ".shadow", env.faults),
      m_drive(make_driver(drive)), m_runner("workload", *m_drive, env.faults),
      m_verifier(*m_drive, m_shadow)
{
    if (!workload.trace.file.empty()) {
        m_trace = scan_trace(workload.trace, env.sectors);
    }
}

host_system::~host_system() = default;

host::drive* host_system::make_driver(const driver_config& config)
{
    const driver_links links{m_env.ledger, m_env.faults, m_env.observer, &m_shadow};
    const bool nvme = config.interface == interface_kind::nvme;
    if (nvme) {
        to_link.emplace("to_link");
        from_link.emplace("from_link");
    } else {
        m_adapter = std::make_unique<ahci::hba>("adapter", config.sata.hba, memory::msi_base);
    }
    if (config.guest) {
        m_guest = std::make_unique<guest_driver>("driver");
        connect(m_guest->mmio, m_guest->from_link);
        m_nobody.emplace("nobody");
        m_nobody->bind(m_memory.from_link);
        return m_guest.get();
    }
    if (nvme) {
        m_nvme = std::make_unique<driver>("driver", config, m_memory, links);
        connect(m_nvme->mmio, m_memory.from_link);
        return m_nvme.get();
    }
    m_ahci = std::make_unique<ahci_driver>("driver", config, m_memory, links);
    connect(m_ahci->mmio, m_memory.from_link);
    return m_ahci.get();
}

/// A driver's registers, and the memory that the drive moves data from and to.
template <typename Mmio>
void host_system::connect(Mmio& mmio, tlm::tlm_target_socket<>& to)
{
    if (m_adapter) {
        mmio.bind(m_adapter->regs);
        m_adapter->memory.bind(to);
    } else {
        mmio.bind(*to_link);
        from_link->bind(to);
    }
}

std::size_t host_system::ledger_commands(const driver_config& config)
{
    return config.interface == interface_kind::nvme ? driver::ledger_commands(config)
                                                    : std::size_t{ahci_driver::slots};
}

void host_system::start(host::drive::callback done)
{
    m_drive->start(std::move(done));
}

void host_system::power_lost()
{
    m_runner.pause();
    m_drive->power_lost();
}

void host_system::abandon()
{
    m_runner.pause();
    m_drive->abandon();
}

void host_system::verify(bool everything, std::function<void()> done)
{
    const std::uint32_t longest = m_drive->info().max_transfer / sector_size;
    m_verifier.start(everything ? m_shadow.written(longest) : m_shadow.uncertain(longest),
                     std::move(done));
}

host_system::sources host_system::make_sources()
{
    if (!ready()) {
        throw std::logic_error("the workload starts after the controller is ready");
    }
    sources all;
    if (m_trace) {
        if (capacity() != m_env.sectors) { // a namespace with metadata is smaller
            fit_trace(m_workload.trace, *m_trace, capacity());
        }
        all.push_back(std::make_unique<trace_source>(m_workload.trace, *m_trace, capacity(),
                                                     std::uint16_t{0}));
    }
    for (std::size_t i = 0; i < m_workload.streams.size() && !m_trace; ++i) {
        all.push_back(std::make_unique<stream_source>(
            m_workload.streams[i], static_cast<std::uint16_t>(i), capacity(), m_env.seed));
    }
    for (std::size_t i = 0; i < m_workload.fio.jobs.size(); ++i) {
        all.push_back(std::make_unique<fio_source>(m_workload.fio.jobs[i],
                                                   static_cast<std::uint16_t>(i), m_env.seed));
    }
    return all;
}

void host_system::start_workload(sources from, const run_limits& limits, std::function<void()> done)
{
    for (std::unique_ptr<source>& one : from) {
        m_runner.add(std::move(one));
    }
    m_runner.start(limits, std::move(done));
}

} // namespace ssdvp::host
