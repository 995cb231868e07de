// SPDX-License-Identifier: Apache-2.0
//
// Arrays of drives: what the list `raid` says, and what its members must have in common.
#pragma once

#include <vector>

#include "platform/config/loader.h"
#include "platform/config/raw.h"

namespace ssdvp::platform {

/// The list, with the members of each by their numbers; nothing else of it yet.
std::vector<named_array> read_arrays(const raw_tree& raw);

/// The array that the drive is a member of, or null.
const named_array* array_of(const std::vector<named_array>& arrays, std::size_t drive);

/// Every stream names a drive or an array, and every drive and array has a stream.
void check_targets(const raw_tree& raw, const std::vector<named_array>& arrays);

/// The streams that name it; where `first`, those that name none too.
raw_workload streams_of(const raw_tree& raw, const std::string& name, bool first);

/// The streams of the array as one of its members sees them: addresses are the array's business.
raw_workload streams_of_member(const raw_tree& raw, const named_array& array);

/// What a member may not have of its own. `one`: the tree as this drive sees it.
void check_member(const raw_tree& raw, const raw_tree& one, std::size_t drive,
                  const named_drive& resolved);

/// The rest of the array, once its members are known.
void complete_array(const raw_tree& raw, std::size_t index, const std::vector<named_drive>& drives,
                    named_array& array);

} // namespace ssdvp::platform
