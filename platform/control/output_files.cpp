// SPDX-License-Identifier: Apache-2.0
#include "platform/control/output_files.h"

#include <fmt/format.h>
#include <set>
#include <vector>

#include "platform/report/output.h"

namespace ssdvp::platform {

namespace {

namespace fs = std::filesystem;

struct named_file {
    std::string what; // the option, or what else it is
    fs::path path;
};

bool same(const fs::path& a, const fs::path& b)
{
    std::error_code error;
    if (fs::equivalent(a, b, error)) { // two links to one file too
        return true;
    }
    const fs::path whole_a = fs::weakly_canonical(fs::absolute(a), error);
    const fs::path whole_b = fs::weakly_canonical(fs::absolute(b), error);
    return !error && whole_a == whole_b;
}

std::vector<named_file> inputs_of(const command_line& line, const resolved_config& resolved)
{
    std::set<std::string> configs(line.sources.files.begin(), line.sources.files.end());
    for (const resolved_key& k : resolved.keys) { // also of the files that those extend
        configs.insert(k.from.substr(0, k.from.find(':')));
    }
    std::vector<named_file> files;
    const auto add = [&files](const char* what, const std::string& path) {
        std::error_code error;
        if (!path.empty() && fs::exists(path, error)) {
            files.push_back({what, path});
        }
    };
    for (const std::string& c : configs) {
        add("a configuration of this run", c);
    }
    add("the trace of this run", resolved.config.workload.trace.file);
    add("the fio job file of this run", resolved.config.workload.fio.file);
    add("--firmware", line.firmware);
    add("the timing of --firmware", line.firmware.empty() ? "" : line.firmware + ".timing");
    add("--kernel", line.machine.kernel);
    add("--initrd", line.machine.initrd);
    add("--bios", line.machine.bios);
    return files;
}

/// Their options; those whose files lie in a folder are there with all of them.
std::vector<named_file> written_whole(const command_line& line, const fs::path& directory)
{
    std::vector<named_file> files;
    const auto add = [&files](const char* what, const fs::path& path) {
        if (!path.empty()) {
            files.push_back({what, path});
        }
    };
    for (const char* name : {"summary.json", "latency.csv", "config.resolved.yaml"}) {
        add("--out", directory / name);
    }
    if (line.output_format == "fio") {
        add("--out", directory / "fio.json");
    }
    if (!line.fw_profile.empty()) {
        for (const char* name :
             {"instructions.folded", "cycles.folded", "functions.csv", "commands.csv"}) {
            add("--fw-profile", fs::path(line.fw_profile) / name);
        }
    }
    add("--requests-log", line.requests_log);
    add("--record", line.record);
    add("--ftl-series", line.ftl_series);
    return files;
}

/// What takes any number of writers, and keeps nothing: /dev/null, a terminal.
bool shared(const fs::path& path)
{
    std::error_code error;
    return fs::is_character_file(path, error);
}

} // namespace

void check_output_files(const command_line& line, const resolved_config& resolved,
                        const fs::path& directory)
{
    std::vector<named_file> taken = inputs_of(line, resolved);
    std::vector<named_file> outputs = {{"--out", directory}};
    for (const named_file& f : written_whole(line, directory)) {
        (void)place_of(f.path, f.what.c_str());
        outputs.push_back(f);
    }
    outputs.push_back({"--image", line.serve.image});
    outputs.push_back({"--nbd-unix", line.serve.unix_path});
    for (const named_file& f : outputs) {
        if (f.path.empty() || shared(f.path)) {
            continue;
        }
        for (const named_file& t : taken) {
            if (same(f.path, t.path)) {
                throw output_error(fmt::format("{} would overwrite {}, which is {} too; name "
                                               "another place with {}",
                                               f.what, t.path.string(), t.what, f.what));
            }
        }
        taken.push_back(f);
    }
}

std::vector<fs::path> partial_names(const command_line& line, const fs::path& directory)
{
    std::vector<fs::path> names;
    for (const named_file& f : written_whole(line, directory)) {
        if (fs::path name = partial_name(f.path); !name.empty()) {
            names.push_back(std::move(name));
        }
    }
    if (!line.serve.unix_path.empty()) {
        names.emplace_back(line.serve.unix_path);
    }
    return names;
}

} // namespace ssdvp::platform
