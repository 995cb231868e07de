// SPDX-License-Identifier: Apache-2.0
//
// The schemes of the firmware by name, and what tests without a configuration give those of block
// and hybrid mapping.
#pragma once

#include "models/regs/boot_params.h"
#include "tests/support/ram_config.h"

namespace ssdvp::test {

struct ftl_scheme {
    const char* name;
    boot_ftl_scheme scheme;
};

/// Without the variant of log_set that maps its blocks.
constexpr ftl_scheme ftl_schemes[] = {
    {"page_map", BOOT_FTL_PAGE_MAP},
    {"dftl", BOOT_FTL_DFTL},
    {"vm_map", BOOT_FTL_VM_MAP},
    {"log_set", BOOT_FTL_LOG_SET},
    {"msbs", BOOT_FTL_MSBS},
    {"fmax", BOOT_FTL_FMAX},
    {"lm", BOOT_FTL_LM},
    {"bast", BOOT_FTL_BAST},
    {"fast", BOOT_FTL_FAST},
    {"superblock", BOOT_FTL_SUPERBLOCK},
    {"kast", BOOT_FTL_KAST},
    {"last", BOOT_FTL_LAST},
};

/// Block and hybrid mapping.
constexpr bool is_placed(std::uint32_t scheme)
{
    return scheme >= BOOT_FTL_MSBS;
}
constexpr bool is_hybrid(std::uint32_t scheme)
{
    return scheme >= BOOT_FTL_BAST;
}

/// What each scheme of block and hybrid mapping needs, and the options that only it has.
void use_own_options(ram_config& c);
/// What `lblocks` logical blocks fill, with their second or log blocks, and `more`.
std::uint32_t placed_blocks(const boot_params& p, std::uint32_t lblocks, std::uint32_t more);

} // namespace ssdvp::test
