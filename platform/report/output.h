// SPDX-License-Identifier: Apache-2.0
//
// Files that a run writes. Each is written beside its name and renamed, so that a reader never
// sees half of one and a failed run never damages an older one.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ssdvp::platform {

/// An output that cannot be written. what() says why and what to do about it.
class output_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Makes `directory` if need be and proves that files can be written there. To be called before a
/// run starts: hours of simulation must not end in "permission denied".
void prepare_output_dir(const std::filesystem::path& directory);

/// Replaces `file` by `contents` in one step.
void write_file_atomically(const std::filesystem::path& file, std::string_view contents);

/// The name beside `file` under which it is written until it is whole.
[[nodiscard]] std::filesystem::path partial_name(const std::filesystem::path& file);

} // namespace ssdvp::platform
