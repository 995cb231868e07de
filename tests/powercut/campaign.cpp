// SPDX-License-Identifier: Apache-2.0
#include "models/regs/choices/host_interface.h"
#include "tests/powercut/campaign_parts.h"

#include <algorithm>
#include <stdexcept>

#include "tests/powercut/log_drive.h"

namespace ssdvp::test {

const char* name_of(cut_kind kind)
{
    static constexpr const char* names[CUT_KINDS] = {
        "at rest",       "host program", "collection program", "copyback", "map program",
        "other program", "erase",        "in recovery",        "shutdown"};
    return names[kind];
}

void campaign_report::add(const campaign_report& o)
{
    runs += o.runs;
    cuts += o.cuts;
    operations += o.operations;
    checked += o.checked;
    lost += o.lost;
    unread += o.unread;
    stale += o.stale;
    refused += o.refused;
    read_only += o.read_only;
    boot_reads_clean = std::max(boot_reads_clean, o.boot_reads_clean);
    boot_reads_cut = std::max(boot_reads_cut, o.boot_reads_cut);
    for (int k = 0; k < CUT_KINDS; ++k) {
        kinds[k] += o.kinds[k];
    }
    requests.add(o.requests);
    work.add(o.work);
    if (failure.empty()) {
        failure = o.failure;
        command = o.command;
    }
}

cut_kind kind_of(const flash_point& p)
{
    if (p.op == FLASH_OP_ERASE) {
        return CUT_ERASE;
    }
    if (p.op == FLASH_OP_COPYBACK) {
        return CUT_COPYBACK;
    }
    if (p.op == FLASH_OP_READ) {
        return CUT_QUIET;
    }
    switch (p.purpose) {
    case FLASH_PURPOSE_HOST:
        return CUT_HOST_PROGRAM;
    case FLASH_PURPOSE_GC:
        return CUT_GC_PROGRAM;
    case FLASH_PURPOSE_MAP:
        return CUT_MAP_PROGRAM;
    default:
        return CUT_OTHER_PROGRAM;
    }
}

ram_image blank(const ram_image& image)
{
    ram_image none = image;
    for (ram_block& b : none) {
        b.programmed = 0;
        b.torn = false;
        b.pages.reset();
    }
    return none;
}

cut_setup setup_for(const campaign_options& o, std::uint64_t seed)
{
    cut_setup s = setup_of(o.scheme, o.geometry);
    s.config.seed = seed;
    s.config.impatient = seed % 2 != 0;
    if (o.scheme == reference_scheme) {
        use_log_firmware(s.config, static_cast<log_flaw>(o.flaw));
    }
    return s;
}

void note_cut(cut_drive& d, const campaign_options& o, cut_kind kind, campaign_report& r)
{
    d.points.disarm();
    ++r.cuts;
    ++r.kinds[kind];
    r.work.add(d.nand.last_counters());
    if (o.forget_everything) {
        d.nand.insert(blank(d.nand.image()));
    }
}

bool recover(cut_drive& d, bool clean, campaign_report& r)
{
    if (!d.host.power_up()) {
        return false;
    }
    std::uint64_t& most = clean ? r.boot_reads_clean : r.boot_reads_cut;
    most = std::max(most, d.nand.boot_reads());
    return d.host.check_everything() && d.host.found.good();
}

void collect(cut_drive& d, campaign_report& r)
{
    if (!d.nand.broken().empty()) {
        d.host.found.wrong("broken rule: " + d.nand.broken().front());
    }
    r.checked += d.host.found.checked;
    r.lost += d.host.found.lost;
    r.unread += d.host.found.unread;
    r.stale += d.host.found.stale;
    r.operations += d.points.passed / 2;
    d.points.passed = 0;
    const std::string first = d.host.found.first;
    d.host.found = findings();
    d.host.found.first = first;
}

void fail(campaign_report& r, const cut_drive& d, const std::string& where,
          const std::string& command)
{
    if (!d.host.found.good() && r.failure.empty()) {
        r.failure = where + ": " + d.host.found.first;
        r.command = command;
    }
}

std::string command_of(const campaign_options& o, const std::string& rest)
{
    return "scripts/powercut --scheme " + o.scheme + " --geometry " + o.geometry + " --mode " +
           o.mode + (o.cuts != 0 ? " --cuts " + std::to_string(o.cuts) : "") +
           (o.requests != 0 ? " --requests " + std::to_string(o.requests) : "") +
           (o.forget_everything ? " --forget-everything" : "") + (o.strict ? " --strict" : "") +
           (o.flaw != 0 ? " --flaw " + std::to_string(o.flaw) : "") + rest;
}

std::string not_exercised(const campaign_report& r, const std::string& geometry)
{
    struct counted {
        const char* name;
        std::uint64_t value;
        bool wanted;
    };
    const cut_setup setup = setup_of("page_map", geometry);
    const bool units = setup.unit_sectors() > 1;
    const bool sata = setup.config.params.host.interface == HOST_INTERFACE_SATA;
    const bool lends = geometry.find("+hmb") != std::string::npos;
    const counted all[] = {{"collection", r.work.collected, true},
                           {"wear levelling", r.work.levelled, true},
                           {"refresh", r.work.refreshed, true},
                           {"trim", r.work.trimmed, true},
                           {"failed programs", r.work.programs_failed, true},
                           {"failed erases", r.work.erases_failed, true},
                           {"read retry", r.work.retried, true},
                           {"copyback", r.work.copied, geometry == "copyback"},
                           {"folds of the SLC cache", r.work.folded,
                            geometry.find("+slc") != std::string::npos ||
                                geometry.find("+dynamic") != std::string::npos},
                           {"map pages of the host's memory", r.work.lent, lends},
                           {"damaged ones", r.work.damaged, lends},
                           {"reads", r.requests.reads, true},
                           {"writes in part", r.requests.partial, units},
                           {"FUA", r.requests.forced, true},
                           {"flush", r.requests.flushes, true},
                           {"write zeroes", r.requests.zeroes, true},
                           {"small trims", r.requests.small_trims, true},
                           {"large trims", r.requests.large_trims, true},
                           {"rest", r.requests.idles, true},
                           {"COMRESET", r.requests.comresets, sata},
                           {"formats", r.requests.formats, setup.formats}};
    std::string missing;
    for (const counted& c : all) {
        if (c.wanted && c.value == 0) {
            missing += std::string(missing.empty() ? "" : ", ") + c.name;
        }
    }
    return missing;
}

campaign_report run_campaign(const campaign_options& o)
{
    struct mode_name {
        const char* name;
        campaign_report (*run)(const campaign_options&);
    };
    static constexpr mode_name modes[] = {{"random", random_campaign},
                                          {"reentrant", reentrant_campaign},
                                          {"nested", nested_campaign},
                                          {"damage", damage_campaign}};
    for (const mode_name& m : modes) {
        if (o.mode == m.name) {
            return m.run(o);
        }
    }
    throw std::invalid_argument("no mode '" + o.mode +
                                "'; there are: random, reentrant, nested, damage");
}

} // namespace ssdvp::test
