// SPDX-License-Identifier: Apache-2.0
#include "platform/config/raw.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "platform/config/key_index.h"
#include "platform/config/option.h"
#include "platform/input/documents.h"
#include "platform/input/nearest.h"
#include "platform/input/presets.h"

namespace ssdvp::platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* default_label = "default";
constexpr std::size_t most_items = 4096;   // of a list of values
constexpr std::size_t most_streams = 1024; // as jobs of fio
constexpr std::size_t most_drives = 16;

/// Keys whose value is a file's path.
bool is_path(const std::string& name)
{
    return name == "trace" || name == "fio";
}

/// Reads one document into a raw tree. Positions are those of `m_file`, or the label alone when the
/// document is the value of a command-line option.
class reader {
public:
    reader(raw_tree& tree, std::string label, bool has_positions)
        : m_tree(tree), m_label(std::move(label)), m_has_positions(has_positions)
    {}

    void read(const YAML::Node& root)
    {
        if (root.IsNull()) {
            return; // an empty file, or one of comments
        }
        if (!root.IsMap()) {
            fail(at(root), "", "is not a mapping of keys to values", "write `key: value` lines");
        }
        read_map(root, "", {tree_keys(), m_tree.values, ""});
    }

    /// One field of a stream or trace: workload.<stream>.<field>, or workload.<field>.
    void read_workload_field(const std::string& path, const YAML::Node& value);

private:
    [[nodiscard]] origin at(const YAML::Node& node) const
    {
        if (!m_has_positions) {
            return {m_label, 0, 0};
        }
        const YAML::Mark mark = node.Mark();
        return {m_label, mark.line + 1, mark.column + 1};
    }

    /// The mapping that keys belong to: the tree, a stream, a trace.
    struct scope {
        const key_index& index;
        raw_map& out;
        std::string shown; // before each key in messages: "workload.0."
    };

    void read_map(const YAML::Node& map, const std::string& prefix, const scope& in);
    void read_item(const YAML::Node& key, const YAML::Node& value, const std::string& prefix,
                   const scope& in);
    void read_key(const YAML::Node& key, const YAML::Node& value, const std::string& prefix,
                  const scope& in);
    void read_leaf(const YAML::Node& key, const YAML::Node& value, const std::string& name,
                   const scope& in);
    void read_workload(const YAML::Node& value);
    void read_stream(const YAML::Node& value, std::size_t number, raw_workload& w);
    void read_drives(const YAML::Node& value);
    void read_arrays(const YAML::Node& value);
    raw_drive read_drive(const YAML::Node& value, const std::string& shown);
    std::string word(const YAML::Node& value, const std::string& full) const;
    std::string list_item(const YAML::Node& item, const std::string& full) const;
    std::string trace_path(const std::string& path) const;
    raw_map& stream_of(const std::string& which);

    raw_tree& m_tree;
    std::string m_label;
    bool m_has_positions;
    std::set<std::string> m_seen; // keys of this document
};

void reader::read_map(const YAML::Node& map, const std::string& prefix, const scope& in)
{
    for (const auto& item : map) {
        read_item(item.first, item.second, prefix, in);
    }
}

void reader::read_item(const YAML::Node& key, const YAML::Node& value, const std::string& prefix,
                       const scope& in)
{
    if (!key.IsScalar()) {
        fail(at(key), in.shown + prefix, "a key is not a word", "write `key: value` lines");
    }
    read_key(key, value, prefix, in);
}

void reader::read_key(const YAML::Node& key, const YAML::Node& value, const std::string& prefix,
                      const scope& in)
{
    const std::string name = prefix + key.Scalar();
    const std::string full = in.shown + name;
    const bool leaf = in.index.is_leaf(name);
    if (!leaf && !in.index.is_group(name)) {
        const std::string near = nearest(name, in.index.keys_and_groups());
        fail(at(key), full, "is not a key", fmt::format("did you mean '{}{}'?", in.shown, near));
    }
    if (leaf) {
        if (!m_seen.insert(full).second) {
            fail(at(key), full, "is given twice", "remove one of them");
        }
        if (full == "workload") {
            read_workload(value.IsNull() ? key : value);
        } else if (full == "drives") {
            read_drives(value.IsNull() ? key : value);
        } else if (full == "raid") {
            read_arrays(value.IsNull() ? key : value);
        } else if (full != "extends" && full != "description") {
            read_leaf(key, value, name, in);
        }
        return;
    }
    if (!value.IsMap()) {
        fail(at(value.IsNull() ? key : value), full, "is a group of keys, not a value",
             fmt::format("write for example `{}: {{...}}` with keys inside", full));
    }
    read_map(value, name + ".", in);
}

void reader::read_leaf(const YAML::Node& key, const YAML::Node& value, const std::string& name,
                       const scope& in)
{
    const std::string full = in.shown + name;
    raw_entry entry;
    entry.at = at(value.IsNull() ? key : value);
    if (value.IsNull()) {
        fail(entry.at, full, "has no value", "write a value, or `default` for the default");
    }
    if (value.IsMap()) {
        fail(entry.at, full, "is a value, not a group of keys", "write one value");
    }
    entry.is_list = value.IsSequence();
    if (entry.is_list && value.size() > most_items) {
        fail(entry.at, full, fmt::format("is a list of {} entries", value.size()),
             fmt::format("write at most {}", most_items));
    }
    if (entry.is_list) {
        for (const auto& item : value) {
            entry.items.push_back(list_item(item, full));
        }
    } else {
        entry.items.push_back(value.Scalar());
    }
    const bool free_text = full == "name" || name == "name" || is_path(name);
    if (is_path(name) && !entry.is_list) {
        entry.items[0] = trace_path(entry.items[0]);
    }
    const bool of_drive = in.shown.compare(0, 7, "drives.") == 0; // over a tree known later
    if (!entry.is_list && entry.items[0] == "default" && !free_text && !of_drive) {
        in.out.erase(name);
    } else {
        in.out[name] = entry;
    }
}

/// An entry of a list: a plain value, or a small group, which becomes "key=value,key=value".
std::string reader::list_item(const YAML::Node& item, const std::string& full) const
{
    const bool group = item.IsMap() && std::all_of(item.begin(), item.end(), [](const auto& pair) {
                           return pair.second.IsScalar();
                       });
    if (!item.IsScalar() && !group) {
        fail(at(item), full, "has an entry that is not a plain value", "write a list of values");
    }
    std::string text;
    for (auto pair = item.begin(); group && pair != item.end(); ++pair) {
        text += (text.empty() ? "" : ",") + pair->first.as<std::string>() + "=" +
                pair->second.as<std::string>();
    }
    return group ? text : item.Scalar();
}

/// A trace beside its configuration file is found from anywhere.
std::string reader::trace_path(const std::string& path) const
{
    const fs::path beside = fs::path(m_label).parent_path() / path;
    std::error_code ignored;
    if (m_has_positions && fs::path(path).is_relative() && fs::is_regular_file(beside, ignored)) {
        return beside.lexically_normal().string();
    }
    return path;
}

void reader::read_workload(const YAML::Node& value)
{
    raw_workload w;
    w.given = true;
    w.at = at(value);
    const char* forms = "write a list of streams, `{trace: FILE}` or `{fio: FILE}`";
    if (value.IsSequence()) {
        if (value.size() == 0) {
            fail(w.at, "workload", "is an empty list", forms);
        }
        if (value.size() > most_streams) {
            fail(w.at, "workload", fmt::format("has {} streams", value.size()),
                 fmt::format("write at most {}", most_streams));
        }
        std::size_t number = 0;
        for (const auto& stream : value) {
            read_stream(stream, number++, w);
        }
    } else if (value.IsMap() && value["fio"]) {
        read_map(value, "", {fio_keys(), w.fio, "workload."});
    } else if (value.IsMap() && value["trace"]) {
        read_map(value, "", {trace_keys(), w.trace, "workload."});
    } else {
        fail(w.at, "workload", "is neither a list of streams nor a trace, nor a fio job file",
             forms);
    }
    m_tree.workload = std::move(w);
}

void reader::read_stream(const YAML::Node& value, std::size_t number, raw_workload& w)
{
    const std::string shown = fmt::format("workload.{}", number);
    if (!value.IsMap()) {
        fail(at(value), shown, "is not a stream",
             "write `- pattern: uniform` and the other keys of a stream");
    }
    w.streams.emplace_back();
    const scope own{stream_keys(), w.streams.back(), shown + "."};
    for (const auto& item : value) {
        if (item.first.IsScalar() && item.first.Scalar() == "drive") {
            const std::string full = shown + ".drive";
            if (w.drives.count(number) != 0) {
                fail(at(item.first), full, "is given twice", "remove one of them");
            }
            w.drives[number] = {{word(item.second, full)}, false, at(item.second)};
        } else {
            read_item(item.first, item.second, "", own);
        }
    }
}

std::string reader::word(const YAML::Node& value, const std::string& full) const
{
    if (!value.IsScalar() || value.Scalar().empty()) {
        fail(at(value), full, "is not a name", "write one word");
    }
    return value.Scalar();
}

raw_drive reader::read_drive(const YAML::Node& value, const std::string& shown)
{
    raw_drive d;
    d.at = at(value);
    if (!value.IsMap()) {
        fail(d.at, shown, "is not a drive", "write `- name: a` and keys of the drive");
    }
    for (const auto& item : value) {
        const std::string key = item.first.IsScalar() ? item.first.Scalar() : "";
        const std::string full = shown + "." + key;
        if (key == "name" || key == "config") {
            if (!m_seen.insert(full).second) {
                fail(at(item.first), full, "is given twice", "remove one of them");
            }
            const std::string text = word(item.second, full);
            if (key == "name") {
                d.name = text;
            } else {
                d.config = {{text}, false, at(item.second)};
            }
            continue;
        }
        for (const char* whole : {"workload", "drives", "raid", "extends", "description"}) {
            if (key == whole) {
                fail(at(item.first), full, "is a key of the whole run",
                     "write it outside of the list, or use `config` in place of `extends`");
            }
        }
        read_item(item.first, item.second, "", {tree_keys(), d.values, shown + "."});
    }
    if (!is_drive_name(d.name)) {
        fail(d.at, shown + ".name", "is missing or not a name",
             "write a name of 1 to 32 letters, digits, '-' and '_'");
    }
    return d;
}

void reader::read_drives(const YAML::Node& value)
{
    if (!value.IsSequence() || value.size() == 0 || value.size() > most_drives) {
        fail(at(value), "drives", fmt::format("is not a list of 1 to {} drives", most_drives),
             "write `- name: a` and `- name: b` below it");
    }
    std::vector<raw_drive> drives;
    for (std::size_t i = 0; i < value.size(); ++i) {
        raw_drive d = read_drive(value[i], fmt::format("drives.{}", i));
        for (const raw_drive& other : drives) {
            if (other.name == d.name) {
                fail(d.at, fmt::format("drives.{}.name", i),
                     fmt::format("'{}' is the name of another drive too", d.name),
                     "give each a name of its own");
            }
        }
        drives.push_back(std::move(d));
    }
    m_tree.drives = std::move(drives);
}

void reader::read_arrays(const YAML::Node& value)
{
    if (!value.IsSequence() || value.size() == 0 || value.size() > most_drives) {
        fail(at(value), "raid", fmt::format("is not a list of arrays, {} at most", most_drives),
             "write `- {name: md0, level: 0, drives: [a, b]}` below it");
    }
    m_tree.arrays.clear();
    for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string shown = fmt::format("raid.{}", i);
        if (!value[i].IsMap()) {
            fail(at(value[i]), shown, "is not an array",
                 "write `- {name: md0, level: 0, drives: [a, b]}`");
        }
        m_tree.arrays.push_back({at(value[i]), {}});
        read_map(value[i], "", {raid_keys(), m_tree.arrays.back().values, shown + "."});
    }
}

raw_map& reader::stream_of(const std::string& which)
{
    raw_workload& w = m_tree.workload;
    const origin here{m_label, 0, 0};
    std::string names;
    for (std::size_t i = 0; i < w.streams.size(); ++i) {
        const auto name = w.streams[i].find("name");
        const std::string text = name == w.streams[i].end() || name->second.is_list
                                     ? fmt::format("stream{}", i)
                                     : name->second.items.front();
        if (which == std::to_string(i) || which == text) {
            return w.streams[i];
        }
        names += (names.empty() ? "" : ", ") + text;
    }
    fail(here, "workload." + which, "is not a stream of the workload",
         fmt::format("streams are: {}", names));
}

void reader::read_workload_field(const std::string& path, const YAML::Node& value)
{
    raw_workload& w = m_tree.workload;
    const YAML::Node whole(path);
    if (!w.trace.empty()) {
        read_key(whole, value, "", {trace_keys(), w.trace, "workload."});
        return;
    }
    if (!w.fio.empty()) {
        read_key(whole, value, "", {fio_keys(), w.fio, "workload."});
        return;
    }
    if (!w.given) { // the default workload is one stream
        w.given = true;
        w.at = {m_label, 0, 0};
        w.streams = default_streams();
    }
    const auto dot = path.find('.');
    const std::string first = path.substr(0, dot);
    const bool is_field = stream_keys().is_leaf(path) || stream_keys().is_group(first);
    if (!is_field && dot != std::string::npos) {
        const scope stream{stream_keys(), stream_of(first), "workload." + first + "."};
        read_key(YAML::Node(path.substr(dot + 1)), value, "", stream);
    } else if (w.streams.size() == 1) {
        read_key(whole, value, "", {stream_keys(), w.streams[0], "workload."});
    } else {
        fail({m_label, 0, 0}, "workload." + path, "could be meant for any of several streams",
             fmt::format("write workload.0.{}, or the name of the stream for 0", path));
    }
}

} // namespace

bool is_drive_name(const std::string& name)
{
    const bool fits = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
    return fits && !name.empty() && name.size() <= 32;
}

std::string file_description(const std::string& path)
{
    const YAML::Node root = load_document(path);
    const bool has = root.IsMap() && root["description"] && root["description"].IsScalar();
    return has ? root["description"].Scalar() : "";
}

bool is_default(const origin& at)
{
    return at.label == default_label && at.line == 0;
}

std::vector<raw_map> default_streams()
{
    const origin here{default_label, 0, 0};
    return {{{"name", {{"zipf-70-30"}, false, here}},
             {"pattern", {{"zipf"}, false, here}},
             {"read_fraction", {{"0.7"}, false, here}},
             {"block_size", {{"4KiB"}, false, here}},
             {"queue_depth", {{"16"}, false, here}}}};
}

void merge_file(raw_tree& tree, const std::string& name, const std::string& folder)
{
    const std::string path = find_config(name, "", folder, {name, 0, 0}, "");
    for (const document& d : documents_of(path, folder)) {
        reader(tree, d.path, true).read(d.root);
    }
    tree.name = fs::path(path).stem().string();
}

void merge_setting(raw_tree& tree, const std::string& key, const std::string& value,
                   const std::string& label)
{
    YAML::Node node;
    try {
        node = YAML::Load(value);
    } catch (const YAML::Exception& e) {
        syntax_error({label, 0, 0}, e);
    }
    reader r(tree, label, false);
    const std::string group = "workload.";
    if (key.compare(0, group.size(), group) == 0) {
        r.read_workload_field(key.substr(group.size()), node);
        return;
    }
    if (key == "extends" || key == "description" || key == "drives") {
        fail({label, 0, 0}, key, "is a key of files only",
             "write it in a file, and name that as a CONFIG");
    }
    YAML::Node root(YAML::NodeType::Map);
    root[key] = node;
    r.read(root);
}

} // namespace ssdvp::platform
