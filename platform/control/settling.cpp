// SPDX-License-Identifier: Apache-2.0
#include "platform/control/settling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/config/derived.h"
#include "platform/control/steady_rounds.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t rounds_of_turn = 50; // a turn: what the load writes to, and the spare space
constexpr std::uint64_t superblocks_of_reading = 2; // at least: they are few
constexpr std::uint64_t least_turns = 2;
// Small drives go on for more of them, as far as they take a second or two: popular data that come
// to a mixed drive leave a wave that is over after four, and what waves are like is the surer the
// more of them have passed. On large ones each is a smaller part of the drive.
constexpr std::uint64_t usual_turns = 6;
constexpr std::uint64_t cheap_units = 8u << 20;
constexpr std::uint64_t more_turns = 3; // where the state is not steady by then
constexpr std::size_t quantiles = 50;
constexpr double most_change = 0.02; // of write amplification
// Of the shares that are valid, on average: and half a superblock, for where collection stands.
constexpr double most_distance = 0.01;

} // namespace

settling::settling(ssd& drive, std::uint64_t filled)
    : m_drive(drive), m_superblock(superblock_units(drive.config()))
{
    const ssd_config& c = drive.config();
    const std::uint64_t spare = physical_units(c) - std::min(physical_units(c), filled);
    const std::uint64_t turn = written_range(c) / c.ftl.map_unit + spare;
    m_round = std::max(turn / rounds_of_turn, superblocks_of_reading * c.ftl_cores * m_superblock);
}

std::uint64_t settling::least_units() const
{
    return rounds() * m_round;
}

std::uint64_t settling::rounds() const
{
    const std::uint64_t turn = rounds_of_turn * m_round;
    return rounds_of_turn * std::clamp(cheap_units / turn, least_turns, usual_turns);
}

void settling::begin()
{
    m_readings = {read()};
    m_written = 0;
    m_steady = false;
}

settling::reading settling::read()
{
    const counters now = m_drive.read();
    reading r;
    if (now.ftl) {
        r.moved = now.ftl->gc_units_moved;
        r.runs = now.ftl->gc_runs;
    }
    std::vector<std::uint32_t> valid;
    for (std::uint32_t p = 0; p < m_drive.partitions(); ++p) {
        const std::size_t before = valid.size();
        valid.resize(before + superblocks(m_drive.config()));
        valid.resize(before +
                     m_drive.firmware(p).counted_valid(
                         valid.data() + before, static_cast<std::uint32_t>(valid.size() - before)));
    }
    std::sort(valid.begin(), valid.end());
    for (std::size_t q = 0; q < quantiles && !valid.empty(); ++q) {
        r.shares.push_back(static_cast<double>(valid[q * valid.size() / quantiles]) /
                           static_cast<double>(m_superblock));
    }
    return r;
}

/// By how much of its victims collection had to move: what a superblock that it frees costs. How
/// many it frees in a round goes in bursts, from its low mark to the high one.
double settling::amplification(std::size_t from, std::size_t to) const
{
    const reading& a = m_readings[from];
    const reading& b = m_readings[to];
    const auto taken = static_cast<double>((b.runs - a.runs) * m_superblock);
    return taken == 0.0 ? 0.0 : taken / (taken - static_cast<double>(b.moved - a.moved));
}

bool settling::collects_alike() const
{
    const std::size_t last = m_readings.size() - 1;
    const double now = amplification(last - last / 2, last);
    const double before = amplification(last / 4, last - last / 2);
    return now != 0.0 && before != 0.0 && std::abs(now / before - 1.0) <= most_change;
}

bool settling::looks_alike() const
{
    const std::vector<double>& now = m_readings.back().shares;
    const std::vector<double>& before = m_readings[m_readings.size() / 2].shares;
    if (now.size() != before.size()) {
        return false;
    }
    const double distance =
        std::transform_reduce(now.begin(), now.end(), before.begin(), 0.0, std::plus<>(),
                              [](double a, double b) { return std::abs(a - b); });
    const double whole = 0.5 / static_cast<double>(superblocks(m_drive.config()));
    return distance <= (most_distance + whole) * static_cast<double>(now.size());
}

std::vector<batch> settling::since_settled() const
{
    std::vector<batch> rounds;
    for (std::size_t i = 1; i < m_readings.size(); ++i) {
        const reading& a = m_readings[i - 1];
        const reading& b = m_readings[i];
        const auto taken = static_cast<double>((b.runs - a.runs) * m_superblock);
        rounds.push_back({taken, taken - static_cast<double>(b.moved - a.moved)});
    }
    rounds.erase(rounds.begin(),
                 rounds.begin() + static_cast<std::ptrdiff_t>(pieces_to_cut(rounds)));
    return rounds;
}

std::vector<double> settling::levels() const
{
    std::vector<double> all;
    for (const batch& b : since_settled()) {
        if (b.divisor != 0.0) {
            all.push_back(b.amount / b.divisor);
        }
    }
    return all;
}

void settling::look()
{
    m_written = 0;
    m_readings.push_back(read());
    m_steady = m_readings.size() > rounds() && collects_alike() && looks_alike();
}

bool settling::over() const
{
    return m_steady || m_readings.size() > rounds() + more_turns * rounds_of_turn;
}

} // namespace ssdvp::platform
