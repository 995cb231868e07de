// SPDX-License-Identifier: Apache-2.0
//
// The text of a fio job file: sections of options, each word with its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/input/config_error.h"

namespace ssdvp::platform::fio {

/// A piece of the text and where it begins.
struct word {
    std::string text;
    origin at;
    /// The part from `from` on, `length` characters at most.
    [[nodiscard]] word part(std::size_t from, std::size_t length = std::string::npos) const;
};

struct entry {
    word name;
    word value; // empty text: none given
    bool has_value = false;
};

struct section {
    word name;
    std::vector<entry> entries;
    [[nodiscard]] bool is_global() const { return name.text == "global"; }
};

/// Sections in the order of the file. Lines `include FILE` are replaced by that file, which is
/// looked for beside the one that names it. Throws config_error.
std::vector<section> read_sections(const std::string& file);
/// The same of a text in memory, named `file` in messages.
std::vector<section> parse_sections(std::string_view text, const std::string& file);

/// Parts between `separator`, without the blanks around them; an empty word is one empty part.
std::vector<word> split(const word& w, char separator);

} // namespace ssdvp::platform::fio
