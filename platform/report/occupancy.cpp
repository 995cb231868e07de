// SPDX-License-Identifier: Apache-2.0
#include "platform/report/occupancy.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "platform/report/energy.h"
#include "platform/report/format.h"

namespace ssdvp::platform {

namespace {

using occupancies = std::vector<occupancy>;

/// All of a kind are about as busy as one of them that has no time left.
constexpr double close = 0.85;

void add_all(occupancies& to, const occupancy& plural, const occupancies& each)
{
    if (each.empty()) {
        return;
    }
    const auto top =
        std::max_element(each.begin(), each.end(),
                         [](const occupancy& a, const occupancy& b) { return a.share < b.share; });
    const double sum = std::accumulate(each.begin(), each.end(), 0.0,
                                       [](double s, const occupancy& o) { return s + o.share; });
    const double mean = sum / static_cast<double>(each.size());
    if (top->share < resource_limit || mean >= resource_limit) {
        to.push_back({plural.resource, mean,
                      fmt::format("the {} {} on average", each.size(), plural.text), plural.kind});
    } else if (mean >= close) {
        to.push_back({plural.resource, top->share,
                      fmt::format("the {} {}, the busiest of them", each.size(), plural.text),
                      plural.kind});
    } else {
        to.push_back(
            {top->resource, top->share,
             fmt::format("{}, while all have {} on average", top->text, text_percent(mean)),
             top->kind});
    }
}

void add_luns(occupancies& to, const counters& c, bool held)
{
    occupancies each;
    const resource_kind kind = held ? resource_kind::holds : resource_kind::serves;
    for (std::size_t i = 0; i < c.channels.size(); ++i) {
        for (std::size_t l = 0; l < c.channels[i].luns.size(); ++l) {
            const lun_statistics& lun = c.channels[i].luns[l];
            each.push_back({fmt::format("lun {}/{}", i, l),
                            fraction(held ? lun.held : lun.busy, c.when),
                            fmt::format("LUN {} of channel {}", l, i), kind});
        }
    }
    add_all(to, {"luns", 0.0, "LUNs", kind}, each);
}

void add_channels(occupancies& to, const counters& c)
{
    occupancies each;
    for (std::size_t i = 0; i < c.channels.size(); ++i) {
        each.push_back({fmt::format("channel {}", i), fraction(c.channels[i].busy, c.when),
                        fmt::format("the bus of channel {}", i), resource_kind::serves});
    }
    add_all(to, {"channels", 0.0, "channel buses", resource_kind::serves}, each);
}

void add_cores(occupancies& to, const counters& c)
{
    for (std::size_t i = 0; i < c.cpu.size(); ++i) {
        const core_statistics& core = c.cpu[i];
        to.push_back({fmt::format("core {}", i), fraction(core.busy - core.slowed, c.when),
                      fmt::format("core {}{}", i, core.role.empty() ? "" : " (" + core.role + ")"),
                      resource_kind::serves});
    }
}

void add_interface(occupancies& to, const counters& c)
{
    if (c.link) {
        to.push_back({"link_up", fraction(c.link->busy_up, c.when), "the link towards the host",
                      resource_kind::serves});
        to.push_back({"link_down", fraction(c.link->busy_down, c.when),
                      "the link towards the drive", resource_kind::serves});
        to.push_back({"tags", fraction(c.link->tags_out, c.when),
                      "the tags of the drive's reads on the link (host.pcie.tags)",
                      resource_kind::holds});
    }
    if (c.nvme) {
        to.push_back({"slots", fraction(c.nvme->slot_wait, c.when),
                      "the slots for commands in the drive (host.nvme.slots)",
                      resource_kind::holds});
        to.push_back({"engine", fraction(c.nvme->engine_busy, c.when), "the look-up engine",
                      resource_kind::serves});
    }
}

void add_restraints(occupancies& to, const measurement& m)
{
    const counters& c = m.measured;
    if (c.thermal) {
        const auto& t = c.thermal->time;
        to.push_back({"heat", fraction(t[1] + t[2] + t[3], c.when),
                      "heat, which holds programs and cores back", resource_kind::restrains});
    }
    if (!m.drive.state_watts.empty()) {
        to.push_back({"power", power_used(m),
                      "the power that its state allows (power.states.max_power)",
                      resource_kind::restrains});
    }
}

/// Pages or blocks per plane at work, by kind of operation.
std::array<std::uint64_t, 3> counts_of(const purpose_statistics& p)
{
    return {p.reads, p.programs, p.erases};
}

} // namespace

double power_used(const measurement& m)
{
    const std::vector<double>& most = m.drive.state_watts;
    double allowed = 0.0;
    double drawn = 0.0;
    if (m.measured.states) {
        const auto& states = m.measured.states->states;
        for (std::size_t i = 0; i < std::min(states.size(), most.size()); ++i) {
            allowed +=
                most[i] * static_cast<double>((states[i].time - states[i].asleep).ps()) / 1e12;
            drawn += joules(states[i].energy);
        }
        drawn -= joules(m.measured.states->asleep);
    }
    return allowed == 0.0 ? 0.0 : std::min(drawn / allowed, 1.0); // a debt may be left
}

std::vector<occupancy> occupancies_of(const measurement& m)
{
    occupancies all;
    const counters& c = m.measured;
    add_luns(all, c, false);
    add_channels(all, c);
    add_cores(all, c);
    if (c.dram) {
        all.push_back({"dram", fraction(c.dram->busy, c.when), "the DRAM", resource_kind::serves});
    }
    add_interface(all, c);
    add_luns(all, c, true);
    add_restraints(all, m);
    return all;
}

std::array<double, FLASH_PURPOSES> array_shares(const counters& c)
{
    std::array<double, 3> time{}; // of all LUNs, by kind of operation
    for (const channel_statistics& channel : c.channels) {
        for (const lun_statistics& lun : channel.luns) {
            for (std::size_t use = 0; use < time.size(); ++use) {
                time[use] += static_cast<double>(lun.arrays[use].time.ps());
            }
        }
    }
    const std::array<std::uint64_t, 3> all = {c.flash.reads, c.flash.programs, c.flash.erases};
    const double sum = time[0] + time[1] + time[2];
    std::array<double, FLASH_PURPOSES> shares{};
    for (std::size_t p = 0; p < FLASH_PURPOSES && sum > 0.0; ++p) {
        const auto counts = counts_of(c.flash.by_purpose[p]);
        for (std::size_t use = 0; use < time.size(); ++use) {
            if (all[use] != 0) {
                shares[p] += time[use] / sum * static_cast<double>(counts[use]) /
                             static_cast<double>(all[use]);
            }
        }
    }
    return shares;
}

} // namespace ssdvp::platform
