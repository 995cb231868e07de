// SPDX-License-Identifier: Apache-2.0
#include "platform/config/ideal.h"

#include <fmt/format.h>
#include <iterator>

#include "platform/config/derived.h"

namespace ssdvp::platform {

namespace {

bool always(const ssd_config& /*c*/)
{
    return true;
}

/// A key, or a group of keys (it ends in a dot).
struct ideal_change {
    const char* key;
    const char* value; // empty: it is not given, what is usual holds; null: as_if_faster does it
    const char* why;
    bool (*when)(const ssd_config&);
    const char* when_words;
};

constexpr const char* paged = "dftl, vm_map, log_set";

constexpr ideal_change changes[] = {
    {"cpu.", nullptr, "instructions, accesses to registers and tables, interrupts take no time",
     always, ""},
    {"ftl.scheme", "page_map", "no part of the map has to be read or programmed for a request",
     map_is_paged, paged},
    {"ftl.map_memory", "dram", "the map is in DRAM", map_is_paged, paged},
    {"ftl.map_cache", "", "all of it", map_is_paged, paged},
    {"ftl.map_share", "", "all of it", map_is_paged, paged},
    {"dram.capacity", "", "as much DRAM as that takes", map_is_paged, paged},
    {"ftl.hmb.", "", "the host has none of it", map_is_paged, paged},
    {"host.nvme.hmb.", "", "the host has none of it", map_is_paged, paged},
    {"ftl.dftl.", "", "options of another scheme", map_is_paged, paged},
    {"ftl.vm_map.", "", "options of another scheme", map_is_paged, paged},
    {"ftl.log_set.", "", "options of another scheme", map_is_paged, paged},
};

bool is_of(const std::string& key, const std::string& name)
{
    return name.back() == '.' ? key.compare(0, name.size(), name) == 0 : key == name;
}

void apply(raw_map& values, const ideal_change& change, const origin& at)
{
    for (auto it = values.begin(); it != values.end();) {
        it = is_of(it->first, change.key) ? values.erase(it) : std::next(it);
    }
    if (*change.value != '\0') {
        values[change.key] = {{change.value}, false, at};
    }
}

} // namespace

raw_tree with_ideal_policies(const raw_tree& raw, const ssd_config& asked)
{
    raw_tree tree = raw;
    for (const ideal_change& change : changes) {
        if (change.value != nullptr && change.when(asked)) {
            apply(tree.values, change, {"run.ideal", 0, 0});
        }
    }
    return tree;
}

std::string list_ideal()
{
    std::string out = "| key | with ideal firmware | so that | only with |\n|---|---|---|---|\n";
    for (const ideal_change& change : changes) {
        const std::string key = change.key;
        const std::string becomes = change.value == nullptr ? "no time"
                                    : *change.value == '\0' ? "not given"
                                                            : fmt::format("`{}`", change.value);
        out += fmt::format(
            "| `{}{}` | {} | {} |{}\n", key, key.back() == '.' ? "*" : "", becomes, change.why,
            *change.when_words == '\0' ? " |" : fmt::format(" {} |", change.when_words));
    }
    return out;
}

} // namespace ssdvp::platform
