// SPDX-License-Identifier: Apache-2.0
//
// Power-cut campaigns: what is cut where, and what came of it.
#pragma once

#include <cstdint>
#include <string>

#include "tests/powercut/cut_workload.h"

namespace ssdvp::test {

enum cut_kind {
    CUT_QUIET = 0,    // nothing was under way in the flash
    CUT_HOST_PROGRAM, // programs of host data
    CUT_GC_PROGRAM,   // ... of collection
    CUT_COPYBACK,
    CUT_MAP_PROGRAM,   // ... of the map, checkpoints, journals
    CUT_OTHER_PROGRAM, // ... of wear levelling and refresh
    CUT_ERASE,
    CUT_RECOVERY, // anything before the controller was ready again
    CUT_SHUTDOWN, // power went off after a shutdown
    CUT_KINDS
};
const char* name_of(cut_kind kind);

struct campaign_options {
    std::string scheme = "page_map";
    std::string geometry = "tiny";
    std::string mode = "random";
    std::uint64_t runs = 20;
    std::uint64_t seed = 1;
    std::uint64_t cuts = 0;     // per run; 0 = the mode's own number
    std::uint64_t requests = 0; // of the re-entrant workload; 0 = the mode's own number
    std::uint64_t first = 1;    // points of the re-entrant workload where power goes
    std::uint64_t last = ~0ull;
    std::uint64_t stride = 1;
    bool forget_everything = false; // blank cells after each cut: the harness must see losses
    bool strict = false;            // damaged cells: an older value of a sector is a loss
    bool verbose = false;
    std::uint32_t flaw = 0; // enum log_flaw, of the reference firmware
};

struct campaign_report {
    std::uint64_t runs = 0, cuts = 0, operations = 0, checked = 0, lost = 0, unread = 0, stale = 0;
    std::uint64_t refused = 0;          // boots that were refused clearly
    std::uint64_t read_only = 0;        // drives that refused writes in the end
    std::uint64_t boot_reads_clean = 0; // most flash reads before ready, after a shutdown
    std::uint64_t boot_reads_cut = 0;   // ... after a cut
    std::uint64_t kinds[CUT_KINDS] = {};
    asked requests;
    exercised work;
    std::string failure; // empty = none
    std::string command; // that replays it
    [[nodiscard]] bool good() const { return failure.empty() && lost == 0; }
    void add(const campaign_report& other);
};

/// What of the drive's own work, or of the host's requests, a campaign never saw; empty = nothing.
std::string not_exercised(const campaign_report& r, const std::string& geometry);

/// Throws std::invalid_argument when an option names what there is not.
campaign_report run_campaign(const campaign_options& options);

// The modes; each stops at the first run that fails.

/// Power goes after flash operation 1, 2, 3, ... n of one workload, each time from the cells and
/// the shadow of that moment: recover, compare everything, go on, lose power again.
campaign_report reentrant_campaign(const campaign_options& options);
/// Like it, and once more at each operation of the recovery that follows; a third time for some.
campaign_report nested_campaign(const campaign_options& options);
/// A drive's life from one cut to the next, at seeded places: within requests, within recovery, at
/// rest, after a shutdown.
campaign_report random_campaign(const campaign_options& options);
/// Damaged cells: the right data, an error, a refusal; an older value of the sector is counted.
campaign_report damage_campaign(const campaign_options& options);

} // namespace ssdvp::test
