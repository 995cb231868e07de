// SPDX-License-Identifier: Apache-2.0
#include "platform/report/energy_output.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "platform/report/energy.h"
#include "platform/report/format.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

/// In whole picojoules: less says nothing, and the last bit of a product never shows.
double shown(double joule)
{
    return std::round(joule * 1e12) / 1e12;
}
double shown(uint128 energy)
{
    return shown(joules(energy));
}

struct counted_energy {
    const char* name;
    bool is;
    uint128 energy;
};

json::object section(std::initializer_list<counted_energy> parts)
{
    json::object o;
    for (const counted_energy& part : parts) {
        if (part.is) {
            o[part.name] = shown(part.energy);
        }
    }
    return o;
}

std::string text(uint128 total, uint128 all, std::initializer_list<counted_energy> parts)
{
    std::string list;
    for (const counted_energy& part : parts) {
        if (part.is) {
            list += fmt::format("{}{} {}", list.empty() ? "" : ", ", part.name,
                                text_energy(joules(part.energy)));
        }
    }
    const double share = all == 0 ? 0.0 : static_cast<double>(total) / static_cast<double>(all);
    return fmt::format("{:>8}  {:>7}   {}", text_energy(joules(total)), text_percent(share), list);
}

double seconds_of(const measurement& m)
{
    return static_cast<double>(m.measured.when.ps()) * 1e-12;
}

/// Per 10^9 bytes that the host read or wrote; empty where it did neither.
std::optional<double> per_host_gb(uint128 energy, const request_statistics& requests)
{
    const std::uint64_t bytes = requests.kind(host::request_kind::read).bytes +
                                requests.kind(host::request_kind::write).bytes;
    return bytes == 0 ? std::nullopt
                      : std::optional<double>(joules(energy) * 1e9 / static_cast<double>(bytes));
}

} // namespace

json::object energy_section(const measurement& m, const request_statistics& requests)
{
    const energy_figures& f = m.energy;
    const energy_parts e = energy_of(m);
    json::object o;
    if (f.nand()) {
        o["nand"] = section({{"array_read", f.array_ua[0] != 0, e.array[0]},
                             {"array_program", f.array_ua[1] != 0, e.array[1]},
                             {"array_erase", f.array_ua[2] != 0, e.array[2]},
                             {"bus", f.bus_ua != 0, e.bus},
                             {"idle", f.idle_ua != 0, e.nand_idle}});
    }
    if (m.measured.dram_energy) {
        o["dram"] = section({{"activate", true, e.dram[0]},
                             {"read", true, e.dram[1]},
                             {"write", true, e.dram[2]},
                             {"refresh", true, e.dram[3]},
                             {"background", true, e.dram[4]}});
    }
    if (f.link() && m.measured.link) {
        o["link"] = section({{"active", f.link_active_uw != 0, e.link_active},
                             {"idle", f.link_idle_uw != 0, e.link_idle}});
    }
    if (f.cores() && !m.measured.cpu.empty()) {
        o["cores"] = section({{"active", f.core_active_uw != 0, e.core_active},
                              {"idle", f.core_idle_uw != 0, e.core_idle}});
    }
    if (m.measured.states) {
        o["asleep"] = shown(e.asleep);
    }
    o["total"] = shown(e.sum());
    if (m.measured.when != sim_time()) {
        o["mean_w"] = shown(joules(e.sum()) / seconds_of(m));
    }
    if (const auto cost = per_host_gb(e.sum(), requests)) {
        o["per_host_gb"] = shown(*cost);
    }
    return o;
}

std::vector<std::pair<std::string, std::string>> energy_rows(const measurement& m,
                                                             const request_statistics& requests)
{
    const energy_figures& f = m.energy;
    const energy_parts e = energy_of(m);
    const uint128 all = e.sum();
    std::vector<std::pair<std::string, std::string>> rows;
    if (f.nand()) {
        rows.emplace_back("NAND", text(e.nand(), all,
                                       {{"read", f.array_ua[0] != 0, e.array[0]},
                                        {"program", f.array_ua[1] != 0, e.array[1]},
                                        {"erase", f.array_ua[2] != 0, e.array[2]},
                                        {"bus", f.bus_ua != 0, e.bus},
                                        {"idle", f.idle_ua != 0, e.nand_idle}}));
    }
    if (m.measured.dram_energy) {
        rows.emplace_back("DRAM", text(e.memory(), all,
                                       {{"activate", true, e.dram[0]},
                                        {"read", true, e.dram[1]},
                                        {"write", true, e.dram[2]},
                                        {"refresh", true, e.dram[3]},
                                        {"background", true, e.dram[4]}}));
    }
    if (f.link() && m.measured.link) {
        rows.emplace_back("link", text(e.link(), all,
                                       {{"active", f.link_active_uw != 0, e.link_active},
                                        {"idle", f.link_idle_uw != 0, e.link_idle}}));
    }
    if (f.cores() && !m.measured.cpu.empty()) {
        rows.emplace_back("cores", text(e.cores(), all,
                                        {{"active", f.core_active_uw != 0, e.core_active},
                                         {"idle", f.core_idle_uw != 0, e.core_idle}}));
    }
    if (m.measured.states) {
        rows.emplace_back("asleep", text(e.asleep, all, {}));
    }
    const double seconds = seconds_of(m);
    std::string total = fmt::format("{:>8}", text_energy(joules(all)));
    if (seconds > 0.0) {
        total += fmt::format(", {} on average", text_power(joules(all) / seconds));
    }
    if (const auto cost = per_host_gb(all, requests)) {
        total += fmt::format(", {} per GB of the host", text_energy(*cost));
    }
    rows.emplace_back("all", total);
    return rows;
}

} // namespace ssdvp::platform
