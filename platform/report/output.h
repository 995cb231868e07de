// SPDX-License-Identifier: Apache-2.0
//
// Folders that a run writes to, and files that it writes in one step: a reader never sees half of
// one, and a failed run never damages an older one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platform/report/output_file.h"

namespace ssdvp::platform {

/// Folders that a run writes to. To be prepared before it starts: hours of simulation must not end
/// in "permission denied". Those that were made for a run which is refused are taken back.
class output_folders {
public:
    output_folders() = default;
    output_folders(const output_folders&) = delete;
    output_folders& operator=(const output_folders&) = delete;
    /// Removes those that it made and that are empty, unless keep() was called.
    ~output_folders();

    /// Makes `directory` if need be and proves that files can be written there. `option`: how a
    /// user names another one. Throws output_error.
    void prepare(const std::filesystem::path& directory, const char* option = "--out DIR");
    /// The run begins.
    void keep() { m_made.clear(); }

private:
    void make(const std::filesystem::path& directory, const std::string& remedy);

    std::vector<std::filesystem::path> m_made; // parents first
};

/// Replaces `file` by `contents` in one step. Throws write_error.
void write_file_atomically(const std::filesystem::path& file, std::string_view contents);

} // namespace ssdvp::platform
