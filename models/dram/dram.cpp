// SPDX-License-Identifier: Apache-2.0
#include "models/dram/dram.h"

namespace ssdvp::dram {

namespace {

rate effective_rate(const dram_config& config)
{
    const double bytes_per_second =
        static_cast<double>(config.bandwidth.per_second()) * config.efficiency;
    return rate(static_cast<std::uint64_t>(bytes_per_second));
}

} // namespace

dram::dram(const sc_core::sc_module_name& name, const dram_config& config)
    : memory_target(name, config.capacity + config.on_chip_size, config.latency),
      m_on_chip{config.on_chip_begin, config.on_chip_size, config.on_chip_latency},
      m_effective(effective_rate(config)), m_controller(config.controller_latency)
{
    if (config.model == dram_model::bank) {
        m_banks = std::make_unique<bank_schedule>(config);
    }
}

void dram::check_commands(fault_log* faults)
{
    if (m_banks) {
        m_checker = std::make_unique<dram_checker>(name(), m_banks->timing(), faults);
        m_banks->attach(m_checker.get());
    }
}

void dram::forget()
{
    if (m_banks) {
        m_banks->cut(now());
        return;
    }
    m_bus.cut(now());
}

dram_stats dram::stats() const
{
    if (m_banks) {
        m_banks->tell(now()); // who reads statistics wants to know of faults until then
        return m_banks->stats(now());
    }
    dram_stats s = m_stats;
    s.busy = m_bus.used(now());
    return s;
}

void dram::tell(const tlm::tlm_generic_payload& gp, sim_time begin, sim_time end) const
{
    timeline_slice s;
    s.name = gp.is_write() ? "write" : "read";
    s.begin = begin;
    s.end = end;
    s.details = {{{"address", gp.get_address()}, {"bytes", gp.get_data_length()}}};
    m_track.add(s);
}

sim_time dram::access(const tlm::tlm_generic_payload& gp, sim_time at)
{
    const std::uint64_t bytes = gp.get_data_length();
    if (is_on_chip(gp.get_address())) {
        return at + m_on_chip.latency;
    }
    if (m_banks) {
        const sim_time end = m_banks->transfer(now(), at, gp.get_address(), bytes, gp.is_write());
        if (m_track) {
            tell(gp, later(at, end - occupancy(bytes)), end);
        }
        return end + m_controller;
    }
    const auto slot = m_bus.reserve(now(), at, occupancy(bytes));
    if (m_track) {
        tell(gp, slot.begin, slot.end);
    }
    (gp.is_write() ? m_stats.bytes_written : m_stats.bytes_read) += bytes;
    ++m_stats.accesses;
    return slot.end + latency();
}

} // namespace ssdvp::dram
