// SPDX-License-Identifier: Apache-2.0
#include "platform/config/shaping.h"

#include <algorithm>

#include "platform/config/derived.h"
#include "platform/config/option.h"

namespace ssdvp::platform {

namespace {

/// Streams of the run shape a drive that was overwritten as they write.
bool shapes_state(const ssd_config& c, const std::string& key)
{
    const option* o = find_option(option_table(), key);
    return o != nullptr ? !o->shapes || o->shapes(c)
                        : c.precondition.source == overwrite_source::own ||
                              overwriting_until(c) == precondition_until::settled;
}

} // namespace

std::vector<key_text> shaping_keys(const ssd_config& c)
{
    std::vector<key_text> keys = tree_of(c);
    keys.erase(std::remove_if(keys.begin(), keys.end(),
                              [&c](const key_text& k) { return !shapes_state(c, k.key); }),
               keys.end());
    return keys;
}

std::vector<std::string> free_keys()
{
    const ssd_config usual;
    std::vector<std::string> keys;
    for (const option& o : option_table()) {
        if (!shapes_state(usual, o.key)) {
            keys.push_back(o.key);
        }
    }
    keys = grouped(keys);
    keys.insert(keys.end(), {"workload", "workload."});
    return keys;
}

} // namespace ssdvp::platform
