// SPDX-License-Identifier: Apache-2.0
#include "platform/config/tree.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "platform/config/loader.h"
#include "platform/config/option.h"

namespace ssdvp::platform {
namespace {

/// A text in quotes, where it could be read as something else than that text.
std::string yaml_text(const value_spec& spec, const std::string& value)
{
    if (spec.kind != value_kind::text) {
        return value;
    }
    YAML::Emitter out;
    out << YAML::DoubleQuoted << value;
    return out.c_str();
}

template <class Target>
void append_keys(const std::vector<basic_option<Target>>& table, const Target& target,
                 const std::string& prefix, std::vector<key_text>& out)
{
    std::vector<std::string> keys;
    for (const auto& o : table) {
        if (o.kept || !o.relevant || o.relevant(target) ||
            (o.relevant_to_own && o.relevant_to_own(target))) {
            keys.push_back(o.key);
        }
    }
    for (const std::string& key : grouped(keys)) {
        const auto* o = find_option(table, key);
        out.push_back({prefix + key, yaml_text(o->spec, format_value(o->spec, o->get(target)))});
    }
}

std::vector<std::string> parts_of(const std::string& key)
{
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', from)) {
        parts.push_back(key.substr(from, dot - from));
        from = dot + 1;
    }
    parts.push_back(key.substr(from));
    return parts;
}

bool is_number(const std::string& s)
{
    return s.find_first_not_of("0123456789") == std::string::npos;
}

/// Keys below the same group, in the order of their first appearance at each level.
void group_level(const std::vector<std::string>& keys, std::size_t depth,
                 std::vector<std::string>& out)
{
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::string>> below;
    for (const std::string& key : keys) {
        const std::string head = parts_of(key).at(depth);
        if (below[head].empty()) {
            order.push_back(head);
        }
        below[head].push_back(key);
    }
    for (const std::string& head : order) {
        const auto& group = below[head];
        if (parts_of(group.front()).size() == depth + 1) {
            out.push_back(group.front());
        } else {
            group_level(group, depth + 1, out);
        }
    }
}

} // namespace

std::vector<std::string> grouped(const std::vector<std::string>& keys)
{
    std::vector<std::string> out;
    group_level(keys, 0, out);
    return out;
}

std::vector<key_text> tree_of(const ssd_config& c)
{
    std::vector<key_text> all;
    append_keys(option_table(), c, "", all);
    if (!c.workload.trace.file.empty()) {
        append_keys(trace_table(), c.workload.trace, "workload.", all);
    }
    if (!c.workload.fio.file.empty()) {
        append_keys(fio_table(), c.workload.fio, "workload.", all);
    }
    for (std::size_t i = 0; i < c.workload.streams.size(); ++i) {
        append_keys(stream_table(), c.workload.streams[i], fmt::format("workload.{}.", i), all);
    }
    return all;
}

std::string resolved_yaml(const ssd_config& config)
{
    const ssd_config& c = config.whole != nullptr ? *config.whole : config;
    std::string out = "# Resolved configuration: every key with its value. It can be run again.\n";
    std::vector<std::string> open; // groups that the last line stands in
    for (const key_text& k : tree_of(c)) {
        std::vector<std::string> parts = parts_of(k.key);
        const std::string leaf = parts.back();
        parts.pop_back();
        std::size_t same = 0;
        while (same < std::min(open.size(), parts.size()) && open[same] == parts[same]) {
            ++same;
        }
        bool dash = false; // an entry of a list starts on the line of its first key
        for (std::size_t i = same; i < parts.size(); ++i) {
            if (is_number(parts[i])) {
                dash = true;
            } else {
                out += fmt::format("{:{}}{}:\n", "", 2 * i, parts[i]);
            }
        }
        const std::size_t indent = 2 * parts.size();
        out += dash ? fmt::format("{:{}}- ", "", indent - 2) : fmt::format("{:{}}", "", indent);
        out += fmt::format("{}: {}\n", leaf, k.value);
        open = parts;
    }
    return out;
}

} // namespace ssdvp::platform
