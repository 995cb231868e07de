// SPDX-License-Identifier: Apache-2.0
//
// A firmware image as a host downloads it, taken apart (firmware/hal/package.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ssdvp::platform {

struct package_parts { // of the package's bytes
    std::string_view image;
    std::string_view timing; // empty: it has none
};

/// Throws firmware_error; `name` is for messages.
[[nodiscard]] package_parts parts_of(const std::vector<unsigned char>& package,
                                     const std::string& name);

/// A file with these bytes, gone with this object.
class temporary_file {
public:
    explicit temporary_file(std::string_view bytes);
    ~temporary_file();
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;

    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

} // namespace ssdvp::platform
