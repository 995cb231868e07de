// SPDX-License-Identifier: Apache-2.0
//
// What the blocks of a LUN went through, and the errors that follow from it. Exists only where the
// configuration has errors.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <vector>

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

private:
    static constexpr page_index none{~0u};
    struct block_state {
        sim_time born;                // when page `timed_from` was programmed
        page_index timed_from = none; // first page that was programmed in simulated time
        std::uint32_t reads = 0;      // since the erase
        std::uint32_t suspends = 0;   // of the last erase
        float variation = 1.0F;       // process variation of the block
    };
    [[nodiscard]] static std::uint64_t place_of(const worn_page& a)
    {
        return (std::uint64_t{a.block.value()} << 32) | a.page.value();
    }
    /// Programmed in simulated time: in a part that takes pages in order all from the first one on.
    [[nodiscard]] bool timed(const worn_page& a) const;
    [[nodiscard]] std::uint64_t key(const worn_page& a, std::uint64_t stream) const;

    die_config m_config;
    rber_model m_rber;
    std::uint64_t m_key; // of the run and the die
    indexed<lun_block_index, block_state> m_blocks;
    boost::unordered_flat_map<std::uint64_t, double> m_carried; // pages that hold copies
    boost::unordered_flat_set<std::uint64_t> m_timed;           // with page_order::any
};

} // namespace ssdvp::flash
