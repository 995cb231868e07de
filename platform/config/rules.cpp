// SPDX-License-Identifier: Apache-2.0
#include "platform/config/rules.h"

#include <fmt/format.h>

#include "platform/config/option.h"

namespace ssdvp::platform {

std::string told(const raw_tree& raw, const ssd_config& c, const char* key)
{
    const option* o = find_option(option_table(), key);
    const auto entry = raw.values.find(key);
    return fmt::format("{} {} ({})", key, format_value(o->spec, o->get(c)),
                       entry == raw.values.end() ? std::string("default")
                                                 : entry->second.at.text());
}

std::uint64_t doubled_to(const char* key, std::uint64_t size, std::uint64_t needed)
{
    const std::uint64_t most = find_option(option_table(), key)->spec.max;
    while (size < needed && size <= most / 2) {
        size *= 2;
    }
    return size;
}

} // namespace ssdvp::platform
