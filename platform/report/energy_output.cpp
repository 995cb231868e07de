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
    const char* word = nullptr; // in the text, if not its name
};

/// What one supply, or one block, draws. Absent where nothing of it is counted.
struct group {
    const char* key;   // in summary.json
    const char* title; // in the text
    uint128 sum;
    std::vector<counted_energy> parts;
};

void add_block(std::vector<group>& groups, const char* key, const char* title, const draw& d,
               const spent& e)
{
    if (d.any()) {
        groups.push_back(
            {key,
             title,
             e.sum(),
             {{"active", d.active_uw != 0, e.active}, {"idle", d.idle_uw != 0, e.idle}}});
    }
}

std::vector<group> groups_of(const measurement& m, const energy_parts& e)
{
    const energy_figures& f = m.energy;
    std::vector<group> groups;
    if (f.nand()) {
        groups.push_back({"nand",
                          "NAND",
                          e.nand(),
                          {{"array_read", f.array_ua[0] != 0, e.array[0], "read"},
                           {"array_program", f.array_ua[1] != 0, e.array[1], "program"},
                           {"array_erase", f.array_ua[2] != 0, e.array[2], "erase"},
                           {"bus", f.bus_ua != 0, e.bus},
                           {"io", f.io_ua != 0, e.io},
                           {"idle", f.idle_ua != 0, e.nand_idle}}});
    }
    if (m.measured.dram_energy) {
        groups.push_back({"dram",
                          "DRAM",
                          e.memory(),
                          {{"activate", true, e.dram[0]},
                           {"read", true, e.dram[1]},
                           {"write", true, e.dram[2]},
                           {"refresh", true, e.dram[3]},
                           {"background", true, e.dram[4]}}});
    }
    add_block(groups, "dram_phy", "DRAM PHY", f.dram_phy, e.dram_phy);
    add_block(groups, "channels", "channels", f.channel, e.channels);
    add_block(groups, "ecc", "ECC", f.ecc, e.ecc);
    if (m.measured.link) {
        add_block(groups, "link", "link", f.link, e.link);
    }
    if (!m.measured.cpu.empty()) {
        add_block(groups, "cores", "cores", f.core, e.cores);
    }
    return groups;
}

json::object section(const group& g)
{
    json::object o;
    for (const counted_energy& part : g.parts) {
        if (part.is) {
            o[part.name] = shown(part.energy);
        }
    }
    return o;
}

std::string text(uint128 total, uint128 all, const std::vector<counted_energy>& parts)
{
    std::string list;
    for (const counted_energy& part : parts) {
        if (part.is) {
            list += fmt::format("{}{} {}", list.empty() ? "" : ", ",
                                part.word != nullptr ? part.word : part.name,
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

/// What the host has of it; empty where it had nothing.
struct cost {
    std::optional<double> per_request;
    std::optional<double> per_gb; // 10^9 bytes that it read or wrote
};

cost cost_of(uint128 energy, const request_statistics& requests)
{
    const std::uint64_t bytes = requests.kind(host::request_kind::read).bytes +
                                requests.kind(host::request_kind::write).bytes;
    cost c;
    if (requests.requests() != 0) {
        c.per_request = joules(energy) / static_cast<double>(requests.requests());
    }
    if (bytes != 0) {
        c.per_gb = joules(energy) * 1e9 / static_cast<double>(bytes);
    }
    return c;
}

} // namespace

json::object energy_section(const measurement& m, const request_statistics& requests)
{
    const energy_parts e = energy_of(m);
    json::object o;
    for (const group& g : groups_of(m, e)) {
        o[g.key] = section(g);
    }
    if (m.measured.states) {
        o["asleep"] = shown(e.asleep);
    }
    o["total"] = shown(e.sum());
    if (m.measured.when != sim_time()) {
        o["mean_w"] = shown(joules(e.sum()) / seconds_of(m));
    }
    const cost c = cost_of(e.sum(), requests);
    if (c.per_request) {
        o["per_request"] = shown(*c.per_request);
    }
    if (c.per_gb) {
        o["per_host_gb"] = shown(*c.per_gb);
    }
    return o;
}

std::vector<std::pair<std::string, std::string>> energy_rows(const measurement& m,
                                                             const request_statistics& requests)
{
    const energy_parts e = energy_of(m);
    const uint128 all = e.sum();
    std::vector<std::pair<std::string, std::string>> rows;
    for (const group& g : groups_of(m, e)) {
        rows.emplace_back(g.title, text(g.sum, all, g.parts));
    }
    if (m.measured.states) {
        rows.emplace_back("asleep", text(e.asleep, all, {}));
    }
    const double seconds = seconds_of(m);
    std::string total = fmt::format("{:>8}", text_energy(joules(all)));
    if (seconds > 0.0) {
        total += fmt::format(", {} on average", text_power(joules(all) / seconds));
    }
    const cost c = cost_of(all, requests);
    if (c.per_request) {
        total += fmt::format(", {} per request", text_energy(*c.per_request));
    }
    if (c.per_gb) {
        total += fmt::format(", {} per GB of the host", text_energy(*c.per_gb));
    }
    rows.emplace_back("all", total);
    return rows;
}

} // namespace ssdvp::platform
