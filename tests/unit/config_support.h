// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/loader.h"

namespace ssdvp::platform::test {

namespace fs = std::filesystem;

/// A folder that lives as long as the object.
class scratch {
public:
    scratch()
    {
        std::string name = (fs::temp_directory_path() / "ssdvp-config-XXXXXX").string();
        m_path = mkdtemp(name.data());
    }
    ~scratch()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    std::string write(const std::string& name, const std::string& text) const
    {
        const fs::path file = m_path / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file.string();
    }
    [[nodiscard]] std::string path() const { return m_path.string(); }

private:
    fs::path m_path;
};

inline config_sources with_sets(std::vector<std::string> sets)
{
    config_sources s;
    s.sets = std::move(sets);
    return s;
}

/// The message of the config_error that loading throws; empty when it loads.
inline std::string error_of(const config_sources& sources)
{
    try {
        load(sources);
    } catch (const config_error& e) {
        return e.what();
    }
    return {};
}

inline std::string error_of_text(const std::string& yaml)
{
    const scratch dir;
    config_sources s;
    s.files = {dir.write("c.yaml", yaml)};
    std::string message = error_of(s);
    const std::string prefix = dir.path() + "/";
    for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
        message.erase(at, prefix.size());
    }
    return message;
}

inline ssd_config load_text(const std::string& yaml)
{
    const scratch dir;
    config_sources s;
    s.files = {dir.write("c.yaml", yaml)};
    return load(s);
}

} // namespace ssdvp::platform::test
