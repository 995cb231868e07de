// SPDX-License-Identifier: Apache-2.0
#include "platform/report/summary_json.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "platform/report/confidence.h"
#include "platform/report/counter_json.h"
#include "platform/report/energy_output.h"
#include "platform/report/host_section.h"
#include "platform/report/ideal_run.h"
#include "platform/report/json_numbers.h"
#include "platform/report/json_text.h"
#include "platform/report/output.h"
#include "platform/report/power_output.h"
#include "platform/report/thermal_output.h"
#include "platform/report/trust_section.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

json::object sim_section(const measurement& m, const request_statistics& requests)
{
    json::object o;
    const double wall = m.measured.wall_s;
    o["simulated_ns"] = ns(m.measured.when);
    o["wall_s"] = thousandths(wall);
    if (wall > 0.0) {
        o["requests_per_wall_s"] = thousandths(static_cast<double>(requests.requests()) / wall);
    }
    o["kernel_activations"] = m.measured.kernel_activations;
    o["peak_rss_bytes"] = m.peak_rss_bytes;
    o["total_simulated_ns"] = ns(m.simulated);
    return o;
}

void put(json::object& o, const char* key, const std::optional<std::uint64_t>& value)
{
    if (value) {
        o[key] = *value;
    }
}

json::object flash_section(const measurement& m)
{
    const flash_statistics& f = m.measured.flash;
    json::object o;
    o["reads"] = f.reads;
    o["programs"] = f.programs;
    o["erases"] = f.erases;
    put(o, "suspends", f.suspends);
    put(o, "resumes", f.resumes);
    put(o, "multi_plane", f.multi_plane);
    put(o, "joined", f.joined);
    put(o, "cached", f.cached);
    put(o, "overlapped", f.overlapped);
    put(o, "snap_reads", f.snap_reads);
    put(o, "copybacks", f.copybacks);
    if (f.ecc) {
        o["ecc"] = {{"corrected_bits", f.ecc->corrected_bits},
                    {"uncorrectable", f.ecc->uncorrectable},
                    {"soft_decodes", f.ecc->soft_decodes},
                    {"retries", f.ecc->retries}};
    }
    o["bytes_read"] = f.bytes_read;
    o["bytes_programmed"] = f.bytes_programmed;
    json::object purposes;
    for (std::size_t p = 0; p < f.by_purpose.size(); ++p) {
        if ((m.drive.purposes >> p & 1u) != 0) {
            const purpose_statistics& s = f.by_purpose[p];
            purposes[purpose_names[p]] = {{"reads", s.reads},
                                          {"programs", s.programs},
                                          {"erases", s.erases},
                                          {"bytes_programmed", s.bytes_programmed}};
        }
    }
    o["by_purpose"] = std::move(purposes);
    return o;
}

json::array channels_section(const counters& c)
{
    json::array channels;
    for (const channel_statistics& channel : c.channels) {
        json::array luns;
        for (const lun_statistics& lun : channel.luns) {
            luns.push_back({{"busy", millionths(fraction(lun.busy, c.when))},
                            {"held", millionths(fraction(lun.held, c.when))},
                            {"reads", lun.reads},
                            {"programs", lun.programs},
                            {"erases", lun.erases}});
        }
        json::object o{{"busy", millionths(fraction(channel.busy, c.when))}};
        if (channel.polling) {
            o["polling"] = millionths(fraction(*channel.polling, c.when));
        }
        o["luns"] = std::move(luns);
        channels.push_back(std::move(o));
    }
    return channels;
}

json::array cpu_section(const counters& c)
{
    json::array cores;
    for (const core_statistics& core : c.cpu) {
        json::object o = {{"instructions", core.instructions},
                          {"cycles", core.cycles},
                          {"busy", millionths(fraction(core.busy, c.when))}};
        if (!core.timing.empty()) {
            o["timing"] = core.timing;
        }
        if (!core.core.empty()) {
            o["core"] = core.core;
        }
        if (!core.role.empty()) {
            o["role"] = core.role;
        }
        if (core.dcache) {
            o["dcache"] = {{"hits", core.dcache->hits},
                           {"misses", core.dcache->misses},
                           {"writebacks", core.dcache->writebacks}};
        }
        if (core.icache) {
            o["icache"] = {{"hits", core.icache->lines.hits},
                           {"misses", core.icache->lines.misses},
                           {"stall", millionths(fraction(core.icache->stalled, c.when))}};
        }
        if (core.tlb) {
            o["tlb"] = {{"hits", core.tlb->hits}, {"misses", core.tlb->misses}};
        }
        cores.push_back(std::move(o));
    }
    return cores;
}

json::object dram_section(const dram_statistics& d, sim_time when)
{
    json::object o = {{"bytes_read", d.bytes_read},
                      {"bytes_written", d.bytes_written},
                      {"busy", millionths(fraction(d.busy, when))}};
    if (d.banks) {
        o["row_hits"] = d.row_hits;
        o["row_misses"] = d.row_misses;
        o["row_conflicts"] = d.row_conflicts;
        o["activates"] = d.activates;
        o["refreshes"] = d.refreshes;
    }
    return o;
}

/// What SATA has not: DLLPs, and waits for credits and tags.
void put_pcie_waits(json::object& o, const link_statistics& l)
{
    o["dllp_bytes_up"] = l.dllp_bytes_up;
    o["dllp_bytes_down"] = l.dllp_bytes_down;
    o["credit_stalls_up"] = l.credit_stalls_up;
    o["credit_stalls_down"] = l.credit_stalls_down;
    o["credit_stall_ns_up"] = ns(l.credit_stall_time_up);
    o["credit_stall_ns_down"] = ns(l.credit_stall_time_down);
    o["replays_up"] = l.replays_up;
    o["replays_down"] = l.replays_down;
    o["tag_stalls"] = l.tag_stalls;
    o["tag_stall_ns"] = ns(l.tag_stall_time);
    o["tags_out_ns"] = ns(l.tags_out);
}

void put_memory_and_link(json::object& o, const counters& c)
{
    if (c.dram) {
        o["dram"] = dram_section(*c.dram, c.when);
    }
    if (c.link) {
        o["link"] = {{"bytes_up", c.link->bytes_up},
                     {"bytes_down", c.link->bytes_down},
                     {c.sata ? "frames_up" : "tlps_up", c.link->tlps_up},
                     {c.sata ? "frames_down" : "tlps_down", c.link->tlps_down},
                     {"busy_up", millionths(fraction(c.link->busy_up, c.when))},
                     {"busy_down", millionths(fraction(c.link->busy_down, c.when))}};
    }
    if (c.link && !c.sata) {
        put_pcie_waits(o["link"].as_object(), *c.link);
    }
    if (c.nvme) {
        o["nvme"] = {{"commands", c.nvme->commands},
                     {"completions", c.nvme->completions},
                     {"interrupts", c.nvme->interrupts},
                     {"slot_wait_ns", ns(c.nvme->slot_wait)}};
        if (c.nvme->looked_up) {
            o["nvme"].as_object()["lookup"] = {{"reads", *c.nvme->looked_up},
                                               {"passed_on", *c.nvme->passed_on}};
        }
    }
    if (c.sata) {
        o["sata"] = {{"commands", c.sata->commands},
                     {"completions", c.sata->completions},
                     {"set_device_bits", c.sata->set_device_bits},
                     {"interrupts", c.sata->interrupts},
                     {"r_errs", c.sata->r_errs},
                     {"crc_errors", c.sata->crc_errors},
                     {"collisions", c.sata->collisions},
                     {"comresets", c.sata->comresets},
                     {"recoveries", c.sata->recoveries},
                     {"retries", c.sata->retries}};
    }
}

/// With totals: a sector that came back wrong during warm-up must not stay unseen.
json::object integrity_section(const measurement& m)
{
    return {{"sectors_checked", m.measured.integrity->sectors_checked},
            {"mismatches", m.measured.integrity->mismatches},
            {"total_sectors_checked", m.lifetime.integrity->sectors_checked},
            {"total_mismatches", m.lifetime.integrity->mismatches}};
}

json::object duration_section(const power_times::duration& d)
{
    return {{"mean", ns_of_ps(static_cast<double>(d.sum.ps()) / static_cast<double>(d.count))},
            {"max", ns(d.max)}};
}

json::object power_section(const measurement& m)
{
    const power_statistics& p = *m.measured.power;
    json::object o = {{"cuts", p.cuts},
                      {"shutdowns", p.shutdowns},
                      {"torn_pages", p.torn_pages},
                      {"torn_blocks", p.torn_blocks},
                      {"lost_requests", p.lost_requests},
                      {"verified_sectors", p.verified_sectors}};
    if (m.power.ready.count != 0) {
        o["ready_ns"] = duration_section(m.power.ready);
    }
    if (m.power.first_read.count != 0) {
        o["first_read_ns"] = duration_section(m.power.first_read);
    }
    return o;
}

json::object state_section(const state_origin& s)
{
    json::object o{{"from", s.from}};
    if (!s.key.empty()) {
        o["key"] = s.key;
    }
    return o;
}

json::object summary_of(const measurement& m, const request_statistics& requests,
                        const std::vector<std::string>& violations)
{
    json::object o;
    o["schema"] = summary_schema;
    o["version"] = m.version;
    o["complete"] = m.complete;
    o["config"] = m.config_name;
    o["config_sha256"] = m.config_sha256;
    o["seed"] = m.seed;
    put_drive(o, m);
    if (m.trace) {
        o["trace"] = trace_section(*m.trace);
    }
    put_trust(o, m, requests);
    put_second_runs(o, m, requests);
    o["sim"] = sim_section(m, requests);
    o["host"] = host_section(m, requests);
    o["flash"] = flash_section(m);
    if (!m.measured.channels.empty()) {
        o["channels"] = channels_section(m.measured);
    }
    if (m.measured.ftl) {
        put_counters(o, m, requests);
    }
    if (!m.measured.cpu.empty()) {
        o["cpu"] = cpu_section(m.measured);
    }
    put_memory_and_link(o, m.measured);
    if (m.energy.any()) {
        o["energy_j"] = energy_section(m, requests);
    }
    if (m.measured.thermal) {
        o["thermal"] = thermal_section(*m.measured.thermal);
    }
    if (m.measured.states) {
        o["power_states"] = power_state_section(*m.measured.states);
    }
    if (m.measured.integrity && m.lifetime.integrity) {
        o["integrity"] = integrity_section(m);
    }
    if (m.measured.power) {
        o["power"] = power_section(m);
    }
    if (m.host_resets) {
        o["resets"] = *m.host_resets;
    }
    if (m.state) {
        o["state"] = state_section(*m.state);
    }
    o["faults"] = faults_section(m);
    json::array violated;
    for (const std::string& sentence : violations) {
        violated.emplace_back(sentence);
    }
    o["violations"] = std::move(violated);
    return o;
}

void drop_what_the_machine_decides(json::object& summary)
{
    if (json::value* sim = summary.if_contains("sim")) {
        // A stable erase keeps the order of the others; object::erase would not.
        json::object kept;
        for (const json::key_value_pair& member : sim->as_object()) {
            if (member.key() != "wall_s" && member.key() != "requests_per_wall_s" &&
                member.key() != "peak_rss_bytes") {
                kept.emplace(member.key(), member.value());
            }
        }
        *sim = std::move(kept);
    }
}

} // namespace

std::string summary_text(const measurement& m, const request_statistics& requests,
                         const std::vector<std::string>& violations)
{
    return to_text(summary_of(m, requests, violations));
}

std::string deterministic_summary(const measurement& m, const request_statistics& requests,
                                  const std::vector<std::string>& violations)
{
    json::object o = summary_of(m, requests, violations);
    drop_what_the_machine_decides(o);
    return to_text(o);
}

std::string deterministic_summary(const std::string& summary)
{
    json::value v = json::parse(summary);
    drop_what_the_machine_decides(v.as_object());
    return to_text(v);
}

void write_summary(const std::filesystem::path& directory, const std::string& summary)
{
    write_file_atomically(directory / "summary.json", summary);
}

} // namespace ssdvp::platform
