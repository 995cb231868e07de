// SPDX-License-Identifier: Apache-2.0
//
// ssdvp_powercut: cuts the power of drives of RAM NAND and compares what they say afterwards.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/powercut/campaign.h"

namespace {

using ssdvp::test::campaign_options;
using ssdvp::test::campaign_report;

using number = unsigned long long;

/// What must hold besides that nothing is lost.
struct demands {
    bool everything = false;           // all of the workload's kinds of work were seen
    std::uint64_t clean_reads = ~0ull; // most flash reads before ready after a shutdown
};

void print_line(const char* name, std::uint64_t value)
{
    std::printf("  %-34s %llu\n", name, static_cast<number>(value));
}

void print_work(const campaign_report& r)
{
    std::printf("  asked: %llu writes (%llu in part, %llu FUA or zeroes with FUA), %llu reads, "
                "%llu flushes, %llu write zeroes,\n         %llu small and %llu large trims, %llu "
                "times at rest, %llu COMRESETs\n",
                static_cast<number>(r.requests.writes), static_cast<number>(r.requests.partial),
                static_cast<number>(r.requests.forced), static_cast<number>(r.requests.reads),
                static_cast<number>(r.requests.flushes), static_cast<number>(r.requests.zeroes),
                static_cast<number>(r.requests.small_trims),
                static_cast<number>(r.requests.large_trims), static_cast<number>(r.requests.idles),
                static_cast<number>(r.requests.comresets));
    std::printf("  units collected %llu, levelled %llu, refreshed %llu, trimmed %llu; pages copied "
                "%llu;\n  programs failed %llu, erases failed %llu, reads retried %llu\n",
                static_cast<number>(r.work.collected), static_cast<number>(r.work.levelled),
                static_cast<number>(r.work.refreshed), static_cast<number>(r.work.trimmed),
                static_cast<number>(r.work.copied), static_cast<number>(r.work.programs_failed),
                static_cast<number>(r.work.erases_failed), static_cast<number>(r.work.retried));
}

void print(const campaign_options& o, const campaign_report& r)
{
    std::printf("%s, %s, %s, seed %llu\n", o.scheme.c_str(), o.geometry.c_str(), o.mode.c_str(),
                static_cast<number>(o.seed));
    print_line("runs", r.runs);
    print_line("cuts", r.cuts);
    print_line("flash operations", r.operations);
    print_line("sectors checked", r.checked);
    print_line("lost sectors", r.lost);
    print_line("drives that became read only", r.read_only);
    for (int k = 0; k < ssdvp::test::CUT_KINDS; ++k) {
        const auto kind = static_cast<ssdvp::test::cut_kind>(k);
        if (r.kinds[k] != 0) {
            print_line((std::string("recoveries, cut ") + name_of(kind)).c_str(), r.kinds[k]);
        }
    }
    print_line("flash reads before ready, cut", r.boot_reads_cut);
    print_line("flash reads before ready, shutdown", r.boot_reads_clean);
    if (o.mode == "damage") {
        print_line("boots refused", r.refused);
        print_line("sectors with a read error", r.unread);
        print_line("sectors with an older value", r.stale);
    }
    if (o.verbose) {
        print_work(r);
    }
    if (!r.failure.empty()) {
        std::printf("FAILED: %s\nreplay: %s\n", r.failure.c_str(), r.command.c_str());
    }
}

void add_demands(CLI::App& app, demands& d)
{
    app.add_flag("--insist", d.everything, "fail when some work of the drive was never exercised");
    app.add_option("--clean-boot-reads", d.clean_reads,
                   "fail when a boot after a shutdown reads the flash more often");
}

bool meets(const demands& d, const campaign_options& o, const campaign_report& r)
{
    const std::string missing = d.everything ? not_exercised(r, o.geometry) : "";
    if (!missing.empty()) {
        std::printf("FAILED: not exercised: %s\n", missing.c_str());
    }
    if (r.boot_reads_clean > d.clean_reads) {
        std::printf("FAILED: %llu flash reads before ready after a shutdown, allowed %llu\n",
                    static_cast<number>(r.boot_reads_clean), static_cast<number>(d.clean_reads));
    }
    return r.good() && missing.empty() && r.boot_reads_clean <= d.clean_reads;
}

void add_options(CLI::App& app, campaign_options& o)
{
    app.add_option("--scheme", o.scheme,
                   "all, or one of: page_map, page_map_shallow, log_set_shallow, dftl, dftl_kept, "
                   "vm_map, log_set, log_set_fifo, "
                   "log_set_apart, log_set_upper, log_set_apart_upper, log_set_block, "
                   "log_set_hybrid, msbs, fmax, lm, bast, fast, superblock, kast, last, sast")
        ->capture_default_str();
    app.add_option(
           "--geometry", o.geometry,
           "all, or one of: tiny small planes single copyback nocache kept full paged narrow "
           "segments deep apart; +sata behind it: the other host interface")
        ->capture_default_str();
    app.add_option("--mode", o.mode, "random, reentrant, nested, damage")->capture_default_str();
    app.add_option("--runs", o.runs, "drives, each with the next seed")->capture_default_str();
    app.add_option("--seed", o.seed, "of the first run")->capture_default_str();
    app.add_option("--cuts", o.cuts, "per run (random), or in a row (reentrant, nested)");
    app.add_option("--requests", o.requests, "of the re-entrant workload");
    app.add_option("--first", o.first, "first point of the re-entrant workload to cut at");
    app.add_option("--last", o.last, "last point");
    app.add_option("--stride", o.stride, "cut at each n-th point")->check(CLI::PositiveNumber);
    app.add_flag("--forget-everything", o.forget_everything,
                 "erase all blocks at each cut: shows that losses are seen");
    app.add_flag(
        "--strict", o.strict,
        "damage: an older value of a sector is a loss, not only counted; no scheme passes, "
        "since of a page that was written since the last checkpoint only the page itself "
        "tells whose it is");
    app.add_option("--flaw", o.flaw, "of the scheme `reference`, the harness's own: 0 = none");
    app.add_flag("--verbose", o.verbose, "what the workload exercised");
}

using names = std::vector<std::string>;

names chosen(const std::string& name, const names& all)
{
    return name == "all" ? all : names{name};
}

std::string list(const names& of)
{
    std::string all;
    for (const std::string& name : of) {
        all += (all.empty() ? "" : ", ") + name;
    }
    return all;
}

/// Among all schemes some cannot have a geometry: they are left out, and named.
struct left_out {
    std::map<std::string, names> by_reason;
    std::size_t count = 0;

    bool holds(const campaign_options& o)
    {
        const std::string why = ssdvp::test::cannot_be(o.scheme, o.geometry);
        if (!why.empty()) {
            by_reason[why].push_back(o.scheme + " " + o.geometry);
            ++count;
        }
        return !why.empty();
    }
    void print() const
    {
        std::printf("left out, since no drive can be so: %zu\n", count);
        for (const auto& [why, pairs] : by_reason) {
            std::printf("  %s: %s\n", list(pairs).c_str(), why.c_str());
        }
    }
};

bool run_all(const campaign_options& o, const demands& d)
{
    bool good = true;
    left_out out;
    for (const std::string& scheme : chosen(o.scheme, ssdvp::test::cut_schemes())) {
        for (const std::string& geometry :
             chosen(o.geometry, ssdvp::test::cut_geometries(scheme))) {
            campaign_options one = o;
            one.scheme = scheme;
            one.geometry = geometry;
            if (out.holds(one)) {
                continue;
            }
            const campaign_report r = run_campaign(one);
            print(one, r);
            good = meets(d, one, r) && good;
        }
    }
    if (out.count != 0 && o.scheme != "all") {
        throw std::invalid_argument("no drive can be " + o.scheme + " " + o.geometry + ": " +
                                    out.by_reason.begin()->first + "; geometries of " + o.scheme +
                                    ": " + list(ssdvp::test::cut_geometries(o.scheme)));
    }
    if (out.count != 0) {
        out.print();
    }
    return good;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Cuts the power of drives of RAM NAND and compares what they hold afterwards.");
    campaign_options o;
    o.scheme = o.geometry = "all";
    add_options(app, o);
    demands d;
    add_demands(app, d);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    try {
        return run_all(o, d) ? 0 : 1;
    } catch (const std::invalid_argument& e) {
        std::fprintf(stderr, "ssdvp_powercut: %s\n", e.what());
        return 2;
    }
}
