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

} // namespace ssdvp::test
