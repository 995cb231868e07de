// SPDX-License-Identifier: Apache-2.0
//
// What the blocks of a LUN went through, and the errors that follow from it. Exists only where the
// configuration has errors.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>

#include "models/common/lazy_array.h"
#include "models/common/state_archive.h"
#include "models/common/time.h"
#include "models/flash/die/errors/bit_errors.h"
#include "models/flash/die/errors/rber.h"

namespace ssdvp::flash {

/// A page of a LUN, and the erases that its block has seen.
struct worn_page {
    lun_block_index block;
    page_index page;
    std::uint32_t erases = 0;
    flash_program_mode mode = FLASH_MODE_NORMAL; // it was programmed in
};

class error_model {
public:
    error_model(const die_config& config, die_index die);
    /// What its tables take of the host's address space, in bytes.
    [[nodiscard]] static std::uint64_t address_space(const die_config& config);

    /// For how long cells have aged since the run began, as time at the configured temperature;
    /// without it they age as time passes.
    void ages_by(std::function<sim_time()> aged) { m_aged = std::move(aged); }

    /// A page was programmed in simulated time. What no call announces was there before: it has
    /// the age of preconditioned data.
    void programmed(const worn_page& a, sim_time t);
    void erased(lun_block_index block);
    void suspended(lun_block_index block, std::uint32_t suspends);
    /// The page holds a copy of data that had this rate of errors: every read of it finds as many
    /// more, drawn anew.
    void carried(const worn_page& a, double rber) { m_carried[place_of(a)] = rber; }
    /// An array read of a programmed page at retry level `retry`: it disturbs the block, and these
    /// are its errors.
    [[nodiscard]] page_noise sense(const worn_page& a, std::uint32_t retry, sim_time t);

    [[nodiscard]] bool program_fails(const worn_page& a) const;
    [[nodiscard]] bool erase_fails(const worn_page& a) const;

    [[nodiscard]] const rber_model& rate() const { return m_rber; }
    /// What a read of this page would find now.
    [[nodiscard]] cell_history history(const worn_page& a, std::uint32_t retry, sim_time t) const;
    void keep(state_archive& archive);

private:
    /// Zeros: a block that was not touched.
    struct block_state {
        std::uint64_t born_ps;     // when the first of its timed pages was programmed
        std::uint32_t timed_pages; // counted from its end: programmed in simulated time
        std::uint32_t reads;       // since the erase
        std::uint32_t suspends;    // of the last erase
        float variation;           // factor by process variation; 0 = 1
    };
    [[nodiscard]] static std::uint64_t place_of(const worn_page& a)
    {
        return (std::uint64_t{a.block.value()} << 32) | a.page.value();
    }
    [[nodiscard]] block_state& state(const worn_page& a) { return m_blocks[a.block.value()]; }
    [[nodiscard]] const block_state& state(const worn_page& a) const
    {
        return m_blocks[a.block.value()];
    }
    [[nodiscard]] std::uint64_t bit_of(lun_block_index block, page_index page) const
    {
        return std::uint64_t{block.value()} * m_config.geo.pages_per_block + page.value();
    }
    /// Programmed in simulated time: in a part that takes pages in order all from the first one on.
    [[nodiscard]] bool timed(const worn_page& a) const;
    [[nodiscard]] std::uint64_t key(const worn_page& a, std::uint64_t stream) const;
    [[nodiscard]] sim_time age(sim_time t) const { return m_aged ? m_aged() : t; }

    die_config m_config;
    rber_model m_rber;
    std::uint64_t m_key; // of the run and the die
    std::function<sim_time()> m_aged;
    lazy_array<block_state> m_blocks;
    boost::unordered_flat_map<std::uint64_t, double> m_carried; // pages that hold copies
    lazy_array<unsigned char> m_timed; // with page_order::any: a bit for each page
};

} // namespace ssdvp::flash
