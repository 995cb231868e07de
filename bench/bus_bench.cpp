// SPDX-License-Identifier: Apache-2.0
#include "bench/bus_bench.h"

#include <fmt/format.h>

#include "models/flash/bus/group_name.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::bench {

namespace {

const char* word_of(line_kind k)
{
    return k == line_kind::rb_low    ? "R/B# falls"
           : k == line_kind::rb_high ? "R/B# rises"
                                     : "a plane is ready";
}

/// Parts power up without suspend policy.
flash::channel_config at_power_up(flash::channel_config c)
{
    c.die.suspend.kind = flash::suspend_kind::none;
    c.die.suspend.programs = false;
    return c;
}

} // namespace

bus_bench::bus_bench(const sc_core::sc_module_name& name, const flash::channel_config& config,
                     flash::channel_index channel)
    : sc_core::sc_module(name), m_config(config), m_timing(config.bus), m_out("out"),
      m_bus("bus", m_timing, config.luns, &m_faults),
      m_checker(m_bus.name(), m_timing, config, &m_faults), m_rb("rb", config.luns),
      m_low(config.luns)
{
    const flash::channel_config fresh = at_power_up(config);
    m_out.bind(m_bus.in);
    m_bus.attach(m_checker);
    m_bus.follow(*this);
    for (unsigned i = 0; i < config.luns; ++i) {
        const flash::die_index die(channel.value() * config.luns + i);
        m_luns.push_back(std::make_unique<flash::lun>(fmt::format("lun{}", i).c_str(), fresh.die,
                                                      m_timing.times(), &m_faults, die));
        m_luns[i]->keep_time(*this, flash::lun_index(i));
        m_luns[i]->attach(m_checker);
        m_luns[i]->attach(*this);
        m_luns[i]->rb.bind(m_rb[i]);
        m_bus.out[i].bind(m_luns[i]->in);
    }
    m_edges.wakes<&bus_bench::tell_luns>(*this);
}

void bus_bench::tell_luns()
{
    flash::lun_index lun;
    while (m_edges.pop_due(lun)) {
        const onfi::ready_change change = m_luns[lun.value()]->edge();
        (void)change; // observers are told
    }
}

void bus_bench::ready_edge(flash::lun_index lun, bool rises, sim_time at)
{
    m_seen.push_back({rises ? line_kind::rb_high : line_kind::rb_low, lun, {}, at});
}

void bus_bench::plane_ready(flash::lun_index lun, flash::plane_index plane, sim_time at)
{
    m_seen.push_back({line_kind::plane_ready, lun, plane, at});
}

void bus_bench::group(const onfi::extension&, std::uint64_t, sim_time begin,
                      const flash::group_times& times, bool taken)
{
    m_data = begin + times.data_begin;
    m_end = begin + times.end;
    m_taken = taken;
}

void bus_bench::check_faults()
{
    if (m_faults.count() != 0) {
        throw std::runtime_error(m_faults.faults()[0].what);
    }
}

/// The trace has no data: the dies keep none, and their features are what CONFIG says.
void bus_bench::send(const onfi_line& line)
{
    onfi::extension g = line.group;
    m_bytes.assign(std::max<std::size_t>(line.bytes, 4), 0);
    if (g.first == onfi::SET_FEATURES && g.column == FLASH_FEATURE_SUSPEND_POLICY) {
        m_bytes[0] = flash::power_up_setting(m_config.die.suspend).id;
        m_bytes[1] = m_config.die.suspend.programs ? 1 : 0;
    }
    g.beside = g.data_in || g.data_out ? line.bytes : 0;
    tlm::tlm_generic_payload gp;
    gp.set_command(tlm::TLM_IGNORE_COMMAND);
    gp.set_data_ptr(m_bytes.data());
    gp.set_data_length(static_cast<unsigned>(m_bytes.size()));
    gp.set_streaming_width(gp.get_data_length());
    gp.set_extension(&g);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    m_out->nb_transport_fw(gp, phase, delay);
    gp.clear_extension(&g);
    check_faults();
    if (m_end - line.end != sim_time() || (line.data != sim_time() && line.data != m_data)) {
        throw std::runtime_error(fmt::format("{} of {} bytes ends at {} ps, its data begin at {} "
                                             "ps",
                                             flash::group_name(line.group), line.bytes, m_end.ps(),
                                             m_data.ps()));
    }
    if (m_taken != line.taken) {
        throw std::runtime_error("the die takes it, and is said not to");
    }
}

void bus_bench::compare(const onfi_line& line)
{
    if (m_seen.empty()) {
        throw std::runtime_error(fmt::format("{} here, and not in the die", word_of(line.kind)));
    }
    const edge e = m_seen.front();
    m_seen.pop_front();
    const bool same = e.kind == line.kind && e.lun == line.group.lun &&
                      e.plane == line.group.plane && e.at == line.when;
    if (!same) {
        throw std::runtime_error(fmt::format("in the die, {} of LUN {} at {} ps", word_of(e.kind),
                                             e.lun.value(), e.at.ps()));
    }
    if (line.kind != line_kind::plane_ready) {
        m_low[e.lun.value()] = line.kind == line_kind::rb_low;
    }
}

void bus_bench::replay(const onfi_line& line)
{
    if (line.group.lun.value() >= m_luns.size()) {
        throw std::runtime_error("the channel has no such LUN");
    }
    check_faults();
    switch (line.kind) {
    case line_kind::cycles:
        send(line);
        break;
    case line_kind::power_off:
        for (const auto& die : m_luns) {
            die->power_off();
        }
        m_bus.power_off();
        m_checker.restart();
        m_seen.clear();
        m_low.assign(m_low.size(), false);
        break;
    default:
        compare(line);
    }
    if (line.ready == m_low[line.group.lun.value()]) {
        throw std::runtime_error("R/B# is not what the edges before say");
    }
}

void bus_bench::expect_nothing_more()
{
    if (!m_seen.empty() && m_seen.front().at < now()) {
        throw std::runtime_error(fmt::format("{} of LUN {} at {} ps is missing",
                                             word_of(m_seen.front().kind),
                                             m_seen.front().lun.value(), m_seen.front().at.ps()));
    }
}

} // namespace ssdvp::bench
