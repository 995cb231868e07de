// SPDX-License-Identifier: Apache-2.0
#include "platform/config/key_help.h"

#include <algorithm>

#include "platform/config/option.h"
#include "platform/config/tree.h"

namespace ssdvp::platform {
namespace {

template <class Target>
std::vector<key_help> help_of(const std::vector<basic_option<Target>>& table)
{
    std::vector<std::string> keys;
    for (const auto& o : table) {
        keys.push_back(o.key);
    }
    std::vector<key_help> help;
    for (const std::string& key : grouped(keys)) {
        const basic_option<Target>& o = *find_option(table, key);
        help.push_back({o.key, o.about, o.fallback.empty() ? o.computed : o.fallback,
                        o.relevant_when, o.spec, o.level == option_level::basic});
    }
    return help;
}

} // namespace

std::vector<key_help> basic_first(std::vector<key_help> keys)
{
    std::stable_partition(keys.begin(), keys.end(), [](const key_help& k) { return k.basic; });
    return keys;
}

std::vector<key_help> help_of_tree()
{
    return help_of(option_table());
}

std::vector<key_help> help_of_streams()
{
    return help_of(stream_table());
}

std::vector<key_help> help_of_traces()
{
    return help_of(trace_table());
}

std::vector<key_help> help_of_fio()
{
    return help_of(fio_table());
}

std::vector<key_help> help_of_raid()
{
    return help_of(raid_table());
}

std::vector<choice_name> words_of(const value_spec& spec)
{
    std::vector<choice_name> words = spec.choices;
    if (spec.kind == value_kind::boolean) {
        words = {{"true"}, {"false"}};
    }
    for (const std::uint64_t allowed : spec.allowed) {
        words.push_back({format_value(spec, allowed)});
    }
    if (!spec.word.name.empty()) {
        words.push_back({spec.word.name});
    }
    return words;
}

} // namespace ssdvp::platform
