// SPDX-License-Identifier: Apache-2.0
//
// One flash channel: controller, ONFI bus and LUNs, wired.
#pragma once

#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/at_checker.h"
#include "models/common/block.h"
#include "models/flash/bus/bus_tap.h"
#include "models/flash/bus/bus_timeline.h"
#include "models/flash/bus/onfi_bus.h"
#include "models/flash/bus/onfi_checker.h"
#include "models/flash/channel/controller.h"
#include "models/flash/config.h"
#include "models/flash/die/lun.h"
#include "models/flash/environment.h"

namespace ssdvp::flash {

class flash_channel final : public block {
public:
    tlm::tlm_target_socket<> regs;      // CHANNEL_REG_*, LT
    tlm::tlm_initiator_socket<> memory; // AT data, DMI for rings and lists
    sc_core::sc_port<irq_line_if> irq;

    flash_channel(const sc_core::sc_module_name& name, const channel_config& config,
                  const flash_environment& environment);
    ~flash_channel() override;

    [[nodiscard]] each<lun_index> luns() const { return m_luns.indices(); }
    [[nodiscard]] flash::lun& lun(lun_index i) { return *m_luns[i]; }
    [[nodiscard]] const flash::lun& lun(lun_index i) const { return *m_luns[i]; }
    /// R/B# of a LUN, for tracing: with flash_environment::trace_ready.
    [[nodiscard]] const sc_core::sc_signal<bool>& rb(lun_index i) const { return m_rb[i.value()]; }
    [[nodiscard]] channel_stats stats();
    /// How long operations have held a LUN until now, from the first command cycle to the last byte
    /// on the bus; mean of its planes. Precondition: stats() was called now.
    [[nodiscard]] sim_time held(lun_index i) const { return m_controller.held(i); }
    [[nodiscard]] page_read_port& direct() { return m_controller; }
    /// See controller::set_functional().
    void set_functional(bool on) { m_controller.set_functional(on); }
    /// Power goes, now: LUNs first, so that what has ended counts.
    void power_off();
    [[nodiscard]] bool idle()
    {
        m_controller.catch_up();
        return m_controller.idle();
    }
    /// Precondition: idle. What the cells hold, and where the rings stand.
    void keep(state_archive& a);
    /// Kernel activations of the channel's own blocks.
    [[nodiscard]] std::uint64_t total_activations() const;
    /// Null without flash_environment::check_onfi.
    [[nodiscard]] const onfi_checker* onfi_check() const { return m_onfi_checker.get(); }
    [[nodiscard]] const controller& channel_controller() const { return m_controller; }

private:
    void connect(lun_index lun, const flash_environment& environment);

    cycle_timing m_timing;
    controller m_controller;
    onfi_bus m_bus;
    indexed<lun_index, std::unique_ptr<flash::lun>> m_luns;
    std::vector<std::unique_ptr<at_checker>> m_checkers;
    std::unique_ptr<onfi_checker> m_onfi_checker;
    std::optional<bus_timeline> m_timeline;
    std::optional<bus_tap> m_tap;
    sc_core::sc_vector<sc_core::sc_signal<bool>> m_rb;
};

} // namespace ssdvp::flash
