// SPDX-License-Identifier: Apache-2.0
//
// The parts of a flash back end by number. Addresses are ONFI's (Memory Organization and
// Addressing): LUN, plane, block and page. A LUN has a chip enable of its own here, so its number
// is that of its enable on the channel.
#pragma once

#include "models/common/index.h"

namespace ssdvp::flash {

using channel_index = strong_index<struct channel_tag>;     // of the drive
using die_index = strong_index<struct die_tag>;             // LUN of the drive, channel by channel
using lun_index = strong_index<struct lun_tag>;             // of its channel
using plane_index = strong_index<struct plane_tag>;         // of its LUN
using block_index = strong_index<struct block_tag>;         // of its plane
using lun_block_index = strong_index<struct lun_block_tag>; // of its LUN, plane by plane
using page_index = strong_index<struct page_tag>;           // of its block

/// Of a LUN: descriptors and completions have a bit for each in a byte.
constexpr std::uint32_t max_planes = 8;

using plane_set = index_set<plane_index>;
using lun_set = index_set<lun_index>;

} // namespace ssdvp::flash
