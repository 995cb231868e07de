// SPDX-License-Identifier: Apache-2.0
//
// Files that people write by hand: configurations, job files.
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "platform/input/config_error.h"

namespace ssdvp::platform {

constexpr std::size_t longest_text_file = 1u << 20; // bytes: whoever gives more means another file

/// All of `file`; fails at `at`. `remedy`: what to give instead.
inline std::string read_text_file(const std::string& file, const origin& at, const char* remedy)
{
    const std::string quoted = "'" + file + "'";
    std::error_code none;
    if (std::filesystem::is_directory(file, none)) {
        fail(at, "", quoted + " is a folder", remedy);
    }
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    std::string text(longest_text_file + 1, '\0');
    if (in) {
        in.read(text.data(), static_cast<std::streamsize>(text.size()));
    }
    if (!in.is_open() || in.bad()) {
        const std::string why = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
        fail(at, "", quoted + " cannot be read" + why, remedy);
    }
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > longest_text_file) {
        fail(at, "", quoted + " is longer than 1 MiB", remedy);
    }
    return text;
}

} // namespace ssdvp::platform
