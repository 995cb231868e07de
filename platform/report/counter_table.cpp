// SPDX-License-Identifier: Apache-2.0
#include "platform/report/counter_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "platform/report/format.h"

namespace ssdvp::platform {

namespace {

#define SSDVP_DESCRIPTION(name, description) description,
constexpr const char* kind_words[] = {COUNTER_KINDS(SSDVP_DESCRIPTION)};
constexpr const char* places[] = {COUNTER_PLACES(SSDVP_DESCRIPTION)};
#undef SSDVP_DESCRIPTION

/// The name of the row, and the words after the count.
std::pair<std::string_view, std::string_view> split(std::string_view text)
{
    const std::size_t colon = text.find(": ");
    return colon == std::string_view::npos
               ? std::pair<std::string_view, std::string_view>{}
               : std::pair{text.substr(0, colon), text.substr(colon + 2)};
}

std::string cell(const std::string& text)
{
    return text.empty() ? " |" : fmt::format(" {} |", text);
}

std::string line_of(const counter_row& row)
{
    const std::string key(row.key);
    return "|" + cell(key.empty() ? "" : "`" + key + "`") + cell(fmt::format("`{}`", row.field)) +
           cell(kind_words[static_cast<std::size_t>(row.kind)]) +
           cell(std::string(row.description)) + cell(places[static_cast<std::size_t>(row.where)]) +
           "\n";
}

} // namespace

const std::vector<counter_row>& counter_rows()
{
#define SSDVP_ROW(in, name, index, kind, where, key, text, description)                            \
    {name,                                                                                         \
     counter_kind::kind,                                                                           \
     counter_where::where,                                                                         \
     key,                                                                                          \
     text,                                                                                         \
     description,                                                                                  \
     [](const telemetry& t) -> std::uint64_t { return t.in index; }},
#define SSDVP_FIELD(field, kind, ...) SSDVP_ROW(field, #field, , kind, __VA_ARGS__)
#define SSDVP_RETENTION(field, kind, ...)                                                          \
    SSDVP_ROW(retention., "retention." #field, field, kind, __VA_ARGS__)
#define SSDVP_ZONES(field, kind, ...) SSDVP_ROW(zones., "zones." #field, field, kind, __VA_ARGS__)
#define SSDVP_SLC(field, kind, ...) SSDVP_ROW(slc., "slc." #field, field, kind, __VA_ARGS__)
#define SSDVP_HMB(field, kind, ...) SSDVP_ROW(hmb., "hmb." #field, field, kind, __VA_ARGS__)
#define SSDVP_ELEMENT(field, index, where, key, description)                                       \
    SSDVP_ROW(field, #field "[" #index "]", [index], COUNTER, where, key, "", description)
#define SSDVP_ELEMENTS_retries // levels have no names
#define SSDVP_ELEMENTS_refresh_reasons COUNTERS_REFRESH(SSDVP_ELEMENT)
#define SSDVP_ELEMENTS_retired COUNTERS_RETIRED(SSDVP_ELEMENT)
#define SSDVP_ARRAY(field, length, kind, description)                                              \
    {#field, counter_kind::kind, counter_where::ALWAYS, "", "", description, nullptr},             \
        SSDVP_ELEMENTS_##field
    // clang-format off
    static const std::vector<counter_row> rows = {
        COUNTERS_MEMORY(SSDVP_FIELD) COUNTERS_UNITS(SSDVP_FIELD)
        COUNTERS_GC(SSDVP_FIELD)
        COUNTERS_LOOKUPS(SSDVP_FIELD)
        COUNTERS_PLACEMENT(SSDVP_FIELD)
        COUNTERS_MERGE_KINDS(SSDVP_FIELD) COUNTERS_MERGES(SSDVP_FIELD)
        COUNTERS_READS(SSDVP_FIELD)
        COUNTERS_ERASES(SSDVP_FIELD)
        COUNTERS_MAPS(SSDVP_FIELD) COUNTERS_DRIVE(SSDVP_FIELD)
        COUNTERS_ZONES(SSDVP_ZONES)
        COUNTERS_SLC(SSDVP_SLC)
        COUNTERS_RETENTION(SSDVP_RETENTION)
        COUNTERS_HMB(SSDVP_HMB)
        COUNTERS_HEALTH(SSDVP_FIELD, SSDVP_ARRAY) COUNTERS_STATE(SSDVP_FIELD)
        COUNTERS_HITS(SSDVP_FIELD) COUNTERS_BUFFER(SSDVP_FIELD)
        COUNTERS_DIRTY(SSDVP_FIELD) COUNTERS_RECOVERY(SSDVP_FIELD)
    };
    // clang-format on
#undef SSDVP_ARRAY
#undef SSDVP_ELEMENTS_retired
#undef SSDVP_ELEMENTS_refresh_reasons
#undef SSDVP_ELEMENTS_retries
#undef SSDVP_ELEMENT
#undef SSDVP_HMB
#undef SSDVP_SLC
#undef SSDVP_ZONES
#undef SSDVP_RETENTION
#undef SSDVP_FIELD
#undef SSDVP_ROW
    return rows;
}

bool has(counter_where where, const measurement& m)
{
    const drive_description& drive = m.drive;
    const bool cache = !drive.cache_policy.empty() && drive.cache_policy != "none";
    switch (where) {
    case counter_where::ALWAYS:
        return true;
    case counter_where::PAGED_MAP:
        return drive.map_is_paged;
    case counter_where::PLACED:
        return drive.places;
    case counter_where::MERGES:
        return drive.merges;
    case counter_where::MERGED_LOGS:
        return drive.merges && m.measured.ftl->merged_logs != 0;
    case counter_where::WEAR:
        return m.measured.ftl->erase_blocks != 0;
    case counter_where::ZONES:
        return drive.zoned;
    case counter_where::RETENTION:
        return drive.retention;
    case counter_where::PREDICTED:
        return drive.retention && drive.predicts;
    case counter_where::SLC_CACHE:
        return drive.slc_cache;
    case counter_where::HOST_BUFFER:
        return drive.host_buffer;
    case counter_where::HEALTH:
        return drive.health;
    case counter_where::RETRIES:
        return drive.health && drive.retry_levels != 0;
    case counter_where::CACHE:
        return cache;
    case counter_where::PADDING:
        return drive.cache_policy == "bplru";
    case counter_where::READ_AHEAD:
        return cache && drive.reads_ahead;
    }
    return false;
}

std::string counted(const measurement& m, std::string_view row)
{
    std::string text;
    for (const counter_row& c : counter_rows()) {
        const auto [name, words] = split(c.text);
        if (name == row && has(c.where, m)) {
            text += text.empty() ? "" : text.back() == ';' ? " " : ", ";
            text += fmt::format("{} {}", text_count(c.read(*m.measured.ftl)), words);
        }
    }
    return text;
}

std::vector<std::string_view> counted_rows()
{
    std::vector<std::string_view> names;
    for (const counter_row& c : counter_rows()) {
        const std::string_view name = split(c.text).first;
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

std::string list_counters()
{
    std::string out = "| key | field | value | meaning | only with |\n|---|---|---|---|---|\n";
    for (const bool has_key : {true, false}) {
        for (const counter_row& row : counter_rows()) {
            out += row.key.empty() == has_key ? "" : line_of(row);
        }
    }
    return out;
}

} // namespace ssdvp::platform
