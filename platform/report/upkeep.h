// SPDX-License-Identifier: Apache-2.0
//
// Upkeep that a drive begins a run without: preconditioning levels no wear and reads nothing. What
// levelling and refresh do to a drive's state takes them as long as it takes a load.
#pragma once

#include <string>

#include "platform/report/measurement.h"

namespace ssdvp::platform {

/// Static wear levelling moves units, and the load has not yet written so many turns with it that
/// the drive's state is that of both: in words. "" otherwise.
[[nodiscard]] std::string levels_first(const measurement& m);
constexpr double levelled_least = 0.05; // units that it moves for each of the host's
constexpr double levelled_turns = 4.0;  // as popular data need that come to a drive in order

/// Blocks have been read less often than ftl.refresh.reads says, so refresh has yet to begin, and
/// is no small part of the work: in words. "" otherwise.
[[nodiscard]] std::string refreshes_later(const measurement& m);
constexpr double refreshed_least = 0.002; // pages of a block, by reads of it until it is moved

} // namespace ssdvp::platform
