// SPDX-License-Identifier: Apache-2.0
//
// What the campaigns share.
#pragma once

#include "tests/powercut/campaign.h"

namespace ssdvp::test {

cut_kind kind_of(const flash_point& p);
/// All blocks erased, as if nothing had ever been written.
ram_image blank(const ram_image& image);
/// The drive of the options, with this seed.
cut_setup setup_for(const campaign_options& o, std::uint64_t seed);
/// Notes that power is off: counters, kind, cells as the options want them.
void note_cut(cut_drive& d, const campaign_options& o, cut_kind kind, campaign_report& r);
/// Power on, and every sector compared. False: not, see the drive's findings.
bool recover(cut_drive& d, bool clean, campaign_report& r);
/// Moves what a drive found to the report.
void collect(cut_drive& d, campaign_report& r);
/// Takes over the drive's failure, if any, with the command that replays it.
void fail(campaign_report& r, const cut_drive& d, const std::string& where,
          const std::string& command);
std::string command_of(const campaign_options& o, const std::string& rest);

/// One life per run, each with the next seed.
template <typename Life>
campaign_report run_each(const campaign_options& o)
{
    campaign_report all;
    for (std::uint64_t i = 0; i < o.runs && all.good(); ++i) {
        const std::uint64_t seed = o.seed + i;
        Life one(o, seed);
        all.add(one.run(command_of(o, " --runs 1 --seed " + std::to_string(seed))));
    }
    return all;
}

} // namespace ssdvp::test
