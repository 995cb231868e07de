// SPDX-License-Identifier: Apache-2.0
#include "tests/support/schemes.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/page_order.h"
#include "models/regs/choices/stripe.h"

namespace ssdvp::test {

void use_own_options(ram_config& c)
{
    boot_params& p = c.params;
    const bool group = p.ftl.scheme == FTL_SCHEME_SUPERBLOCK;
    const bool last = p.ftl.scheme == FTL_SCHEME_LAST;
    c.any_order = !group;
    p.ftl.stripe = STRIPE_BLOCK;
    p.map.placed.page_order = group ? PAGE_ORDER_SEQUENTIAL : PAGE_ORDER_ANY;
    p.map.placed.spare_pages = p.ftl.scheme == FTL_SCHEME_MSBS ? p.geometry.pages_per_block / 4 : 0;
    p.map.placed.merge_switch = p.ftl.scheme == FTL_SCHEME_FMAX ? 1 : 0;
    p.map.placed.eager_close = p.ftl.scheme == FTL_SCHEME_LM ? 1 : 0;
    p.map.placed.superblock_blocks = group ? 4 : 0;
    p.map.placed.update_blocks = group || p.ftl.scheme == FTL_SCHEME_SAST ? 2 : 0;
    p.map.placed.stream_bytes = last ? 2 * p.ftl.map_unit : 0;
    p.map.placed.stream_blocks = last ? 3 : 0;
    p.map.placed.hot_adapts = last ? 1 : 0;
}

std::uint32_t placed_blocks(const boot_params& p, std::uint32_t lblocks, std::uint32_t more)
{
    const std::uint32_t seconds = p.ftl.scheme == FTL_SCHEME_FMAX ? lblocks : p.map.log_blocks + 3;
    return lblocks + seconds + more;
}

} // namespace ssdvp::test
