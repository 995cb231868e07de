// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/call_profile.h"

#include <algorithm>
#include <string_view>

namespace ssdvp::cpu {

namespace {

std::string part_of(std::string_view name)
{
    const std::string_view file = name.substr(0, name.find(':'));
    const std::size_t slash = file.rfind('/');
    if (slash == std::string_view::npos) {
        return std::string(file);
    }
    const std::string_view folder = file.substr(0, slash);
    const std::size_t before = folder.rfind('/');
    return std::string(before == std::string_view::npos ? folder : folder.substr(before + 1));
}

} // namespace

call_profile::call_profile() : m_nodes(1)
{
    m_nodes[0].name = "[outside]";
    m_nodes[0].group = group_of(m_nodes[0].name);
}

std::uint32_t call_profile::group_of(const char* name)
{
    const std::string part = part_of(name);
    const auto found = std::find(m_groups.begin(), m_groups.end(), part);
    if (found == m_groups.end()) {
        m_groups.push_back(part);
        m_spent.push_back(0);
        return static_cast<std::uint32_t>(m_groups.size() - 1);
    }
    return static_cast<std::uint32_t>(found - m_groups.begin());
}

std::uint32_t call_profile::enter(std::uint32_t from, const char* name)
{
    std::uint32_t at = m_nodes[from].child;
    while (at != 0 && m_nodes[at].name != name) { // one string per function: the pointer tells
        at = m_nodes[at].next;
    }
    if (at == 0) {
        at = static_cast<std::uint32_t>(m_nodes.size());
        profile_node n;
        n.name = name;
        n.parent = from;
        n.next = m_nodes[from].child;
        n.group = group_of(name);
        m_nodes[from].child = at;
        m_nodes.push_back(n);
    }
    ++m_nodes[at].calls;
    return at;
}

void call_profile::add(std::uint32_t at, const spent_account& spent)
{
    profile_node& n = m_nodes[at];
    n.self.instructions += spent.instructions;
    n.self.cycles += spent.cycles;
    m_spent[n.group] += spent.instructions;
}

void call_profile::clear()
{
    for (profile_node& n : m_nodes) {
        n.self = {};
        n.calls = 0;
    }
    std::fill(m_spent.begin(), m_spent.end(), 0);
}

spent_account call_profile::total() const
{
    spent_account sum{};
    for (const profile_node& n : m_nodes) {
        sum.instructions += n.self.instructions;
        sum.cycles += n.self.cycles;
    }
    return sum;
}

} // namespace ssdvp::cpu
