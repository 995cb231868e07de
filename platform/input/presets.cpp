// SPDX-License-Identifier: Apache-2.0
#include "platform/input/presets.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "platform/input/nearest.h"

namespace ssdvp::platform {

namespace fs = std::filesystem;

std::string presets_folder(const std::string& asked)
{
    if (!asked.empty()) {
        return asked;
    }
    const char* environment = std::getenv("SSDVP_CONFIGS");
    if (environment != nullptr && *environment != '\0') {
        return environment;
    }
    return SSDVP_CONFIGS_FOLDER;
}

std::vector<std::string> preset_names(const std::string& folder)
{
    std::vector<std::string> names;
    std::error_code none;
    for (auto it = fs::recursive_directory_iterator(folder, none);
         it != fs::recursive_directory_iterator(); it.increment(none)) {
        if (it->is_regular_file() && it->path().extension() == ".yaml") {
            fs::path name = it->path().lexically_relative(folder);
            names.push_back(name.replace_extension().generic_string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool is_preset(const origin& at, const std::string& folder)
{
    if (at.line == 0 || folder.empty()) {
        return false; // of the command line
    }
    std::error_code none;
    const fs::path file = fs::absolute(at.label, none).lexically_normal();
    const fs::path below = file.lexically_relative(fs::absolute(folder, none).lexically_normal());
    return !below.empty() && *below.begin() != ".." && *below.begin() != ".";
}

std::string find_config(const std::string& name, const std::string& base, const std::string& folder,
                        const origin& at, const std::string& key)
{
    std::error_code none;
    const fs::path direct = base.empty() ? fs::path(name) : fs::path(base) / name;
    if (fs::is_regular_file(direct, none)) {
        return direct.lexically_normal().string();
    }
    for (const char* extension : {".yaml", ""}) {
        const fs::path preset = fs::path(folder) / (name + extension);
        if (!name.empty() && fs::is_regular_file(preset, none)) {
            return preset.lexically_normal().string();
        }
    }
    const std::string near = nearest(name, preset_names(folder));
    fail(at, key, fmt::format("no file '{}' and no preset of that name below {}", name, folder),
         near.empty() ? std::string("set SSDVP_CONFIGS to the folder of presets")
                      : fmt::format("did you mean '{}'?", near));
}

} // namespace ssdvp::platform
