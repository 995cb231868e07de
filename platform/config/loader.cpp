// SPDX-License-Identifier: Apache-2.0
#include "platform/config/loader.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "models/regs/parts/zones.h"
#include "platform/config/arrays.h"
#include "platform/config/derived.h"
#include "platform/config/ideal.h"
#include "platform/config/idle_keys.h"
#include "platform/config/option.h"
#include "platform/config/preset_fit.h"
#include "platform/config/raw.h"
#include "platform/config/reduced.h"
#include "platform/config/rules.h"
#include "platform/config/set_options.h"
#include "platform/config/tree.h"
#include "platform/fio/job_arguments.h"
#include "platform/fio/jobs.h"
#include "platform/input/presets.h"
#include "platform/input/sha256.h"

namespace ssdvp::platform {
namespace {

/// ATA has no field that tells a driver the largest transfer: Linux 6.1 sends up to 1280 KiB
/// (BLK_DEF_MAX_SECTORS), and a drive that takes less would fail such commands.
void widen_transfers(raw_tree& raw)
{
    const std::string key = "host.sata.max_transfer_size";
    const auto kind = raw.values.find("host.interface");
    if (kind != raw.values.end() && kind->second.items == std::vector<std::string>{"sata"} &&
        raw.values.count(key) == 0) {
        merge_setting(raw, key, "2MiB", "ssdvp guest");
    }
}

void read_settings(raw_tree& raw, const config_sources& sources)
{
    for (const std::string& set : sources.sets) {
        const std::string label = "--set " + set;
        const auto equals = set.find('=');
        if (equals == std::string::npos) {
            fail({label, 0, 0}, set, "has no '='", "write --set key=value");
        }
        merge_setting(raw, set.substr(0, equals), set.substr(equals + 1), label);
    }
    for (const config_override& o : sources.overrides) {
        merge_setting(raw, o.key, o.value, o.label);
    }
    if (sources.guest) {
        widen_transfers(raw);
    }
}

/// --power-cut takes the place of whatever cuts the files name.
void read_power_cut(raw_tree& raw, const std::string& text)
{
    const std::string label = "--power-cut " + text;
    const auto equals = text.find('=');
    const std::string kind = text.substr(0, equals);
    const std::string group = "power.cut.";
    if (equals == std::string::npos || (kind != "at" && kind != "every" && kind != "random")) {
        fail({label, 0, 0}, "power.cut", fmt::format("'{}' is no kind of power cut", kind),
             "write at=5ms, at=5ms,20ms, every=1000 or random=100");
    }
    for (const char* other : {"at", "every", "random"}) {
        raw.values.erase(group + other);
    }
    const std::string value = text.substr(equals + 1);
    const bool list = value.find(',') != std::string::npos && value.front() != '[';
    merge_setting(raw, group + kind, list ? "[" + value + "]" : value, label);
}

void set_trace(raw_tree& raw, const char* key, const std::string& value, const std::string& label)
{
    if (raw.workload.trace.empty()) {
        fail({label, 0, 0}, fmt::format("workload.{}", key), "the workload is not a trace",
             "give --trace FILE too");
    }
    raw.workload.trace[key] = {{value}, false, {label, 0, 0}};
}

/// --trace takes the place of the workload that the files name.
void replace_workload(raw_tree& raw, const std::string& trace)
{
    const std::string label = "--trace " + trace;
    const std::string mark = ",format=";
    const auto cut = trace.rfind(mark);
    raw.workload = {};
    raw.workload.given = true;
    raw.workload.at = {label, 0, 0};
    raw.workload.trace["trace"] = {{trace.substr(0, cut)}, false, raw.workload.at};
    if (cut != std::string::npos) {
        set_trace(raw, "format", trace.substr(cut + mark.size()), label);
    }
}

void read_trace_options(raw_tree& raw, const config_sources& sources)
{
    if (!sources.trace_replay.empty()) {
        const std::string label = "--trace-replay " + sources.trace_replay;
        const auto cut = sources.trace_replay.find('=');
        set_trace(raw, "replay", sources.trace_replay.substr(0, cut), label);
        raw.workload.trace.erase("scale");
        if (cut != std::string::npos) {
            set_trace(raw, "scale", sources.trace_replay.substr(cut + 1), label);
        }
    }
    if (!sources.trace_fit.empty()) {
        set_trace(raw, "fit", sources.trace_fit, "--trace-fit " + sources.trace_fit);
    }
    if (!sources.trace_device.empty()) {
        set_trace(raw, "device", sources.trace_device, "--trace-device " + sources.trace_device);
    }
}

/// --fio, the same.
void replace_by_jobs(raw_tree& raw, const config_sources& sources)
{
    const bool line = !sources.fio_arguments.empty();
    const std::string jobs = line ? fio::command_line_of(sources.fio_arguments) : sources.fio;
    const origin at{(line ? "-- " : "--fio ") + jobs, 0, 0};
    if (!sources.trace.empty()) {
        fail(at, "workload", "there is --trace too", "give one of them");
    }
    raw.workload = {};
    raw.workload.given = true;
    raw.workload.at = at;
    raw.workload.fio["fio"] = {{jobs}, false, at};
}

/// The drive as its host's driver presents it: of zones, what can be written of them.
fio::target target_of(const ssd_config& c)
{
    const std::uint64_t zones = c.zones->size == 0 ? 0 : logical_bytes(c) / c.zones->size;
    return {zones != 0 ? zones * c.zones->capacity : host_bytes(c), c.data, c.zones->capacity,
            c.zones->size, !is_sata(c) || c.driver.sata.queued};
}

/// When the first of the jobs begins, with its startdelay: what is before is not measured.
sim_time first_arrival(const std::vector<host::fio_job>& jobs)
{
    sim_time first = jobs.front().delay;
    for (const host::fio_job& j : jobs) {
        if (j.phase == 0 && j.after.second == 0) {
            first = earlier(first, j.delay);
        }
    }
    return first;
}

/// fio's jobs, once the size of the drive is known. Their ramp_time is the warm-up.
void read_fio(const raw_tree& raw, ssd_config& c, const std::string& presets)
{
    if (raw.workload.fio.empty()) {
        return;
    }
    c.workload.fio = fio::read_jobs(c.workload.fio.file, target_of(c));
    c.driver.stream_priorities.assign(c.workload.fio.jobs.size(), host::priority_class::unset);
    const sim_time ramp = c.workload.fio.jobs.front().ramp;
    const sim_time unmeasured = first_arrival(c.workload.fio.jobs) + ramp;
    const auto given = raw.values.find("run.warmup");
    const bool own = given != raw.values.end() && !is_preset(given->second.at, presets) &&
                     (c.run.warmup_requests != 0 || c.run.warmup != sim_time());
    const bool same = c.run.warmup == ramp || c.run.warmup == unmeasured; // as resolved before
    if (own && ramp != sim_time() && !same) {
        fail(given->second.at, "run.warmup", "the jobs have a ramp_time", "remove one of them");
    }
    if (unmeasured == sim_time() || (own && ramp == sim_time())) {
        return;
    }
    c.run.warmup = unmeasured;
    c.run.warmup_requests = 0;
}

void set_workload(const raw_tree& raw, host::workload_config& w, const std::string& presets)
{
    if (!raw.workload.fio.empty()) {
        set_all(fio_table(), raw.workload.fio, "workload.", w.fio);
        std::error_code none;
        if (!fio::is_command_line(w.fio.file) &&
            !std::filesystem::is_regular_file(w.fio.file, none)) {
            fail(raw.workload.fio.at("fio").at, "workload.fio",
                 fmt::format("no file '{}'", w.fio.file),
                 "give the path of a fio job file, or --name=a --rw=randread");
        }
        return;
    }
    if (!raw.workload.trace.empty()) {
        const raw_map& fields = raw.workload.trace;
        set_all(trace_table(), fields, "workload.", w.trace);
        check_relevant(trace_table(), fields, "workload.", w.trace, presets);
        std::error_code none;
        const auto file = fields.find("trace");
        if (!std::filesystem::is_regular_file(w.trace.file, none)) {
            fail(file == fields.end() ? raw.workload.at : file->second.at, "workload.trace",
                 fmt::format("no file '{}'", w.trace.file), "give the path of a trace file");
        }
        return;
    }
    for (std::size_t i = 0; i < raw.workload.streams.size(); ++i) {
        const raw_map& fields = raw.workload.streams[i];
        const std::string shown = fmt::format("workload.{}.", i);
        host::stream_config& stream = w.streams.emplace_back();
        set_all(stream_table(), fields, shown, stream);
        check_relevant(stream_table(), fields, shown, stream, presets);
    }
}

raw_tree read_all(const config_sources& sources)
{
    raw_tree raw;
    const std::string folder = presets_folder(sources.configs_dir);
    for (const std::string& file : sources.files) {
        merge_file(raw, file, folder);
    }
    if (!sources.trace.empty()) {
        replace_workload(raw, sources.trace);
    }
    if (!sources.fio.empty() || !sources.fio_arguments.empty()) {
        replace_by_jobs(raw, sources);
    }
    read_settings(raw, sources);
    if (!sources.power_cut.empty()) {
        read_power_cut(raw, sources.power_cut);
    }
    read_trace_options(raw, sources);
    if (!raw.workload.given) {
        raw.workload.given = true;
        raw.workload.at = {"default", 0, 0};
        raw.workload.streams = default_streams();
        if (sources.guest) { // it never runs: reads are what every drive takes
            raw.workload.streams.front()["read_fraction"].items = {"1"};
        }
    }
    return raw;
}

std::string place(const raw_map& fields, const std::string& key)
{
    const auto it = fields.find(key);
    return it == fields.end() ? "default" : it->second.at.text();
}

std::string place(const raw_tree& raw, const std::string& key)
{
    const std::string group = "workload.";
    if (key.compare(0, group.size(), group) != 0) {
        return place(raw.values, key);
    }
    const std::string field = key.substr(group.size());
    if (!raw.workload.fio.empty()) {
        return place(raw.workload.fio, field);
    }
    if (!raw.workload.trace.empty()) {
        return place(raw.workload.trace, field);
    }
    const auto dot = field.find('.');
    const std::size_t index = std::stoul(field.substr(0, dot));
    return place(raw.workload.streams.at(index), field.substr(dot + 1));
}

} // namespace

namespace {

resolved_config resolve_whole(raw_tree raw, const config_sources& sources)
{
    resolved_config r;
    set_all(option_table(), raw.values, "", r.config);
    const std::string presets = presets_folder(sources.configs_dir);
    set_workload(raw, r.config.workload, presets);
    preset_fit fit(raw, presets);
    complete(raw, r.config, fit);
    read_fio(raw, r.config, presets);
    check_interface(raw, r.config, presets);
    r.idle = idle_keys(raw, r.config, sources.own_firmware, presets);
    check(raw, r.config);
    fit_firmware(raw, r.config, sources.firmware, fit);
    check_workload(raw, r.config);
    for (const auto& more : {fit.notices(), waiting_requests(raw, r.config)}) {
        r.idle.insert(r.idle.end(), more.begin(), more.end());
    }
    for (const key_text& k : tree_of(r.config)) {
        r.keys.push_back({k.key, k.value, place(raw, k.key)});
    }
    return r;
}

/// With the drive that the run takes. What is shown is the one that was asked for.
resolved_config resolve_tree(raw_tree raw, const config_sources& sources)
{
    resolved_config asked = resolve_whole(raw, sources);
    if (asked.config.run.ideal == ideal_part::firmware) {
        raw = with_ideal_policies(raw, asked.config);
        asked = resolve_whole(raw, sources);
    }
    if (asked.config.run.reduced == 1) {
        return asked;
    }
    resolved_config taken = resolve_whole(reduced(raw, asked.config), sources);
    taken.config.run.reduced = asked.config.run.reduced;
    taken.config.whole = std::make_shared<const ssd_config>(asked.config);
    taken.keys = std::move(asked.keys);
    taken.idle = std::move(asked.idle);
    return taken;
}

/// The tree as one of the drives sees it.
raw_tree tree_for(const raw_tree& raw, std::size_t drive, const named_array* array,
                  const config_sources& sources)
{
    const raw_drive& d = raw.drives[drive];
    raw_tree one = raw;
    if (!d.config.items.empty()) {
        const std::string beside = std::filesystem::path(d.config.at.label).parent_path().string();
        const std::string folder = presets_folder(sources.configs_dir);
        merge_file(one,
                   find_config(d.config.items.front(), beside, folder, d.config.at,
                               fmt::format("drives.{}.config", drive)),
                   folder);
        one.name = raw.name;
    }
    for (const auto& [key, entry] : d.values) {
        if (!entry.is_list && entry.items.front() == "default") {
            one.values.erase(key);
        } else {
            one.values[key] = entry;
        }
    }
    one.drives.clear();
    one.arrays.clear();
    one.workload =
        array != nullptr ? streams_of_member(raw, *array) : streams_of(raw, d.name, drive == 0);
    return one;
}

/// What is of the whole run, or not there for several drives.
void check_drive(const raw_drive& d, const raw_tree& one, const ssd_config& c)
{
    if (c.run.reduced != 1) {
        rejection{one}("run.reduced", fmt::format("drive '{}' is one of a list", d.name),
                       "reduce a drive of a run of its own, without `drives`");
    }
    if (c.run.sampling.windows != 0) {
        rejection{one}("run.sampling.windows", fmt::format("drive '{}' is one of a list", d.name),
                       "sample a run of one drive, without `drives`");
    }
    if (c.power.any()) {
        for (const auto& [key, entry] : one.values) {
            if (key.compare(0, 6, "power.") == 0) {
                fail(entry.at, key, fmt::format("drive '{}' is one of a list", d.name),
                     "cut the power of a run of one drive, without `drives`");
            }
        }
    }
}

} // namespace

run_plan resolve_run(const config_sources& sources)
{
    const raw_tree raw = read_all(sources);
    run_plan plan;
    plan.arrays = read_arrays(raw);
    check_targets(raw, plan.arrays);
    if (raw.drives.empty()) {
        plan.drives.push_back({"", resolve_tree(raw, sources)});
    }
    for (std::size_t i = 0; i < raw.drives.size(); ++i) {
        const named_array* array = array_of(plan.arrays, i);
        const raw_tree one = tree_for(raw, i, array, sources);
        plan.drives.push_back({raw.drives[i].name, resolve_tree(one, sources)});
        check_drive(raw.drives[i], one, plan.drives.back().resolved.config);
        if (array != nullptr) {
            check_member(raw, one, i, plan.drives.back());
        }
    }
    for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
        complete_array(raw, i, plan.drives, plan.arrays[i]);
    }
    return plan;
}

std::vector<std::pair<std::string, std::string>> overrides_of(const resolved_config& r)
{
    std::vector<std::pair<std::string, std::string>> given;
    for (const resolved_key& k : r.keys) {
        if (k.from.rfind("--", 0) == 0) {
            given.emplace_back(k.key, k.value);
        }
    }
    return given;
}

resolved_config resolve(const config_sources& sources)
{
    const raw_tree raw = read_all(sources);
    check_targets(raw, read_arrays(raw));
    if (!raw.drives.empty()) {
        fail(raw.drives.front().at, "drives", "this command takes one drive",
             "remove the list, or use `ssdvp run` or `ssdvp check`");
    }
    return resolve_tree(raw, sources);
}

ssd_config load(const config_sources& sources)
{
    return resolve(sources).config;
}

std::string config_sha256(const ssd_config& c)
{
    return sha256(resolved_yaml(c));
}

std::string cells_sha256(const ssd_config& c)
{
    std::string text;
    for (const key_text& k : tree_of(c)) {
        for (const char* group : {"nand.", "flash.", "ftl.", "write.", "run.seed"}) {
            text += k.key.rfind(group, 0) == 0 ? k.key + ": " + k.value + "\n" : "";
        }
    }
    return sha256(text);
}

} // namespace ssdvp::platform
