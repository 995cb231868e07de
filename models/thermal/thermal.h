// SPDX-License-Identifier: Apache-2.0
//
// Thermal unit: registers in models/regs/thermal_regs.h, page in docs/models/thermal.md. The
// network moves on when somebody looks, in one step of the mean power since: a drive that nobody
// looks at costs nothing.
#pragma once

#include <array>
#include <functional>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/timed_queue.h"
#include "models/common/timeline.h"
#include "models/thermal/network.h"
#include "models/thermal/stats.h"

namespace ssdvp::thermal {

/// What the parts have drawn since power-on, in joules.
class energy_source {
public:
    energy_source() = default;
    energy_source(const energy_source&) = delete;
    energy_source& operator=(const energy_source&) = delete;

    virtual void read(heat& joules) = 0;
    /// Cores run at their clock / 2^exponent from now on.
    virtual void divide_clock(unsigned exponent) = 0;
    /// Firmware has taken the drive into a power state.
    virtual void power_state(unsigned state, bool asleep) = 0;

protected:
    ~energy_source() = default;
};

class thermal final : public block {
public:
    tlm_utils::simple_target_socket<thermal> regs; // offsets of thermal_regs.h
    sc_core::sc_port<irq_line_if> irq;

    thermal(const sc_core::sc_module_name& name, const thermal_config& config, std::size_t dies,
            energy_source& source, unsigned irq_line);
    ~thermal() override;

    /// How much faster cells age at so many degrees Celsius than their configuration says.
    void ages_by(std::function<double(double)> law) { m_law = std::move(law); }
    void follow(timeline& to);

    /// Registers, heat, and the energy that its register has counted.
    void keep(state_archive& a);
    /// Power goes: the comparator and what firmware asked for are reset, the heat stays.
    void power_off();

    [[nodiscard]] sim_time time_at(unsigned level) const
    {
        return m_level_time[level] + (level == m_level ? now() - m_level_since : sim_time());
    }
    /// For how long the cells of a die have aged, to a conversion.
    [[nodiscard]] sim_time aged(std::size_t die);
    /// Now, without a conversion: who watches changes nothing.
    [[nodiscard]] thermal_stats stats() const;

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    [[nodiscard]] bool read(std::uint64_t offset, std::uint32_t& value);
    [[nodiscard]] bool write(std::uint64_t offset, std::uint32_t value);
    void set_level(unsigned level);
    void divide(unsigned exponent);
    void set_power(std::uint32_t value);
    [[nodiscard]] std::uint32_t microjoules() const;
    /// The network as of now, if the last conversion is old enough.
    void convert();
    void step();
    void age(double seconds);
    [[nodiscard]] heat mean_power(double seconds) const;
    void start_comparator();
    void keep_heat(state_archive& a);
    void compare();
    [[nodiscard]] double next_look() const;
    [[nodiscard]] bool outside(const network& n) const;
    void expire();

    thermal_config m_config;
    energy_source& m_source;
    unsigned m_irq_line;
    network m_network;
    heat m_watts;                // of the last step
    heat m_joules;               // at its end
    std::uint32_t m_earlier = 0; // uJ: what the register had counted when this process began
    sim_time m_last;
    double m_composite_max;
    double m_controller_max;
    double m_nand_max;
    std::function<double(double)> m_law;
    std::vector<double> m_aged; // seconds, of each die

    std::uint32_t m_low = 0;
    std::uint32_t m_high = 0;
    std::uint32_t m_started = 0; // generation of the comparator's look that still counts
    bool m_compares = false;
    bool m_held = false;     // the conversion that raised the interrupt has not been read
    double m_patience = 0.0; // seconds from the last look of the comparator to the next, at most
    sim_time m_next;         // look of the comparator
    timed_queue<std::uint32_t> m_agenda;

    unsigned m_level = 0;
    unsigned m_divider = 0;
    std::uint32_t m_power = 0; // as in its register
    sim_time m_level_since;
    std::array<sim_time, levels> m_level_time{};
    std::array<std::uint64_t, levels> m_level_entries{};
    timeline_level m_shown;
};

/// As the registers say it: hundredths of a kelvin, 0 degrees Celsius is 273.00 K.
[[nodiscard]] std::uint32_t centikelvin(double celsius);

} // namespace ssdvp::thermal
