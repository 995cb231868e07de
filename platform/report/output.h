// SPDX-License-Identifier: Apache-2.0
//
// Files that a run writes. Each is written beside its name and renamed, so that a reader never
// sees half of one and a failed run never damages an older one.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ssdvp::platform {

/// An output that cannot be written. what() says why and what to do about it.
class output_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

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

/// Replaces `file` by `contents` in one step.
void write_file_atomically(const std::filesystem::path& file, std::string_view contents);

/// The name beside `file` under which it is written until it is whole.
[[nodiscard]] std::filesystem::path partial_name(const std::filesystem::path& file);

} // namespace ssdvp::platform
