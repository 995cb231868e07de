// SPDX-License-Identifier: Apache-2.0
//
// From raw text to the fields that a table of options carries.
#pragma once

#include <fmt/format.h>
#include <string>
#include <vector>

#include "platform/config/option.h"
#include "platform/config/raw.h"
#include "platform/input/presets.h"

namespace ssdvp::platform {

template <class Target>
void set_one(const basic_option<Target>& o, const raw_entry& entry, const std::string& shown,
             Target& target)
{
    try {
        o.set(target, parse_value(o.spec, entry.items, entry.is_list));
    } catch (const value_error& e) {
        fail(entry.at, shown + o.key, e.what(), e.remedy());
    }
}

/// Values of `raw` where it has them, defaults elsewhere. `shown`: before each key in messages.
template <class Target>
void set_all(const std::vector<basic_option<Target>>& table, const raw_map& raw,
             const std::string& shown, Target& target)
{
    for (const auto& o : table) {
        const auto it = raw.find(o.key);
        if (it != raw.end()) {
            set_one(o, it->second, shown, target);
        } else if (!o.fallback.empty()) {
            set_one(o, {{o.fallback}, false, {"default", 0, 0}}, shown, target);
        }
    }
}

template <class Target>
std::string no_effect(const basic_option<Target>& o)
{
    return "has no effect: it is used only when " + o.relevant_when;
}

template <class Target>
bool says(const basic_option<Target>& o, const raw_entry& entry, const option_value& value)
{
    return format_value(o.spec, parse_value(o.spec, entry.items, entry.is_list)) ==
           format_value(o.spec, value);
}

/// What says the default asks for nothing.
template <class Target>
bool says_default(const basic_option<Target>& o, const raw_entry& entry)
{
    return !o.fallback.empty() && says(o, entry, parse_value(o.spec, {o.fallback}, false));
}

/// A key that means nothing beside the others would be a knob without effect. What a preset gives,
/// or the default workload, is left alone.
template <class Target>
void check_relevant(const std::vector<basic_option<Target>>& table, const raw_map& raw,
                    const std::string& shown, const Target& target, const std::string& presets = {})
{
    for (const auto& o : table) {
        const auto it = raw.find(o.key);
        if (it == raw.end() || !o.relevant || o.relevant(target) ||
            is_preset(it->second.at, presets) || is_default(it->second.at) ||
            (o.kept && says_default(o, it->second))) {
            continue;
        }
        fail(it->second.at, shown + o.key, no_effect(o),
             o.remedy.empty() ? "remove it, or set it to `default`" : o.remedy);
    }
}

} // namespace ssdvp::platform
