// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a two-pass part (pass_order.h) that are being programmed: how far each pass has come,
// and of each page between its passes a sum of its data, since both passes must bring the same.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "models/common/state_archive.h"
#include "models/flash/config.h"
#include "models/flash/die/page_register.h"
#include "models/flash/die/pass_order.h"
#include "models/regs/channel_records.h"

namespace ssdvp::flash {

class pass_cells {
public:
    explicit pass_cells(const die_config& config)
        : m_on(config.two_pass),
          m_order(config.geo.pages_per_block, static_cast<std::uint32_t>(config.cell)),
          m_loading(config.two_pass ? config.geo.planes : 0)
    {}

    [[nodiscard]] bool on() const { return m_on; }
    /// Programs of a mode take two passes.
    [[nodiscard]] bool takes(flash_program_mode mode) const
    {
        return m_on && mode == FLASH_MODE_NORMAL;
    }
    [[nodiscard]] const pass_order& order() const { return m_order; }
    /// `programmed`: pages of a block of which nothing else is known.
    [[nodiscard]] pass_counts counts(lun_block_index block, std::uint32_t programmed) const
    {
        const auto found = m_blocks.find(block.value());
        return found == m_blocks.end() ? pass_counts{programmed, programmed, programmed}
                                       : found->second;
    }
    /// The block has pages that are not done.
    [[nodiscard]] bool open(lun_block_index block) const
    {
        return m_on && m_blocks.contains(block.value());
    }
    /// No read level tells what the page holds: it has been loaded, and is not done.
    [[nodiscard]] bool between(lun_block_index block, page_index page) const
    {
        const pass_counts had = counts(block, 0);
        return page.value() >= had.done && page.value() < had.coarse;
    }

    /// The plane's latches hold pages of another block, whose word line waits for more of them.
    [[nodiscard]] bool latches_taken(plane_index plane, lun_block_index block) const
    {
        const std::uint32_t loading = m_on ? m_loading[plane.value()] : 0;
        return loading != 0 && loading != block.value() + 1;
    }

    /// A program of the block has failed: no more pages of its word line come.
    void give_up(plane_index plane, lun_block_index block)
    {
        if (m_on && m_loading[plane.value()] == block.value() + 1) {
            m_loading[plane.value()] = 0;
        }
    }
    void coarse(plane_index plane, lun_block_index block, page_index page, std::uint32_t programmed,
                const page_register& from);
    /// The data are those of the coarse pass, which no power cut has hit.
    [[nodiscard]] bool same(lun_block_index block, page_index page,
                            const page_register& from) const;
    void fine(plane_index plane, lun_block_index block, page_index page);
    void power_off() { std::fill(m_loading.begin(), m_loading.end(), 0U); }
    /// Power goes: what this page's coarse pass had brought is gone.
    void cut(lun_block_index block, page_index page) { m_sums[place(block, page)] = nothing; }
    void erase(lun_block_index block);
    void keep(state_archive& archive)
    {
        archive.map(m_blocks);
        archive.map(m_sums);
        archive.list(m_loading);
    }

private:
    static constexpr std::uint64_t nothing = 0; // no data have this sum

    [[nodiscard]] static std::uint64_t place(lun_block_index block, page_index page)
    {
        return (std::uint64_t{block.value()} << 32) | page.value();
    }

    void load(plane_index plane, lun_block_index block, page_index page)
    {
        m_loading[plane.value()] = m_order.ends_word_line(page) ? 0 : block.value() + 1;
    }

    bool m_on;
    pass_order m_order;
    std::vector<std::uint32_t> m_loading; // by plane: block + 1, 0 = none
    boost::unordered_flat_map<std::uint64_t, pass_counts> m_blocks;
    boost::unordered_flat_map<std::uint64_t, std::uint64_t> m_sums; // by page
};

} // namespace ssdvp::flash
