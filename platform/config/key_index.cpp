// SPDX-License-Identifier: Apache-2.0
#include "platform/config/key_index.h"

#include <algorithm>

#include "platform/config/option.h"

namespace ssdvp::platform {
namespace {

template <class Table>
std::vector<std::string> keys_of(const Table& table)
{
    std::vector<std::string> keys;
    for (const auto& o : table) {
        keys.push_back(o.key);
    }
    return keys;
}

} // namespace

std::vector<std::string> key_index::keys_and_groups() const
{
    std::vector<std::string> all = m_keys;
    for (const std::string& k : m_keys) {
        for (auto dot = k.find('.'); dot != std::string::npos; dot = k.find('.', dot + 1)) {
            const std::string group = k.substr(0, dot);
            if (std::find(all.begin(), all.end(), group) == all.end()) {
                all.push_back(group);
            }
        }
    }
    return all;
}

const key_index& tree_keys()
{
    static const key_index index = [] {
        std::vector<std::string> keys = keys_of(option_table());
        keys.emplace_back("workload");
        keys.emplace_back("drives");
        keys.emplace_back("raid");
        keys.emplace_back("extends");
        keys.emplace_back("description");
        return key_index(keys);
    }();
    return index;
}

const key_index& stream_keys()
{
    static const key_index index(keys_of(stream_table()));
    return index;
}

const key_index& fio_keys()
{
    static const key_index index(keys_of(fio_table()));
    return index;
}

const key_index& raid_keys()
{
    static const key_index index(keys_of(raid_table()));
    return index;
}

const key_index& trace_keys()
{
    static const key_index index(keys_of(trace_table()));
    return index;
}

} // namespace ssdvp::platform
