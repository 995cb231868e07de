// SPDX-License-Identifier: Apache-2.0
#include "models/flash/flash_channel.h"

#include <string>

namespace ssdvp::flash {

flash_channel::flash_channel(const sc_core::sc_module_name& name, const channel_config& config,
                             const flash_environment& environment)
    : block(name), regs("regs"), memory("memory"), irq("irq"),
      m_timing(environment.timing != nullptr ? *environment.timing : cycle_timing(config.bus)),
      m_controller("controller", config, m_timing, environment),
      m_bus("bus", m_timing, config.luns, environment.faults), m_rb("rb", config.luns)
{
    regs.bind(m_controller.regs);
    m_controller.memory.bind(memory);
    m_controller.irq.bind(irq);
    if (environment.check_protocol) {
        m_checkers.push_back(std::make_unique<at_checker>("onfi_checker", environment.faults));
        m_controller.onfi.bind(m_checkers.back()->in);
        m_checkers.back()->out.bind(m_bus.in);
    } else {
        m_controller.onfi.bind(m_bus.in);
    }
    if (environment.check_onfi) {
        m_onfi_checker =
            std::make_unique<onfi_checker>(m_bus.name(), m_timing, config, environment.faults);
        m_bus.attach(*m_onfi_checker);
    }
    if (environment.trace != nullptr) {
        m_timeline.emplace(*environment.trace,
                           "channel " + std::to_string(environment.channel.value()), config.luns,
                           m_timing.times());
        m_bus.follow(*m_timeline);
    }
    if (environment.watch_bus != nullptr) {
        m_tap.emplace(*environment.watch_bus, environment.channel);
        m_bus.follow(*m_tap);
    }
    for (const lun_index i : each<lun_index>(config.luns)) {
        const std::string lun_name = "lun" + std::to_string(i.value());
        const die_index die(environment.channel.value() * config.luns + i.value());
        m_luns.push_back(std::make_unique<flash::lun>(lun_name.c_str(), config.die,
                                                      m_timing.times(), environment.faults, die));
        connect(i, environment);
    }
}

flash_channel::~flash_channel() = default;

void flash_channel::connect(lun_index i, const flash_environment& environment)
{
    flash::lun& die = *m_luns[i];
    if (environment.check_protocol) {
        const std::string checker_name = "lun" + std::to_string(i.value()) + "_checker";
        m_checkers.push_back(
            std::make_unique<at_checker>(checker_name.c_str(), environment.faults));
        m_bus.out[i.value()].bind(m_checkers.back()->in);
        m_checkers.back()->out.bind(die.in);
    } else {
        m_bus.out[i.value()].bind(die.in);
    }
    if (m_onfi_checker != nullptr) {
        die.attach(*m_onfi_checker);
    }
    if (m_tap) {
        die.attach(*m_tap);
    }
    die.watch(environment.watch);
    die.rb.bind(m_rb[i.value()]);
    die.keep_time(m_controller, i);
    if (environment.trace_ready) {
        die.trace_rb();
    }
    m_controller.attach(die.cells(), die);
}

void flash_channel::power_off()
{
    for (const auto& die : m_luns) {
        die->power_off();
    }
    m_controller.power_off();
    m_bus.power_off();
    if (m_onfi_checker != nullptr) {
        m_onfi_checker->restart();
    }
    if (m_timeline) {
        m_timeline->power_off(now());
    }
    if (m_tap) {
        m_tap->power_off(now());
    }
}

void flash_channel::keep(state_archive& a)
{
    m_controller.keep(a);
    for (const auto& die : m_luns) {
        die->cells().keep(a);
    }
}

channel_stats flash_channel::stats()
{
    m_controller.catch_up();
    channel_stats s = m_controller.stats();
    s.busy += m_bus.busy();
    s.polling = m_controller.polling();
    return s;
}

std::uint64_t flash_channel::total_activations() const
{
    std::uint64_t n = m_controller.activations() + m_bus.activations();
    for (const auto& die : m_luns) {
        n += die->activations();
    }
    return n;
}

} // namespace ssdvp::flash
