// SPDX-License-Identifier: Apache-2.0
//
// An ONFI bus with its dies and checker, and nobody who keeps to its rules: a test sends what it
// likes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/flash/bus/onfi_bus.h"
#include "tests/models/flash_bench_parts.h"

namespace ssdvp::flash {

/// Two LUNs at 20 ns per cycle.
inline channel_config sdr5_pair()
{
    channel_config c = small_config();
    c.luns = 2;
    c.bus = {data_interface::sdr5, rate()};
    return c;
}

/// A bus with two LUNs and a controller that sends what it is told to.
class bare_bus final : public sc_core::sc_module, public onfi::edge_clock {
public:
    fault_log faults;
    unsigned char byte = 0; // of the last data out
    tlm_utils::simple_initiator_socket<bare_bus> out;

    bare_bus(const sc_core::sc_module_name& name, const channel_config& config)
        : sc_core::sc_module(name), out("out"), m_timing(config.bus),
          m_bus("bus", m_timing, config.luns, &faults),
          m_checker(m_bus.name(), m_timing, config, &faults), m_rb("rb", config.luns)
    {
        out.bind(m_bus.in);
        m_bus.attach(m_checker);
        for (unsigned i = 0; i < config.luns; ++i) {
            m_luns.push_back(std::make_unique<lun>(("lun" + std::to_string(i)).c_str(), config.die,
                                                   m_timing.times(), &faults, die_index(i)));
            m_luns[i]->keep_time(*this, lun_index(i));
            m_luns[i]->attach(m_checker);
            m_luns[i]->rb.bind(m_rb[i]);
            m_bus.out[i].bind(m_luns[i]->in);
        }
        m_edges.wakes<&bare_bus::tell_luns>(*this);
    }
    void edge_at(lun_index lun, sim_time when) override { m_edges.push(when, lun); }
    /// Who hears of each group.
    void follow(group_observer& observer) { m_bus.follow(observer); }
    /// One group `after` from now; when its last cycle is.
    sim_time send(onfi::extension g, sim_time after = sim_time())
    {
        tlm::tlm_generic_payload gp;
        gp.set_command(g.data_out ? tlm::TLM_READ_COMMAND : tlm::TLM_IGNORE_COMMAND);
        gp.set_data_ptr(&byte);
        gp.set_data_length(1);
        gp.set_streaming_width(1);
        gp.set_extension(&g);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = after.to_sc();
        out->nb_transport_fw(gp, phase, delay);
        gp.clear_extension(&g);
        return now() + sim_time::from_sc(delay);
    }
    void run_to(sim_time t) { sc_core::sc_start((t - now()).to_sc()); }
    /// The one fault that is expected.
    [[nodiscard]] std::string fault() const
    {
        return faults.count() == 1 ? faults.faults()[0].what : std::to_string(faults.count());
    }
    [[nodiscard]] lun& die(unsigned i) { return *m_luns[i]; }

private:
    void tell_luns()
    {
        lun_index lun;
        while (m_edges.pop_due(lun)) {
            m_luns[lun.value()]->edge();
        }
    }

    cycle_timing m_timing;
    onfi_bus m_bus;
    onfi_checker m_checker;
    std::vector<std::unique_ptr<lun>> m_luns;
    sc_core::sc_vector<sc_core::sc_signal<bool>> m_rb;
    timed_queue<lun_index> m_edges;
};

inline onfi::extension read_page(onfi::opcode second = onfi::READ_2, unsigned lun = 0,
                                 unsigned plane = 0)
{
    onfi::extension g;
    g.first = onfi::READ_1;
    g.second = second;
    g.column_cycles = 2;
    g.row_cycles = 3;
    g.lun = lun_index(lun);
    g.plane = plane_index(plane);
    return g;
}
inline onfi::extension status()
{
    onfi::extension g;
    g.first = onfi::STATUS;
    g.data_out = true;
    return g;
}

} // namespace ssdvp::flash
