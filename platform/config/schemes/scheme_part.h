// SPDX-License-Identifier: Apache-2.0
//
// What the configuration has of one scheme of ftl.scheme: its options, what they are when nobody
// gives them, their rules, and what the firmware is told of them. A part is part_<id>() in
// <id>.cpp, which CMake finds; a scheme without options has none.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/regs/boot_params.h"
#include "platform/config/choices.h"
#include "platform/config/config.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"
#include "platform/config/raw.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

class scheme_part {
public:
    virtual ~scheme_part() = default;
    [[nodiscard]] virtual std::vector<option> options() const = 0;
    /// What follows from other keys where it was not given; of the scheme in use only, like all
    /// below.
    virtual void complete(const raw_tree& /*raw*/, ssd_config& /*c*/) const {}
    virtual void check(const rejection& /*reject*/, const ssd_config& /*c*/) const {}
    /// Of a block's pages those that are no page's place.
    [[nodiscard]] virtual std::uint32_t spare_pages(const ssd_config& /*c*/) const { return 0; }
    virtual void fill(boot_params& /*p*/, const ssd_config& /*c*/) const {}
};

/// The part of the scheme in use; one that does nothing where it has none.
const scheme_part& part_of(const ssd_config& c);

/// Options of all schemes that have one of the flags, in the order of their table.
std::vector<option> scheme_options(std::uint32_t flags);

/// An option of one scheme: refused beside another one, and no resolved configuration of another
/// one says it.
option option_of(ftl_scheme scheme, option o);
/// The same of one that every resolved configuration says.
option kept_option_of(ftl_scheme scheme, option o);

/// 3 % of the logical blocks: what a log has by default.
std::uint32_t log_share(const ssd_config& c);

constexpr std::uint64_t scheme_blocks_max = 1000 * 1000; // of an option that counts blocks

} // namespace ssdvp::platform
