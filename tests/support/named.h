// SPDX-License-Identifier: Apache-2.0
//
// Tables whose entries have a `name`, as a command line asks for them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace ssdvp::test {

template <typename T>
std::string names_of(const T& table)
{
    std::string all;
    for (const auto& entry : table) {
        all += std::string(all.empty() ? "" : ", ") + entry.name;
    }
    return all;
}

/// Throws std::invalid_argument with the names there are.
template <typename T>
const auto& find_name(const T& table, const std::string& name)
{
    for (const auto& entry : table) {
        if (name == entry.name) {
            return entry;
        }
    }
    throw std::invalid_argument("no '" + name + "'; there are: " + names_of(table));
}

template <typename T>
std::vector<std::string> list_of(const T& table)
{
    std::vector<std::string> all;
    for (const auto& entry : table) {
        all.emplace_back(entry.name);
    }
    return all;
}

} // namespace ssdvp::test
