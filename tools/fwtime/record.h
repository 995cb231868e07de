// SPDX-License-Identifier: Apache-2.0
//
// What one firmware source costs on every target, as a record of a timing file. A timing file is
// nothing but the records of an image's sources, one after the other: docs/timing.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/fwtime/code.h"
#include "tools/fwtime/flow.h"

namespace fwtime {

/// A call of a library function that is not in the tables: `count` per execution of the marker.
struct library_call {
    unsigned marker;
    std::string name;
    std::uint64_t bytes; // of memcpy, memset, memmove; else 0
    double count;
};

struct target_table {
    std::string name;
    std::vector<class_costs> cost; // by marker
    std::vector<library_call> calls;
    source_code code;
};

struct module_record {
    std::string name;
    std::uint64_t hash = 0;                                // of the IR that was marked
    std::vector<std::pair<std::string, unsigned>> symbols; // function, its first marker
    unsigned markers = 0;
    unsigned blocks = 0; // of the IR, with a marker or without
    std::vector<target_table> targets;
};

[[nodiscard]] std::string encode(const module_record& record);

} // namespace fwtime
