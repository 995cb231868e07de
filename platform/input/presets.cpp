// SPDX-License-Identifier: Apache-2.0
#include "platform/input/presets.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "platform/input/nearest.h"

namespace ssdvp::platform {

namespace fs = std::filesystem;

namespace {

constexpr const char* presets_variable = "SSDVP_CONFIGS";

std::string named_presets()
{
    const char* named = std::getenv(presets_variable);
    return named == nullptr ? "" : named;
}

/// Where an installed program has its presets, wherever it was moved to: PREFIX/bin/ssdvp has them
/// in PREFIX/share/ssdvp/configs.
fs::path beside_program()
{
    std::error_code none;
    const fs::path program = fs::read_symlink("/proc/self/exe", none);
    return (program.parent_path() / ".." / "share" / "ssdvp" / "configs").lexically_normal();
}

} // namespace

std::string presets_folder(const std::string& asked)
{
    if (!asked.empty()) {
        return asked;
    }
    if (std::string named = named_presets(); !named.empty()) {
        return named;
    }
    std::error_code none;
    const fs::path beside = beside_program();
    return fs::is_directory(beside, none) ? beside.string() : SSDVP_CONFIGS_FOLDER;
}

void need_presets(const std::string& folder, const origin& at, const std::string& what)
{
    std::error_code none;
    if (fs::is_directory(folder, none)) {
        return;
    }
    if (folder == named_presets()) {
        fail(at, "",
             fmt::format("{}{} names {}, which is no folder", what, presets_variable, folder),
             fmt::format("unset {}, or name the folder of presets", presets_variable));
    }
    fail(at, "",
         fmt::format("{}no folder of presets: neither {} nor {} is there", what,
                     beside_program().string(), folder),
         fmt::format("install ssdvp anew, or set {} to the folder `configs` of its sources",
                     presets_variable));
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
    need_presets(folder, at, fmt::format("no file '{}', and ", name));
    const std::string near = nearest(name, preset_names(folder));
    fail(at, key, fmt::format("no file '{}' and no preset of that name below {}", name, folder),
         near.empty() ? std::string("set SSDVP_CONFIGS to the folder of presets")
                      : fmt::format("did you mean '{}'?", near));
}

} // namespace ssdvp::platform
