// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

namespace ssdvp::report_test {

/// A folder of this test's own, gone afterwards.
class scratch {
public:
    scratch()
    {
        std::string name =
            (std::filesystem::temp_directory_path() / "ssdvp-report-XXXXXX").string();
        m_path = ::mkdtemp(name.data());
    }
    ~scratch() { std::filesystem::remove_all(m_path); }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::size_t files() const
    {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(m_path),
                                                      std::filesystem::directory_iterator()));
    }

private:
    std::filesystem::path m_path;
};

} // namespace ssdvp::report_test
