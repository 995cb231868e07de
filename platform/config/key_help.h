// SPDX-License-Identifier: Apache-2.0
//
// What people are told of the keys: `ssdvp show --options`, the documentation, the manual page, the
// completion of command lines.
#pragma once

#include <string>
#include <vector>

#include "platform/input/value.h"

namespace ssdvp::platform {

struct key_help {
    std::string key; // as its table has it: without `workload.<stream>.`
    std::string about;
    std::string fallback;  // the default, or how it is computed
    std::string only_when; // it acts; empty: always
    value_spec spec;
    bool basic = false; // one of those that a drive and a load are described with
};

/// The basic ones first, each part in its order.
std::vector<key_help> basic_first(std::vector<key_help> keys);

/// Each in the order of the tree, where groups stay together.
std::vector<key_help> help_of_tree();
std::vector<key_help> help_of_streams(); // entries of the list `workload`
std::vector<key_help> help_of_traces();  // `workload` as a mapping
std::vector<key_help> help_of_fio();     // likewise
std::vector<key_help> help_of_raid();    // entries of the list `raid`

/// The words that a value may be, each with what it says, where there are only so many.
std::vector<choice_name> words_of(const value_spec& spec);

} // namespace ssdvp::platform
