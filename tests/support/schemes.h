// SPDX-License-Identifier: Apache-2.0
//
// The schemes of the firmware by name, and what tests without a configuration give those of block
// and hybrid mapping.
#pragma once

#include "models/regs/boot_params.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/support/ram_config.h"

namespace ssdvp::test {

struct ftl_scheme {
    const char* name;
    ftl_scheme_id scheme;
};

/// Without the variant of log_set that maps its blocks.
constexpr ftl_scheme ftl_schemes[] = {
    {"page_map", FTL_SCHEME_PAGE_MAP},
    {"dftl", FTL_SCHEME_DFTL},
    {"vm_map", FTL_SCHEME_VM_MAP},
    {"log_set", FTL_SCHEME_LOG_SET},
    {"msbs", FTL_SCHEME_MSBS},
    {"fmax", FTL_SCHEME_FMAX},
    {"lm", FTL_SCHEME_LM},
    {"bast", FTL_SCHEME_BAST},
    {"fast", FTL_SCHEME_FAST},
    {"superblock", FTL_SCHEME_SUPERBLOCK},
    {"kast", FTL_SCHEME_KAST},
    {"last", FTL_SCHEME_LAST},
    {"sast", FTL_SCHEME_SAST},
};

/// Block and hybrid mapping.
constexpr bool is_placed(std::uint32_t scheme)
{
    return scheme >= FTL_SCHEME_MSBS;
}
constexpr bool is_hybrid(std::uint32_t scheme)
{
    return scheme >= FTL_SCHEME_BAST;
}

/// What each scheme of block and hybrid mapping needs, and the options that only it has.
void use_own_options(ram_config& c);
/// What `lblocks` logical blocks fill, with their second or log blocks, and `more`.
std::uint32_t placed_blocks(const boot_params& p, std::uint32_t lblocks, std::uint32_t more);

} // namespace ssdvp::test
