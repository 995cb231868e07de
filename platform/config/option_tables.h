// SPDX-License-Identifier: Apache-2.0
//
// What tables of options are written with.
#pragma once

#include "platform/config/option.h"

namespace ssdvp::platform {

/// Keys of a stream that say where its requests go; its class; its stream by directive.
std::vector<stream_option> address_options();
std::vector<stream_option> priority_options();
std::vector<stream_option> directive_stream_options();
/// Keys of one interface mean nothing with the other (parts/interface.cpp).
void divide_by_interface(std::vector<option>& table);

/// A key with one choice in this version, which therefore no field carries.
option make_fixed_option(const option_text& text, value_spec spec);

std::vector<std::uint64_t> powers_of_two(std::uint64_t first, std::uint64_t last);

inline void append(std::vector<option>& table, std::vector<option> more)
{
    for (option& o : more) {
        table.push_back(std::move(o));
    }
}

} // namespace ssdvp::platform
