// SPDX-License-Identifier: Apache-2.0
#include "platform/control/output_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "platform/report/output_file.h"

namespace ssdvp::platform {

namespace {

namespace fs = std::filesystem;

struct named_file {
    named_file(std::string of, fs::path file) : what(std::move(of)), path(std::move(file))
    {
        std::error_code error;
        whole = fs::weakly_canonical(fs::absolute(path), error);
        whole = error ? fs::path() : whole;
        there = ::stat(path.c_str(), &status) == 0;
    }
    std::string what; // the option, or what else it is
    fs::path path;
    fs::path whole; // without links and ../; empty: not known
    bool there = false;
    struct stat status {};
};

bool same(const named_file& a, const named_file& b)
{
    if (a.there && b.there && a.status.st_dev == b.status.st_dev &&
        a.status.st_ino == b.status.st_ino) { // two links to one file too
        return true;
    }
    return !a.whole.empty() && a.whole == b.whole;
}

std::vector<named_file> inputs_of(const command_line& line,
                                  const std::vector<const resolved_config*>& read)
{
    std::set<std::string> configs(line.sources.files.begin(), line.sources.files.end());
    std::vector<named_file> files;
    const auto add = [&files](const char* what, const std::string& path) {
        std::error_code error;
        if (!path.empty() && fs::exists(path, error)) {
            files.emplace_back(what, path);
        }
    };
    for (const resolved_config* r : read) {
        for (const resolved_key& k : r->keys) { // also of the files that those extend
            configs.insert(k.from.substr(0, k.from.find(':')));
        }
        add("the trace of this run", r->config.workload.trace.file);
        add("the fio job file of this run", r->config.workload.fio.file);
    }
    for (const std::string& c : configs) {
        add("a configuration of this run", c);
    }
    add("--firmware", line.firmware);
    add("the timing of --firmware", line.firmware.empty() ? "" : line.firmware + ".timing");
    add("--kernel", line.machine.kernel);
    add("--initrd", line.machine.initrd);
    add("--bios", line.machine.bios);
    return files;
}

/// With their options.
std::vector<sink_set::file> written_whole(const std::vector<result_place>& places)
{
    std::vector<sink_set::file> files;
    for (const result_place& p : places) {
        for (const char* name : {"summary.json", "config.resolved.yaml"}) {
            files.push_back({"--out", p.directory / name});
        }
        if (p.sinks != nullptr) {
            std::vector<sink_set::file> reports = p.sinks->files();
            std::move(reports.begin(), reports.end(), std::back_inserter(files));
        }
    }
    return files;
}

/// What takes any number of writers, and keeps nothing: /dev/null, a terminal.
bool shared(const fs::path& path)
{
    std::error_code error;
    return fs::is_character_file(path, error);
}

} // namespace

void check_output_files(const command_line& line, const std::vector<const resolved_config*>& read,
                        const std::vector<result_place>& places)
{
    std::vector<named_file> taken = inputs_of(line, read);
    std::vector<named_file> outputs;
    for (const result_place& p : places) {
        outputs.emplace_back("--out", p.directory);
    }
    for (const sink_set::file& f : written_whole(places)) {
        (void)place_of(f.path, f.option);
        outputs.emplace_back(f.option, f.path);
    }
    for (const auto& [option, path] :
         {std::pair("--image", line.serve.image), std::pair("--nbd-unix", line.serve.unix_path)}) {
        if (!path.empty()) {
            outputs.emplace_back(option, path);
        }
    }
    for (named_file& f : outputs) {
        if (shared(f.path)) {
            continue;
        }
        for (const named_file& t : taken) {
            if (same(f, t)) {
                throw output_error(fmt::format("{} would overwrite {}, which is {} too; name "
                                               "another place with {}",
                                               f.what, t.path.string(), t.what, f.what));
            }
        }
        taken.push_back(std::move(f));
    }
}

std::vector<fs::path> partial_names(const command_line& line,
                                    const std::vector<result_place>& places)
{
    std::vector<fs::path> names;
    for (const sink_set::file& f : written_whole(places)) {
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
