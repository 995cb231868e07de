// SPDX-License-Identifier: Apache-2.0
//
// Where a program spends: a tree of the functions that were called, and from where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/cpu/instruction_cost.h"

namespace ssdvp::cpu {

struct profile_node {
    const char* name = nullptr; // "source:function", or "[what the core did itself]"
    std::uint32_t parent = 0;
    std::uint32_t child = 0; // the last one that came; 0: none
    std::uint32_t next = 0;  // sibling
    std::uint32_t group = 0;
    std::uint64_t calls = 0;
    spent_account self{}; // without what its callees spent
};

class call_profile {
public:
    call_profile();
    /// The node of `name`, called from the node `from`; 0: from nowhere.
    std::uint32_t enter(std::uint32_t from, const char* name);
    [[nodiscard]] std::uint32_t leave(std::uint32_t at) const { return m_nodes[at].parent; }
    void add(std::uint32_t at, const spent_account& spent);
    /// Counts from now on; the calls that are under way stay.
    void clear();

    [[nodiscard]] const std::vector<profile_node>& nodes() const { return m_nodes; }
    /// Parts of the program: folders of its sources, or sources that lie in none.
    [[nodiscard]] const std::vector<std::string>& groups() const { return m_groups; }
    /// Instructions of each group, in 1/256.
    [[nodiscard]] const std::vector<std::int64_t>& group_instructions() const { return m_spent; }
    [[nodiscard]] spent_account total() const;

private:
    std::uint32_t group_of(const char* name);

    std::vector<profile_node> m_nodes; // 0: the root, which nobody called
    std::vector<std::string> m_groups;
    std::vector<std::int64_t> m_spent;
};

} // namespace ssdvp::cpu
