// SPDX-License-Identifier: Apache-2.0
#include "platform/report/waves/viewer_layouts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fnmatch.h>

namespace ssdvp::platform {

namespace {

/// Signals that stand together, by patterns of scopes below the drive and of names.
struct row_group {
    std::string title;
    std::vector<std::pair<std::string, std::vector<std::string>>> of;
};

constexpr unsigned first_channels = 4;

std::vector<row_group> row_groups()
{
    std::vector<row_group> all = {
        {"host and link",
         {{"", {"power"}},
          {"link", {"up"}},
          {"link.to_the_host", {"state"}}, // SATA
          {"link.to_the_drive", {"state"}},
          {"link.to_the_host_posted", {"state"}}, // PCIe
          {"link.to_the_drive_completions", {"state"}},
          {"host", {"interrupts"}}}},
        {"front end",
         {{"front_end", {"commands", "SQ1_tail", "SQ1_entries", "CQ1_head", "MSIX1"}},
          {"front_end.data_mover", {"state"}}}},
        {"cores",
         {{"cores.core*", {"state", "slot", "interrupts"}},
          {"irq", {"front_end", "channel[0-3]"}}}},
        {"DRAM", {{"dram.port", {"state"}}}}};
    for (unsigned i = 0; i < first_channels; ++i) {
        const std::string channel = fmt::format("channel{}", i);
        row_group r{fmt::format("channel {}", i),
                    {{channel, {"operations"}}, {channel + ".bus", {"state", "lun", "bytes"}}}};
        if (i == 0) {
            r.of.push_back({channel + ".bus", {"phase", "CLE", "ALE", "WE_n", "RE_n", "DQ"}});
        }
        r.of.push_back({channel + ".lun?", {"RB_n", "state", "suspended"}});
        all.push_back(std::move(r));
    }
    return all;
}

bool fits(const std::string& pattern, const std::string& text)
{
    return fnmatch(pattern.c_str(), text.c_str(), FNM_PATHNAME) == 0;
}

/// Below the drive, whose own signals have none.
std::string below_drive(const std::string& scope)
{
    const std::size_t dot = scope.find('.');
    return dot == std::string::npos ? "" : scope.substr(dot + 1);
}

/// Scope by scope, in the order of the table.
std::vector<const wave_signal*> signals_of(const wave_set& waves, const row_group& r)
{
    std::vector<const wave_signal*> found;
    for (const auto& [scope, names] : r.of) {
        std::vector<std::string> scopes;
        for (const wave_signal& s : waves.signals()) {
            if (fits(scope, below_drive(s.scope)) &&
                std::find(scopes.begin(), scopes.end(), s.scope) == scopes.end()) {
                scopes.push_back(s.scope);
            }
        }
        for (const std::string& one : scopes) {
            for (const std::string& name : names) {
                for (const wave_signal& s : waves.signals()) {
                    if (s.scope == one && fits(name, s.name)) {
                        found.push_back(&s);
                    }
                }
            }
        }
    }
    return found;
}

/// GTKWave's flags of a trace: right-justified, binary, decimal or hexadecimal.
const char* format_of(const wave_signal& s)
{
    return s.kind != wave_kind::number ? "@28" : s.bits <= 8 ? "@22" : "@24";
}

/// The innermost scope and the name; scopes further out follow from the title.
std::string label_of(const wave_signal& s)
{
    const std::string scope = below_drive(s.scope);
    const std::size_t dot = scope.find_last_of('.');
    const std::string inner = dot == std::string::npos ? scope : scope.substr(dot + 1);
    return inner.empty() ? s.name : inner + " " + s.name;
}

} // namespace

std::string gtkwave_layout(const wave_set& waves, const std::string& file,
                           timeline_record::interval shown)
{
    constexpr double frames = 5.0; // of 200 pixels each; a zoom of z shows 2^z ps in one
    constexpr std::uint64_t most = 250'000'000; // ps that are shown at first
    const std::uint64_t length =
        std::min(most, std::max<std::uint64_t>(1, (shown.end - shown.begin).ps()));
    std::string text = fmt::format("[*] as ssdvp wrote it\n[dumpfile] \"{}\"\n", file);
    text += fmt::format("[timestart] {}\n[size] 1500 1000\n[pos] -1 -1\n", shown.begin.ps());
    text += fmt::format("*-{:.6f} {}", std::log2(static_cast<double>(length) / frames),
                        shown.begin.ps());
    for (int marker = 0; marker < 26; ++marker) {
        text += " -1";
    }
    text += "\n[sst_width] 200\n[signals_width] 330\n[sst_expanded] 0\n";
    for (const row_group& r : row_groups()) {
        const std::vector<const wave_signal*> found = signals_of(waves, r);
        if (found.empty()) {
            continue;
        }
        text += fmt::format("@200\n-{}\n", r.title);
        for (const wave_signal* s : found) {
            const std::string range = s->bits > 1 ? fmt::format("[{}:0]", s->bits - 1) : "";
            text += fmt::format("{}\n+{{{}}} {}.{}{}\n", format_of(*s), label_of(*s), s->scope,
                                s->name, range);
        }
    }
    return text;
}

std::string surfer_layout(const wave_set& waves)
{
    std::string text;
    for (const row_group& r : row_groups()) {
        const std::vector<const wave_signal*> found = signals_of(waves, r);
        if (found.empty()) {
            continue;
        }
        text += fmt::format("divider_add {}\n", r.title);
        for (const wave_signal* s : found) {
            text += fmt::format("variable_add {}.{}\n", s->scope, s->name);
        }
    }
    return text + "zoom_fit\n";
}

} // namespace ssdvp::platform
