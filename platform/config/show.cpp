// SPDX-License-Identifier: Apache-2.0
//
// What `ssdvp show` prints, and the tables of the documentation.
#include "platform/config/loader.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/config/raw.h"
#include "platform/config/tree.h"
#include "platform/input/presets.h"

namespace ssdvp::platform {
namespace {

template <class Target>
std::string default_text(const basic_option<Target>& o)
{
    return o.fallback.empty() ? o.computed : o.fallback;
}

template <class Target>
std::vector<const basic_option<Target>*> in_order(const std::vector<basic_option<Target>>& table)
{
    std::vector<std::string> keys;
    for (const auto& o : table) {
        keys.push_back(o.key);
    }
    std::vector<const basic_option<Target>*> sorted;
    for (const std::string& key : grouped(keys)) {
        sorted.push_back(find_option(table, key));
    }
    return sorted;
}

template <class Target>
std::string text_table(const std::vector<basic_option<Target>>& table, const std::string& prefix)
{
    std::string out;
    for (const auto* o : in_order(table)) {
        out += fmt::format("{}{}\n    {}\n    {}; default: {}\n", prefix, o->key, o->about,
                           describe(o->spec), default_text(*o));
        if (!o->relevant_when.empty()) {
            out += fmt::format("    only when {}\n", o->relevant_when);
        }
    }
    return out;
}

/// Markdown would take a bar as the end of the cell.
std::string cell(std::string text)
{
    for (auto bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2)) {
        text.insert(bar, "\\");
    }
    return text;
}

constexpr const char* markdown_head = "| key | value | default | meaning |\n|---|---|---|---|\n";

template <class Target>
std::string markdown_row(const basic_option<Target>& o)
{
    const std::string when =
        o.relevant_when.empty() ? "" : fmt::format(" (only when {})", o.relevant_when);
    return fmt::format("| `{}` | {} | {} | {}{} |\n", o.key, cell(describe(o.spec)),
                       cell(default_text(o)), cell(o.about), when);
}

template <class Target>
std::string markdown_table(const std::vector<basic_option<Target>>& table)
{
    std::string out = markdown_head;
    for (const auto* o : in_order(table)) {
        out += markdown_row(*o);
    }
    return out;
}

/// A table for each part of the drive: for all keys that begin with the same word.
std::string markdown_tree()
{
    std::string out;
    std::string part;
    for (const auto* o : in_order(option_table())) {
        const std::string word = o->key.substr(0, o->key.find('.'));
        if (word != part) {
            out += fmt::format("{}#### {}\n\n{}", part.empty() ? "" : "\n", word, markdown_head);
            part = word;
        }
        out += markdown_row(*o);
    }
    return out;
}

} // namespace

std::string show(const resolved_config& r)
{
    std::size_t key_width = 0;
    std::size_t value_width = 0;
    for (const resolved_key& k : r.keys) {
        key_width = std::max(key_width, k.key.size());
        value_width = std::max(value_width, k.value.size());
    }
    std::string out = fmt::format(
        "# physical {} bytes, host sees {} bytes, {} superblocks, map {} bytes of DRAM\n",
        physical_bytes(r.config), logical_bytes(r.config), superblocks(r.config),
        needs_of(r.config).share("map").dram);
    for (const resolved_key& k : r.keys) {
        out += fmt::format("{:{}}  {:{}}  # {}\n", k.key + ":", key_width + 1, k.value, value_width,
                           k.from);
    }
    return out;
}

std::string list_presets(const std::string& configs_dir)
{
    const std::string folder = presets_folder(configs_dir);
    const auto names = preset_names(folder);
    std::size_t width = 0;
    for (const std::string& name : names) {
        width = std::max(width, name.size());
    }
    std::string out;
    for (const std::string& name : names) {
        out += fmt::format("{:{}}  {}\n", name, width,
                           file_description(folder + "/" + name + ".yaml"));
    }
    return out;
}

namespace {

/// Words without a description on one line, each of the others on a line of its own.
std::string policy_lines(const std::string& key, const std::vector<choice_name>& choices)
{
    std::size_t width = 0;
    std::string plain;
    for (const choice_name& c : choices) {
        if (c.about.empty()) {
            plain += (plain.empty() ? "" : ", ") + c.name;
        } else {
            width = std::max(width, c.name.size());
        }
    }
    std::string label = key;
    std::string out;
    const auto line = [&](const std::string& text) {
        out += fmt::format("{:28}{}\n", label, text);
        label.clear();
    };
    for (const choice_name& c : choices) {
        if (!c.about.empty()) {
            line(fmt::format("{:{}}  {}", c.name, width, c.about));
        }
    }
    if (!plain.empty()) {
        line(plain);
    }
    return out;
}

} // namespace

std::string list_policies()
{
    std::string out;
    const auto add = [&](const std::string& key, const value_spec& spec) {
        if (spec.kind == value_kind::choice) {
            out += policy_lines(key, spec.choices);
        }
    };
    for (const auto* o : in_order(option_table())) {
        add(o->key, o->spec);
    }
    for (const auto& o : stream_table()) {
        add("workload.<stream>." + o.key, o.spec);
    }
    for (const auto& o : trace_table()) {
        add("workload." + o.key, o.spec);
    }
    return out;
}

std::string list_options()
{
    return text_table(option_table(), "") + "\nworkload: a list of streams, each with\n\n" +
           text_table(stream_table(), "workload.<stream>.") + "\nworkload: or a trace\n\n" +
           text_table(trace_table(), "workload.") + "\nworkload: or fio jobs\n\n" +
           text_table(fio_table(), "workload.") +
           "\nraid: a list of arrays of drives, each with\n\n" +
           text_table(raid_table(), "raid.<array>.");
}

std::string options_markdown()
{
    return "### The tree\n\n" + markdown_tree() +
           "\n### A stream: one entry of the list `workload`\n\n" + markdown_table(stream_table()) +
           "\n### A trace: `workload` as a mapping\n\n" + markdown_table(trace_table()) +
           "\n### fio jobs: `workload` as a mapping\n\n" + markdown_table(fio_table()) +
           "\n### An array: one entry of the list `raid`\n\n" + markdown_table(raid_table());
}

} // namespace ssdvp::platform
