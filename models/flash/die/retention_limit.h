// SPDX-License-Identifier: Apache-2.0
//
// How long a page that was programmed shallow can be read: a step. Before the limit it errs as the
// error model says; from the limit on every other bit is wrong, which no code corrects, until its
// block is erased. The step holds without an error model too.
#pragma once

#include <cstdint>

#include "models/common/lazy_array.h"
#include "models/common/state_archive.h"
#include "models/common/time.h"
#include "models/flash/config.h"
#include "models/protocols/flash_indices.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

class retention_limit {
public:
    explicit retention_limit(const die_config& config);
    /// What it takes of the host's address space, in bytes; little of it is memory.
    [[nodiscard]] static std::uint64_t address_space(const die_config& config)
    {
        return pages_kept(config) * sizeof(std::uint64_t);
    }

    /// The page was programmed.
    void programmed(lun_block_index block, page_index page, flash_program_mode mode, sim_time t);
    /// The page was programmed shallow, at least the limit ago.
    [[nodiscard]] bool passed(lun_block_index block, page_index page, sim_time t) const
    {
        return m_limit != 0 && is_old(block, page, t);
    }
    void keep(state_archive& archive) { archive.pages(m_since, m_since.size()); }

private:
    [[nodiscard]] static std::size_t pages_kept(const die_config& config);
    [[nodiscard]] bool is_old(lun_block_index block, page_index page, sim_time t) const;
    [[nodiscard]] std::size_t place(lun_block_index block, page_index page) const
    {
        return std::size_t{block.value()} * m_pages + page.value();
    }

    std::uint64_t m_limit; // simulated ps; 0 = there is none
    std::uint32_t m_pages;
    lazy_array<std::uint64_t> m_since; // ps + 1 of a shallow program, else 0
};

} // namespace ssdvp::flash
