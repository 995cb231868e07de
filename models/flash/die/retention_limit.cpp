// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/retention_limit.h"

namespace ssdvp::flash {

/// Those of the die, where pages have a limit.
std::size_t retention_limit::pages_kept(const die_config& config)
{
    const geometry& geo = config.geo;
    return shallow_limit(config) == sim_time()
               ? 0
               : std::size_t{geo.planes} * geo.blocks_per_plane * geo.pages_per_block;
}

retention_limit::retention_limit(const die_config& config)
    : m_limit(shallow_limit(config).ps()), m_pages(config.geo.pages_per_block),
      m_since(pages_kept(config))
{}

void retention_limit::programmed(lun_block_index block, page_index page, flash_program_mode mode,
                                 sim_time t)
{
    if (m_limit == 0) {
        return;
    }
    std::uint64_t& since = m_since[place(block, page)];
    if (mode == FLASH_MODE_SHALLOW) {
        since = t.ps() + 1;
    } else if (since != 0) { // what was never shallow is not touched, and takes no memory
        since = 0;
    }
}

bool retention_limit::is_old(lun_block_index block, page_index page, sim_time t) const
{
    const std::uint64_t since = m_since[place(block, page)];
    return since != 0 && t.ps() + 1 - since >= m_limit;
}

} // namespace ssdvp::flash
