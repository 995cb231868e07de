// SPDX-License-Identifier: Apache-2.0
#include "models/host/host_system.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "models/host/workload/stream_source.h"
#include "models/host/workload/trace_source.h"

namespace ssdvp::host {

host_system::host_system(const sc_core::sc_module_name& name, const driver_config& drive,
                         const workload_config& workload, const environment& env)
    : block(name), to_link("to_link"), from_link("from_link"), m_workload(workload), m_env(env),
      m_memory("memory"), m_shadow(drive.data, std::string(this->name()) + ".shadow", env.faults),
      m_driver("driver", drive, m_memory, {env.ledger, env.faults, env.observer, &m_shadow}),
      m_runner("workload", m_driver, env.faults), m_verifier(m_driver, m_shadow)
{
    if (!workload.trace.file.empty()) {
        m_trace = scan_trace(workload.trace, 0);
    }
    m_driver.mmio.bind(to_link);
    from_link.bind(m_memory.from_link);
}

void host_system::start(driver::callback done)
{
    m_driver.start(std::move(done));
}

void host_system::power_lost()
{
    m_runner.pause();
    m_driver.power_lost();
}

void host_system::abandon()
{
    m_runner.pause();
    m_driver.abandon();
}

void host_system::verify(bool everything, std::function<void()> done)
{
    const std::uint32_t longest = m_driver.info().max_transfer / sector_size;
    m_verifier.start(everything ? m_shadow.written(longest) : m_shadow.uncertain(longest),
                     std::move(done));
}

void host_system::start_workload(const run_limits& limits, std::function<void()> done)
{
    if (!ready()) {
        throw std::logic_error("the workload starts after the controller is ready");
    }
    if (m_trace) {
        m_runner.add(std::make_unique<trace_source>(m_workload.trace, *m_trace, capacity(),
                                                    std::uint16_t{0}));
    }
    for (std::size_t i = 0; i < m_workload.streams.size() && !m_trace; ++i) {
        m_runner.add(std::make_unique<stream_source>(
            m_workload.streams[i], static_cast<std::uint16_t>(i), capacity(), m_env.seed));
    }
    m_runner.start(limits, std::move(done));
}

} // namespace ssdvp::host
