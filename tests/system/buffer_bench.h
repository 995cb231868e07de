// SPDX-License-Identifier: Apache-2.0
//
// The worked sequences of the buffer's policies as traces for a whole drive.
#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace ssdvp::test {

/// "Wa Rb" writes sector 0 and reads sector 1 of the preset `tiny`, whose pages are sectors and
/// whose blocks have four; 20 ms apart, so that each is over before the next one. The last
/// unit is read once more in the end. The workload exists as long as this does.
class operations_file {
public:
    explicit operations_file(const std::string& operations)
        : m_folder(std::filesystem::temp_directory_path() /
                   fmt::format("ssdvp-buffer-{}", ::getpid()))
    {
        std::filesystem::create_directories(m_folder);
        std::ofstream trace(m_folder / "example.ssdsim");
        const auto put = [&](std::size_t i, char unit, bool read) {
            trace << i * 20'000'000 << " 0 " << unit - 'a' << " 1 " << (read ? 1 : 0) << "\n";
        };
        for (std::size_t i = 0; i + 1 < operations.size(); i += 3) {
            put(i / 3, operations[i + 1], operations[i] == 'R');
        }
        put(operations.size(), operations.back(), true);
        std::ofstream(file()) << "extends: device/tiny\nworkload: {trace: example.ssdsim}\n";
    }
    ~operations_file() { std::filesystem::remove_all(m_folder); }
    operations_file(const operations_file&) = delete;
    operations_file& operator=(const operations_file&) = delete;
    [[nodiscard]] std::string file() const { return (m_folder / "example.yaml").string(); }

private:
    std::filesystem::path m_folder;
};

} // namespace ssdvp::test
