// SPDX-License-Identifier: Apache-2.0
#include "platform/config/schemes/scheme_part.h"

#include <string>
#include <utility>

#include "platform/config/derived.h"
#include "scheme_parts.h"

namespace ssdvp::platform {

// SCHEME_PARTS has a row for each file of this folder that is a part.
#define SSDVP_PART_OF(id) const scheme_part& part_##id();
SCHEME_PARTS(SSDVP_PART_OF)
#undef SSDVP_PART_OF

namespace {

class no_part final : public scheme_part {
    [[nodiscard]] std::vector<option> options() const override { return {}; }
};

struct part_row {
    ftl_scheme scheme;
    const scheme_part& (*part)();
};

#define SSDVP_PART_ROW(id) {ftl_scheme::id, part_##id},
constexpr part_row part_rows[] = {SCHEME_PARTS(SSDVP_PART_ROW)};
#undef SSDVP_PART_ROW

const scheme_part& part_of_scheme(ftl_scheme scheme)
{
    static const no_part none;
    for (const part_row& row : part_rows) {
        if (row.scheme == scheme) {
            return row.part();
        }
    }
    return none;
}

} // namespace

const scheme_part& part_of(const ssd_config& c)
{
    return part_of_scheme(c.ftl.scheme);
}

std::vector<option> scheme_options(std::uint32_t flags)
{
    std::vector<option> table;
    const std::vector<choice_row>& rows = rows_of<ftl_scheme>();
    for (std::size_t n = 0; n < rows.size(); ++n) {
        if ((rows[n].flags & flags) != 0) {
            append(table, part_of_scheme(static_cast<ftl_scheme>(n)).options());
        }
    }
    return table;
}

namespace {

std::function<bool(const ssd_config&)> runs(ftl_scheme scheme)
{
    return [scheme](const ssd_config& c) { return c.ftl.scheme == scheme; };
}

} // namespace

option option_of(ftl_scheme scheme, option o)
{
    const std::string name = word_of(scheme);
    return acts_when<ssd_config>(std::move(o), runs(scheme), "ftl.scheme is " + name,
                                 "use ftl.scheme: " + name + ", or leave it out");
}

option kept_option_of(ftl_scheme scheme, option o)
{
    const std::string name = word_of(scheme);
    return kept_when<ssd_config>(std::move(o), runs(scheme), "ftl.scheme is " + name,
                                 "use ftl.scheme: " + name + ", or leave it out");
}

std::uint32_t log_share(const ssd_config& c)
{
    return static_cast<std::uint32_t>(logical_blocks(c) * 3 / 100);
}

} // namespace ssdvp::platform
