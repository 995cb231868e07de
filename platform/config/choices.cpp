// SPDX-License-Identifier: Apache-2.0
#include "platform/config/choices.h"

namespace ssdvp::platform {

#define SSDVP_PLAIN_ROW(ID, id, about) {#id, 0, about},
#define SSDVP_MODEL_ROW(id, about) {#id, 0, about},
#define SSDVP_FORMAT_ROW(id, fields, about) {#id, 0, about},
#define SSDVP_FLAGGED_ROW(ID, id, flags, about) {#id, flags, about},
#define SSDVP_ROWS_OF(type, rows)                                                                  \
    template <>                                                                                    \
    const std::vector<choice_row>& rows_of<type>()                                                 \
    {                                                                                              \
        static const std::vector<choice_row> table = {rows};                                       \
        return table;                                                                              \
    }

SSDVP_ROWS_OF(cache_policy, CACHE_POLICIES(SSDVP_FLAGGED_ROW))
SSDVP_ROWS_OF(flash::arbiter_kind, FLASH_ARBITERS(SSDVP_MODEL_ROW))
SSDVP_ROWS_OF(flash::page_order, PAGE_ORDERS(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(flash::suspend_kind, FLASH_SUSPENDS(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(ftl_scheme, FTL_SCHEMES(SSDVP_FLAGGED_ROW))
SSDVP_ROWS_OF(gc_policy, GC_POLICIES(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(host::interface_kind, HOST_INTERFACES(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(host::pattern_kind, HOST_PATTERNS(SSDVP_MODEL_ROW))
SSDVP_ROWS_OF(host::trace_format, HOST_TRACE_FORMATS(SSDVP_FORMAT_ROW))
SSDVP_ROWS_OF(map_policy, MAP_POLICIES(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(non_sequential, FAST_OTHERS(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(placement_kind, PLACEMENTS(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(sequential_merge, FAST_MERGES(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(shallow_policy, SHALLOW_POLICIES(SSDVP_PLAIN_ROW))
SSDVP_ROWS_OF(slc_policy, SLC_POLICIES(SSDVP_FLAGGED_ROW))
SSDVP_ROWS_OF(superblock_stripe, STRIPES(SSDVP_PLAIN_ROW))

value_spec words_of_rows(const std::vector<choice_row>& rows, std::uint32_t hidden)
{
    value_spec spec;
    spec.kind = value_kind::choice;
    for (std::size_t n = 0; n < rows.size(); ++n) {
        if ((rows[n].flags & hidden) == 0) {
            spec.choices.push_back({rows[n].word, static_cast<int>(n), rows[n].about});
        }
    }
    return spec;
}

std::string names_of_rows(const std::vector<choice_row>& rows, std::uint32_t flags)
{
    std::vector<std::string> names;
    std::vector<std::string> others;
    for (const choice_row& row : rows) {
        ((row.flags & flags) == flags ? names : others).emplace_back(row.word);
    }
    if (others.size() == 1) {
        return "not " + others.front();
    }
    std::string text;
    for (std::size_t n = 0; n < names.size(); ++n) {
        text += (n == 0 ? "" : n + 1 == names.size() ? " or " : ", ") + names[n];
    }
    return text;
}

} // namespace ssdvp::platform
