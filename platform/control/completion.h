// SPDX-License-Identifier: Apache-2.0
//
// What a shell offers for a command line that is not whole yet.
#pragma once

#include <string>
#include <vector>

#include "platform/config/key_help.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace ssdvp::platform {

/// The word behind which the shell gives the words so far: `ssdvp complete run --set flash.`
constexpr const char* completion_word = "complete";

/// One that more is written behind ends with '=', '.' or '/': flash.channels=, flash., device/.
struct candidate {
    std::string text;
    std::string about = {}; // one line, or nothing
    bool operator==(const candidate& other) const { return text == other.text; }
};

/// Whether files are offered besides.
enum class completion_files { nothing, files, folders };

struct completion {
    std::vector<candidate> words;
    completion_files also = completion_files::nothing;
};

/// `words`: all behind the program's name; the last one, which may be empty, is being written.
/// `presets`: the names of those there are.
[[nodiscard]] completion complete(const CLI::App& app, const std::vector<std::string>& words,
                                  const std::vector<std::string>& presets);

/// For the scripts below: what is offered besides, then a candidate a line, a tab before what it
/// says.
[[nodiscard]] std::string completion_lines(const completion& c);

/// The shell's own part, which asks the program; `shell`: bash, zsh.
[[nodiscard]] std::string completion_script(const std::string& shell);

/// The commands that people are to know of.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// What an option takes, as its help says it: FILE, bash|zsh; empty: it is a flag.
[[nodiscard]] std::string argument_of(const CLI::Option& option);

} // namespace ssdvp::platform
