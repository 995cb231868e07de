// SPDX-License-Identifier: Apache-2.0
//
// What `ssdvp show` prints, and the tables of the documentation.
#include "platform/config/loader.h"

#include <algorithm>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/key_help.h"
#include "platform/config/raw.h"
#include "platform/input/presets.h"

namespace ssdvp::platform {
namespace {

std::string text_table(const std::vector<key_help>& keys, const std::string& prefix)
{
    std::string out;
    for (const key_help& k : keys) {
        out += fmt::format("{}{}\n    {}\n    {}; default: {}\n", prefix, k.key, k.about,
                           describe(k.spec), k.fallback);
        if (!k.only_when.empty()) {
            out += fmt::format("    only when {}\n", k.only_when);
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

constexpr const char* stream_prefix = "workload.<stream>.";
constexpr const char* markdown_head = "| key | value | default | meaning |\n|---|---|---|---|\n";

std::string markdown_row(const key_help& k)
{
    const std::string when = k.only_when.empty() ? "" : fmt::format(" (only when {})", k.only_when);
    return fmt::format("| `{}` | {} | {} | {}{} |\n", k.key, cell(describe(k.spec)),
                       cell(k.fallback), cell(k.about), when);
}

std::string markdown_table(const std::vector<key_help>& keys)
{
    std::string out = markdown_head;
    for (const key_help& k : keys) {
        out += markdown_row(k);
    }
    return out;
}

/// The keys that a drive and a load are described with, and what each is.
std::string markdown_basic()
{
    std::string out = "| key | meaning |\n|---|---|\n";
    const auto add = [&](const char* prefix, const std::vector<key_help>& keys) {
        for (const key_help& k : keys) {
            out += k.basic ? fmt::format("| `{}{}` | {} |\n", prefix, k.key, cell(k.about)) : "";
        }
    };
    add("", help_of_tree());
    add(stream_prefix, help_of_streams());
    add("workload.", help_of_traces());
    add("workload.", help_of_fio());
    return out;
}

/// A table for each part of the drive: for all keys that begin with the same word.
std::string markdown_tree()
{
    std::string out;
    std::string part;
    for (const key_help& k : help_of_tree()) {
        const std::string word = k.key.substr(0, k.key.find('.'));
        if (word != part) {
            out += fmt::format("{}#### {}\n\n{}", part.empty() ? "" : "\n", word, markdown_head);
            part = word;
        }
        out += markdown_row(k);
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
    need_presets(folder, {"ssdvp show --presets"});
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
    const auto add = [&](const std::string& prefix, const std::vector<key_help>& keys) {
        for (const key_help& k : keys) {
            if (k.spec.kind == value_kind::choice) {
                out += policy_lines(prefix + k.key, k.spec.choices);
            }
        }
    };
    add("", help_of_tree());
    add(stream_prefix, help_of_streams());
    add("workload.", help_of_traces());
    return out;
}

std::string list_options()
{
    const std::vector<key_help> tree = basic_first(help_of_tree());
    const auto expert =
        std::find_if(tree.begin(), tree.end(), [](const key_help& k) { return !k.basic; });
    return "Keys that a drive is described with:\n\n" + text_table({tree.begin(), expert}, "") +
           "\nKeys for experts:\n\n" + text_table({expert, tree.end()}, "") +
           "\nworkload: a list of streams, each with\n\n" +
           text_table(basic_first(help_of_streams()), stream_prefix) +
           "\nworkload: or a trace\n\n" + text_table(help_of_traces(), "workload.") +
           "\nworkload: or fio jobs\n\n" + text_table(help_of_fio(), "workload.") +
           "\nraid: a list of arrays of drives, each with\n\n" +
           text_table(help_of_raid(), "raid.<array>.");
}

std::string options_markdown()
{
    return "### Keys to begin with\n\n" + markdown_basic() + "\n### The tree\n\n" +
           markdown_tree() + "\n### A stream: one entry of the list `workload`\n\n" +
           markdown_table(help_of_streams()) + "\n### A trace: `workload` as a mapping\n\n" +
           markdown_table(help_of_traces()) + "\n### fio jobs: `workload` as a mapping\n\n" +
           markdown_table(help_of_fio()) + "\n### An array: one entry of the list `raid`\n\n" +
           markdown_table(help_of_raid());
}

} // namespace ssdvp::platform
