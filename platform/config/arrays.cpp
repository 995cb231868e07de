// SPDX-License-Identifier: Apache-2.0
#include "platform/config/arrays.h"

#include <algorithm>
#include <fmt/format.h>

#include "models/host/raid/stripe.h"
#include "models/regs/parts/zones.h"
#include "platform/config/derived.h"
#include "platform/config/set_options.h"
#include "platform/input/nearest.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

std::string key_of(std::size_t array, const char* field)
{
    return fmt::format("raid.{}.{}", array, field);
}

std::vector<std::string> names_of_drives(const raw_tree& raw)
{
    std::vector<std::string> names;
    for (const raw_drive& d : raw.drives) {
        names.push_back(d.name);
    }
    return names;
}

const raw_entry& need(const raw_tree& raw, std::size_t array, const char* field)
{
    const raw_array& a = raw.arrays[array];
    const auto it = a.values.find(field);
    if (it == a.values.end()) {
        fail(a.at, key_of(array, field), "is missing",
             "write for example `- {name: md0, level: 0, drives: [a, b]}`");
    }
    return it->second;
}

void read_members(const raw_tree& raw, std::size_t index, const std::vector<named_array>& before,
                  named_array& a)
{
    const raw_entry& list = need(raw, index, "drives");
    const std::string key = key_of(index, "drives");
    const std::size_t n = list.items.size();
    if (!list.is_list || n < 2 || n > host::array_members_max) {
        fail(list.at, key, fmt::format("is not a list of 2 to {} drives", host::array_members_max),
             "write `drives: [a, b]` with names out of the list `drives`");
    }
    const std::vector<std::string> names = names_of_drives(raw);
    for (const std::string& name : list.items) {
        const auto it = std::find(names.begin(), names.end(), name);
        if (it == names.end()) {
            fail(list.at, key, fmt::format("there is no drive '{}'", name),
                 names.empty() ? std::string("write a list `drives`")
                               : fmt::format("did you mean '{}'?", nearest(name, names)));
        }
        const auto drive = static_cast<std::size_t>(it - names.begin());
        const named_array* other = array_of(before, drive);
        if (other != nullptr ||
            std::find(a.members.begin(), a.members.end(), drive) != a.members.end()) {
            fail(list.at, key,
                 fmt::format("drive '{}' is a member of array '{}' already", name,
                             other == nullptr ? a.config.name : other->config.name),
                 "name each drive once");
        }
        a.members.push_back(drive);
    }
}

void read_name(const raw_tree& raw, std::size_t index, const std::vector<named_array>& before,
               const named_array& a)
{
    const origin at = need(raw, index, "name").at;
    if (!is_drive_name(a.config.name)) {
        fail(at, key_of(index, "name"), "is not a name",
             "write a name of 1 to 32 letters, digits, '-' and '_'");
    }
    std::vector<std::string> taken = names_of_drives(raw);
    for (const named_array& other : before) {
        taken.push_back(other.config.name);
    }
    if (std::find(taken.begin(), taken.end(), a.config.name) != taken.end()) {
        fail(at, key_of(index, "name"),
             fmt::format("'{}' is the name of another drive or array too", a.config.name),
             "give each a name of its own");
    }
}

/// Where a stream says that, or where the workload is.
origin place_of(const raw_tree& raw, std::size_t stream, const std::string& key)
{
    const raw_map& fields = raw.workload.streams[stream];
    const auto it = fields.find(key);
    if (it != fields.end()) {
        return it->second.at;
    }
    return fields.empty() ? raw.workload.at : fields.begin()->second.at;
}

void check_stream_target(const raw_tree& raw, const std::vector<named_array>& arrays,
                         std::size_t stream, const raw_entry& entry)
{
    const std::string key = fmt::format("workload.{}.drive", stream);
    const std::string& name = entry.items.front();
    std::vector<std::string> names = names_of_drives(raw);
    if (names.empty()) {
        fail(entry.at, key, "there is no list of drives", "write `drives`, or remove it");
    }
    const auto it = std::find(names.begin(), names.end(), name);
    if (it != names.end()) {
        const auto drive = static_cast<std::size_t>(it - names.begin());
        if (const named_array* a = array_of(arrays, drive)) {
            fail(entry.at, key,
                 fmt::format("drive '{}' is a member of array '{}'", name, a->config.name),
                 fmt::format("write `drive: {}`", a->config.name));
        }
        return;
    }
    for (const named_array& a : arrays) {
        names.push_back(a.config.name);
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        fail(entry.at, key,
             fmt::format("there is no drive '{}'{}", name, arrays.empty() ? "" : ", and no array"),
             fmt::format("did you mean '{}'?", nearest(name, names)));
    }
}

void check_used(const raw_tree& raw, const std::vector<named_array>& arrays)
{
    for (std::size_t i = 0; i < raw.drives.size(); ++i) {
        const raw_drive& d = raw.drives[i];
        if (array_of(arrays, i) == nullptr && streams_of(raw, d.name, i == 0).streams.empty()) {
            fail(d.at, fmt::format("drives.{}", i),
                 fmt::format("no stream of the workload names drive '{}'", d.name),
                 fmt::format("give a stream `drive: {}`, or remove the drive", d.name));
        }
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const std::string& name = arrays[i].config.name;
        if (streams_of(raw, name, false).streams.empty()) {
            fail(raw.arrays[i].at, fmt::format("raid.{}", i),
                 fmt::format("no stream of the workload names array '{}'", name),
                 fmt::format("give a stream `drive: {}`, or remove the array", name));
        }
    }
}

std::uint64_t capacity_of(const named_array& a, const std::vector<named_drive>& drives)
{
    std::uint64_t smallest = UINT64_MAX;
    for (const std::size_t m : a.members) {
        smallest = std::min(smallest, host_bytes(drives[m].resolved.config) / sector_size);
    }
    return host::array_capacity(a.config, a.members.size(), smallest) * sector_size;
}

/// Its streams within its capacity. Other rules of streams were checked with its members.
void check_ranges(const raw_tree& raw, const named_array& a, std::uint64_t capacity)
{
    std::size_t at = 0; // among the streams of the array
    for (std::size_t i = 0; i < raw.workload.streams.size(); ++i) {
        const auto named = raw.workload.drives.find(i);
        if (named == raw.workload.drives.end() || named->second.items.front() != a.config.name) {
            continue;
        }
        const host::stream_config& s = a.workload.streams[at++];
        const auto reject = [&](const char* field, const std::string& what) {
            fail(place_of(raw, i, field), fmt::format("workload.{}.{}", i, field),
                 fmt::format("{} of the {} bytes of array '{}'", what, capacity, a.config.name),
                 "use a smaller range or block_size, or larger drives");
        };
        const std::uint64_t end =
            s.range_size == 0 ? std::max(capacity, s.range_start) : s.range_start + s.range_size;
        if (s.range_start >= capacity) {
            reject("range.start", "is not one");
        }
        if (end > capacity) {
            reject("range.size", "ends beyond the last");
        }
        if (s.block_size > end - s.range_start) {
            reject("block_size", "is larger than the range");
        }
        const bool stack =
            s.pattern == host::pattern_kind::lru || s.pattern == host::pattern_kind::hclru;
        if (stack && (end - s.range_start) / s.block_size > host::lru_blocks_max) {
            reject("pattern", fmt::format("an LRU stack holds {} blocks at most: fewer than those",
                                          host::lru_blocks_max));
        }
    }
}

/// The array knows what its sectors hold when the run begins.
void check_fill(const raw_tree& raw, std::size_t index, const named_array& a,
                const std::vector<named_drive>& drives)
{
    const ssd_config& first = drives[a.members.front()].resolved.config;
    const double fill = first.precondition.fill;
    const bool part = fill != 0.0 && fill != 1.0;
    const origin at = need(raw, index, "drives").at;
    const std::string key = key_of(index, "drives");
    if (part && a.config.level == host::raid_level::stripe) {
        fail(at, key,
             fmt::format("precondition.fill is {}: what part of level 0 that is depends on "
                         "the chunks",
                         fill),
             "set precondition.fill to 0 or 1 for its drives");
    }
    for (const std::size_t m : a.members) {
        const ssd_config& c = drives[m].resolved.config;
        const bool alike =
            c.ftl.map_unit == first.ftl.map_unit && user_units(c) == user_units(first);
        if (c.precondition.fill != fill || (part && !alike)) {
            fail(at, key,
                 fmt::format("drives '{}' and '{}' are not filled alike",
                             drives[a.members.front()].name, drives[m].name),
                 part ? "set precondition.fill to 0 or 1, or use equal drives"
                      : "give them the same precondition.fill");
        }
        if (c.data != first.data) {
            fail(at, key,
                 fmt::format("drives '{}' and '{}' differ in `data`",
                             drives[a.members.front()].name, drives[m].name),
                 "write `data` outside of the list of drives");
        }
        if (c.zones->size != 0) {
            fail(at, key, fmt::format("drive '{}' is zoned", drives[m].name),
                 "an array rewrites any sector: leave host.nvme.zns.zone_size out");
        }
    }
}

/// An array runs as a whole, and has no flash whose steady state could be waited for.
void check_array_ends(const named_array& array, const std::vector<named_drive>& drives)
{
    for (const std::size_t member : array.members) {
        for (const resolved_key& k : drives[member].resolved.keys) {
            if (k.key == "run.until" && k.value == "steady") {
                fail({k.from, 0, 0}, k.key,
                     fmt::format("drive '{}' is a member of an array, which runs until its limits",
                                 drives[member].name),
                     "use run.until: limit with run.requests or run.duration, and "
                     "precondition.until: steady");
            }
        }
    }
}

} // namespace

std::vector<named_array> read_arrays(const raw_tree& raw)
{
    std::vector<named_array> arrays;
    for (std::size_t i = 0; i < raw.arrays.size(); ++i) {
        raw_map fields = raw.arrays[i].values;
        fields.erase("drives");
        const std::string shown = fmt::format("raid.{}.", i);
        named_array a;
        need(raw, i, "level");
        set_all(raid_table(), fields, shown, a.config);
        check_relevant(raid_table(), fields, shown, a.config);
        read_name(raw, i, arrays, a);
        read_members(raw, i, arrays, a);
        arrays.push_back(std::move(a));
    }
    return arrays;
}

const named_array* array_of(const std::vector<named_array>& arrays, std::size_t drive)
{
    for (const named_array& a : arrays) {
        if (std::find(a.members.begin(), a.members.end(), drive) != a.members.end()) {
            return &a;
        }
    }
    return nullptr;
}

raw_workload streams_of(const raw_tree& raw, const std::string& name, bool first)
{
    raw_workload w;
    w.given = true;
    w.at = raw.workload.at;
    for (std::size_t i = 0; i < raw.workload.streams.size(); ++i) {
        const auto named = raw.workload.drives.find(i);
        const bool here =
            named == raw.workload.drives.end() ? first : named->second.items.front() == name;
        if (!here) {
            continue;
        }
        w.streams.push_back(raw.workload.streams[i]);
        if (w.streams.back().count("name") == 0) { // as it is called in the whole workload
            w.streams.back()["name"] = {{fmt::format("stream{}", i)}, false, raw.workload.at};
        }
    }
    return w;
}

raw_workload streams_of_member(const raw_tree& raw, const named_array& array)
{
    raw_workload w = streams_of(raw, array.config.name, false);
    for (raw_map& fields : w.streams) {
        fields.erase("range.start");
        fields.erase("range.size");
    }
    return w;
}

void check_targets(const raw_tree& raw, const std::vector<named_array>& arrays)
{
    for (const auto& [stream, entry] : raw.workload.drives) {
        check_stream_target(raw, arrays, stream, entry);
    }
    if (raw.drives.empty()) {
        return;
    }
    if (raw.workload.streams.empty()) {
        fail(raw.workload.at, "workload", "a trace or fio job file goes to one drive",
             "write a list of streams, or remove `drives`");
    }
    const named_array* first = array_of(arrays, 0);
    for (std::size_t i = 0; first != nullptr && i < raw.workload.streams.size(); ++i) {
        if (raw.workload.drives.count(i) == 0) {
            fail(place_of(raw, i, "name"), fmt::format("workload.{}", i),
                 fmt::format("names no drive, and the first, '{}', is a member of array '{}'",
                             raw.drives.front().name, first->config.name),
                 fmt::format("write `drive: {}`", first->config.name));
        }
    }
    check_used(raw, arrays);
}

void check_member(const raw_tree& raw, const raw_tree& one, std::size_t drive,
                  const named_drive& resolved)
{
    for (const char* key : {"run.requests", "run.duration", "run.warmup"}) {
        const auto own = one.values.find(key);
        const auto all = raw.values.find(key);
        const bool same = own == one.values.end()
                              ? all == raw.values.end()
                              : all != raw.values.end() && own->second.items == all->second.items;
        if (!same) {
            fail(own == one.values.end() ? raw.drives[drive].at : own->second.at,
                 fmt::format("drives.{}.{}", drive, key),
                 fmt::format("drive '{}' is a member of an array, which runs as a whole",
                             resolved.name),
                 "write it outside of the list of drives");
        }
    }
}

void complete_array(const raw_tree& raw, std::size_t index, const std::vector<named_drive>& drives,
                    named_array& array)
{
    check_fill(raw, index, array, drives);
    check_array_ends(array, drives);
    const ssd_config& first = drives[array.members.front()].resolved.config;
    array.config.data = first.data;
    array.run = first.run;
    ssd_config whole; // outside of the list
    set_all(option_table(), raw.values, "", whole);
    array.run.seed = whole.run.seed;
    const raw_workload w = streams_of(raw, array.config.name, false);
    for (std::size_t i = 0; i < w.streams.size(); ++i) {
        set_all(stream_table(), w.streams[i], fmt::format("workload.{}.", i),
                array.workload.streams.emplace_back());
    }
    check_ranges(raw, array, capacity_of(array, drives));
}

} // namespace ssdvp::platform
