// SPDX-License-Identifier: Apache-2.0
//
// Which keys a mapping may hold.
#pragma once

#include <string>
#include <vector>

namespace ssdvp::platform {

class key_index {
public:
    explicit key_index(std::vector<std::string> keys) : m_keys(std::move(keys)) {}

    [[nodiscard]] bool is_leaf(const std::string& key) const
    {
        for (const std::string& k : m_keys) {
            if (k == key) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool is_group(const std::string& key) const
    {
        for (const std::string& k : m_keys) {
            if (k.compare(0, key.size() + 1, key + ".") == 0) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] const std::vector<std::string>& keys() const { return m_keys; }
    /// Keys and the groups that they form.
    [[nodiscard]] std::vector<std::string> keys_and_groups() const;

private:
    std::vector<std::string> m_keys;
};

const key_index& tree_keys();
const key_index& stream_keys();
const key_index& trace_keys();
const key_index& fio_keys();
const key_index& raid_keys();

} // namespace ssdvp::platform
