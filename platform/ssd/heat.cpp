// SPDX-License-Identifier: Apache-2.0
//
// The thermal unit among the blocks: what heats it, what it acts on, and what the drive draws.
#include "models/flash/die/errors/rber.h"
#include "platform/config/derived.h"
#include "platform/report/energy.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

void ssd::read(thermal::heat& joules_of)
{
    const energy_places p = energy_places_of(energy_of_drive(m_config), read_energy());
    for (std::size_t i = 0; i < joules_of.dies.size(); ++i) {
        joules_of.dies[i] = joules(p.luns[i]);
    }
    joules_of.controller = joules(p.controller);
    joules_of.chassis = joules(p.board);
}

void ssd::divide_clock(unsigned exponent)
{
    for (const auto& core : m_cores) {
        core->divide_clock(exponent);
    }
}

namespace {

power_account::reading reading_of(const ssd_config& config, const counters& c)
{
    const energy_figures f = energy_of_drive(config);
    return {c.when, energy_of(f, c), energy_places_of(f, c)};
}

} // namespace

counters ssd::read_energy() const
{
    counters c = read_blocks();
    if (m_states) {
        c.states = m_states->at(reading_of(m_config, c));
    }
    return c;
}

void ssd::power_state(unsigned state, bool asleep)
{
    if (m_states && state < m_config.states.max_power.size()) {
        m_states->change(reading_of(m_config, read_blocks()), state, asleep);
    }
}

void ssd::age_cells()
{
    const flash::error_config& e = m_config.channel.die.errors;
    const double told = flash::acceleration(e.activation_energy, e.temperature);
    m_thermal.ages_by([energy = e.activation_energy, told](double celsius) {
        return flash::acceleration(energy, celsius) / told;
    });
    std::size_t die = 0;
    for (const flash::channel_index i : channels()) {
        for (const flash::lun_index l : m_channels[i]->luns()) {
            m_channels[i]->lun(l).cells().errors()->ages_by(
                [this, n = die++] { return m_thermal.aged(n); });
        }
    }
}

} // namespace ssdvp::platform
