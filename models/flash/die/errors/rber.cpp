// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/errors/rber.h"

#include <algorithm>
#include <cmath>

#include "models/flash/die/suspend/suspend_policy.h"

namespace ssdvp::flash {

namespace {

constexpr double days_per_year = 365.0;
constexpr double boltzmann_ev = 8.617e-5; // per kelvin
constexpr double zero_celsius = 273.15;

} // namespace

double acceleration(double activation_energy_ev, double celsius)
{
    const double cold = 1.0 / (retention_celsius + zero_celsius);
    const double warm = 1.0 / (celsius + zero_celsius);
    const double exact = std::exp(activation_energy_ev / boltzmann_ev * (cold - warm));
    double unit = 1.0; // of the third digit
    while (exact / unit >= 1000.0) {
        unit *= 10.0;
    }
    while (exact / unit < 100.0) {
        unit /= 10.0;
    }
    return std::floor(exact / unit + 0.5) * unit;
}

rber_model::rber_model(const die_config& config)
    : m_config(config),
      m_acceleration(acceleration(config.errors.activation_energy, config.errors.temperature))
{}

double rber_model::used(std::uint32_t pe_cycles) const
{
    return m_config.endurance == 0
               ? 0.0
               : static_cast<double>(pe_cycles) / static_cast<double>(m_config.endurance);
}

double rber_model::wear(std::uint32_t pe_cycles) const
{
    const double w = used(pe_cycles);
    return 1.0 + m_config.errors.wear * w * w;
}

/// The square root stands for the law measured in 3D parts: most of the charge that a year loses is
/// lost in the first days, and worn cells lose it faster.
double rber_model::retention(double days, std::uint32_t pe_cycles) const
{
    const double years = days * m_acceleration / days_per_year;
    return 1.0 + m_config.errors.retention * std::sqrt(years) * (1.0 + used(pe_cycles)) / 2.0;
}

/// In proportion to the reads; a worn block suffers twice as much as a new one.
double rber_model::disturb(std::uint64_t reads, std::uint32_t pe_cycles) const
{
    const double millions = static_cast<double>(reads) / 1e6;
    return 1.0 + m_config.errors.read_disturb * millions * (1.0 + used(pe_cycles)) / 2.0;
}

std::uint32_t rber_model::safe_suspends(std::uint32_t pe_cycles) const
{
    // The cells' own limit: not what a policy is configured to use of it.
    static const suspend_config unconfigured;
    return suspend_safe_point_dynamic().safe_points(unconfigured, pe_cycles) * m_config.erase.loops;
}

double rber_model::suspends(std::uint32_t count, std::uint32_t pe_cycles) const
{
    if (count == 0) {
        return 1.0;
    }
    const std::uint32_t safe = safe_suspends(pe_cycles);
    if (count <= safe) {
        return 1.0;
    }
    double power = 1.0;
    for (std::uint32_t i = 0; i < m_config.errors.suspend_exponent; ++i) {
        power *= static_cast<double>(count - safe);
    }
    return 1.0 + m_config.errors.suspend_gain * power;
}

/// Without a list: page i of a word line compares 2^i read levels (1-2-4-8 coding), and each level
/// that is compared errs alike.
double rber_model::page_type(page_index page) const
{
    const std::vector<double>& list = m_config.errors.page_factor;
    if (!list.empty()) {
        return list[page.value() % list.size()];
    }
    return static_cast<double>(1u << (page.value() % static_cast<std::uint32_t>(m_config.cell)));
}

double rber_model::program_mode(flash_program_mode mode) const
{
    switch (mode) {
    case FLASH_MODE_SHALLOW:
        return m_config.errors.shallow_factor;
    case FLASH_MODE_SLC:
        return m_config.errors.slc_factor;
    default:
        return 1.0;
    }
}

double rber_model::retry(std::uint32_t level) const
{
    const std::vector<double>& gain = m_config.errors.retry_gain;
    return level == 0 || gain.empty() ? 1.0 : gain[std::min<std::size_t>(level, gain.size()) - 1];
}

double rber_model::operator()(const cell_history& h) const
{
    const double rate = m_config.errors.rber * wear(h.pe_cycles) *
                        retention(h.retention_days, h.pe_cycles) * disturb(h.reads, h.pe_cycles) *
                        suspends(h.suspends, h.pe_cycles) * page_type(h.page) *
                        program_mode(h.mode) * h.block * retry(h.retry);
    return std::min(rate, 0.5);
}

} // namespace ssdvp::flash
