// SPDX-License-Identifier: Apache-2.0
//
// An output that is compressed as its name ends: .zst, .gz, or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "platform/report/gzip_blocks.h"

namespace ssdvp::platform {

class compressed_file {
public:
    /// Throws output_error. `option`: where the name came from.
    compressed_file(const std::filesystem::path& file, const char* option,
                    int gzip_level = gzip_blocks::usual_level);
    /// What was not finished is gone, as of output_file.
    ~compressed_file();
    compressed_file(const compressed_file&) = delete;
    compressed_file& operator=(const compressed_file&) = delete;

    /// Keeps the first error for finish(); after one, nothing is written.
    void write(std::string_view text);
    [[nodiscard]] bool failed() const;
    /// Gives the file its name. Throws write_error when any of it failed.
    void finish();

private:
    struct chain;
    std::unique_ptr<chain> m_chain;
};

} // namespace ssdvp::platform
