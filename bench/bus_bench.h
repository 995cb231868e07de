// SPDX-License-Identifier: Apache-2.0
//
// The buses and dies of a drive without their controllers, for cycle groups that somebody else has
// recorded: the dies take what is legal in their state, the checkers know the timing rules.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "bench/onfi_lines.h"
#include "models/common/fault_log.h"
#include "models/common/timed_queue.h"
#include "models/flash/bus/onfi_bus.h"
#include "models/flash/bus/onfi_checker.h"
#include "models/flash/die/lun.h"

namespace ssdvp::bench {

/// One channel.
class bus_bench final : public sc_core::sc_module,
                        public onfi::edge_clock,
                        private onfi::ready_observer,
                        private flash::group_observer {
public:
    bus_bench(const sc_core::sc_module_name& name, const flash::channel_config& config,
              flash::channel_index channel);

    /// The line at hand takes place, now. Throws std::runtime_error, saying what is wrong with it.
    void replay(const onfi_line& line);
    /// What R/B# and planes did until now has all been told of.
    void expect_nothing_more();

    void edge_at(flash::lun_index lun, sim_time when) override { m_edges.push(when, lun); }

private:
    struct edge {
        line_kind kind;
        flash::lun_index lun;
        flash::plane_index plane;
        sim_time at;
    };

    void ready_edge(flash::lun_index lun, bool rises, sim_time at) override;
    void plane_ready(flash::lun_index lun, flash::plane_index plane, sim_time at) override;
    void group(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
               const flash::group_times& times, bool taken) override;
    void tell_luns();
    void send(const onfi_line& line);
    void compare(const onfi_line& line);
    void check_faults();

    flash::channel_config m_config;
    fault_log m_faults;
    flash::cycle_timing m_timing;
    tlm_utils::simple_initiator_socket<bus_bench> m_out;
    flash::onfi_bus m_bus;
    flash::onfi_checker m_checker;
    std::vector<std::unique_ptr<flash::lun>> m_luns;
    sc_core::sc_vector<sc_core::sc_signal<bool>> m_rb;
    timed_queue<flash::lun_index> m_edges;
    std::deque<edge> m_seen; // and not yet told of
    std::vector<bool> m_low; // R/B#, by LUN
    std::vector<unsigned char> m_bytes;
    sim_time m_end; // of the group at hand ...
    sim_time m_data;
    bool m_taken = false;
};

} // namespace ssdvp::bench
