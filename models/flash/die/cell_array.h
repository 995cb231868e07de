// SPDX-License-Identifier: Apache-2.0
//
// The array of one LUN without time: what the cells hold and what their physics allow. No program
// without an erase, pages of a block in order (unless the part takes any), wear, bad blocks. Used
// by the LUN at the end of each array operation, and directly by the channel's functional mode.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/fault_log.h"
#include "models/common/state_archive.h"
#include "models/flash/die/cell_image.h"
#include "models/flash/die/errors/error_model.h"
#include "models/flash/die/pass_cells.h"
#include "models/flash/die/retention_limit.h"
#include "models/flash/die/store.h"
#include "models/flash/die/torn.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

/// Address of a page (or, without the page, of a block) of a LUN.
struct cell_address {
    plane_index plane;
    block_index block;
    page_index page;
};

/// Who works on the cells: the array in its time, or functional mode, which is spared the failures
/// and whose data have the age of preconditioned data.
enum class cell_access : std::uint8_t { timed, functional };

struct program_way {
    cell_access access = cell_access::timed;
    flash_program_mode mode = FLASH_MODE_NORMAL;
};

class cell_array {
public:
    /// `die` selects the stream that draws bad blocks.
    cell_array(const die_config& config, std::string who, fault_log* faults, die_index die);
    static std::uint64_t address_space(const die_config& config, const cells_in_use& used); // bytes

    /// Programs one page. FLASH_STATUS_PHYSICS (and a fault) when the cells do not allow it.
    flash_status program(const cell_address& a, const page_register& from,
                         const program_way& way = {});
    /// FLASH_STATUS_ERASE_FAIL on a bad or worn block, which is bad from then on.
    flash_status erase(const cell_address& a, cell_access access = cell_access::timed);
    /// The erase of this block that is about to end was suspended so often.
    void suspended(const cell_address& a, std::uint32_t suspends);
    /// Power goes while the page is programmed from `from`: it counts as programmed, and is torn.
    void cut_program(const cell_address& a, const page_register& from, const program_way& way);
    /// Power goes while the block is erased, or its erase is suspended: all of it is torn.
    void cut_erase(const cell_address& a);
    /// A page that holds no code word, since a copyback brought one from a torn page, or since the
    /// latches that held it lost power. Precondition: it counts as programmed.
    void tear(const cell_address& a);
    [[nodiscard]] bool torn(const cell_address& a) const
    {
        const torn_state state = wear(lun_block(a)).torn;
        return state != torn_state::whole &&
               (state == torn_state::all_pages || m_torn.holds(lun_block(a), a.page) ||
                between_passes(a));
    }
    /// Of a two-pass part: the page has been loaded, and its word line has not had its fine pass.
    [[nodiscard]] bool between_passes(const cell_address& a) const
    {
        return m_passes.open(lun_block(a)) && m_passes.between(lun_block(a), a.page);
    }
    /// ... a program of the page in a mode is its coarse pass.
    [[nodiscard]] bool coarse_is_next(const cell_address& a, flash_program_mode mode) const;
    void power_off() { m_passes.power_off(); }
    /// Since the start of the run.
    [[nodiscard]] std::uint64_t torn_pages() const { return m_torn_pages; }
    [[nodiscard]] std::uint64_t torn_blocks() const { return m_torn_blocks; }

    /// An array read at a read retry level, in a mode: what it brings into the page register beside
    /// the data.
    page_noise sense(const cell_address& a, std::uint32_t retry,
                     flash_program_mode mode = FLASH_MODE_NORMAL);
    /// What a read without the array has to ask first: FLASH_STATUS_PHYSICS (and a fault) in
    /// another mode than the page's, FLASH_STATUS_UNCORRECTABLE on torn cells.
    flash_status functional_read(const cell_address& a, flash_program_mode mode);
    /// Null without errors in the configuration.
    [[nodiscard]] const error_model* errors() const { return m_errors.get(); }
    [[nodiscard]] error_model* errors() { return m_errors.get(); }
    void read_data(const cell_address& a, const page_slice& slice, data_form form,
                   unsigned char* to) const
    {
        if (torn({a.plane, a.block, slice.page})) {
            m_torn.read_data(lun_block(a), slice, form, to);
            return;
        }
        m_store.read_data(lun_block(a), slice, form, to);
    }
    /// Fills a page register with what a page holds. `scratch` is for the bytes on their way.
    void copy_to(page_register& to, const cell_address& from,
                 std::vector<unsigned char>& scratch) const;
    /// The page just programmed holds data that had this rate of bit errors when they were copied.
    /// Without an error model those are of a page whose retention limit had passed.
    void carry(const cell_address& a, double rber);
    void prefetch_block(const cell_address& a) const { m_store.prefetch_block(lun_block(a)); }
    void prefetch_page(const cell_address& a) const { m_store.prefetch_page(lun_block(a), a.page); }
    void read_oob(const cell_address& a, unsigned char* to, std::uint32_t length) const;

    /// ISPE loops that the next erase of this block takes.
    [[nodiscard]] std::uint32_t erase_loops(const cell_address& a) const;
    [[nodiscard]] std::uint32_t erase_count(plane_index plane, block_index block) const
    {
        return m_pe_cycles + wear(lun_block({plane, block, page_index()})).erases;
    }
    [[nodiscard]] bool factory_bad(plane_index plane, block_index block) const;
    [[nodiscard]] std::uint32_t programmed(plane_index plane, block_index block) const
    {
        return m_store.programmed(lun_block({plane, block, page_index()}));
    }
    [[nodiscard]] bool holds(const cell_address& a) const
    {
        return m_store.holds(lun_block(a), a.page);
    }
    [[nodiscard]] std::uint64_t store_bytes() const { return m_store.bytes(); }
    [[nodiscard]] const store& contents() const { return m_store; }

    void keep(state_archive& archive); // what the cells hold and what their blocks went through

    // An image (cell_image.h). Changes count from here on:
    void follow_changes() { m_follow = true; }
    [[nodiscard]] std::vector<block_change> take_changes();
    [[nodiscard]] block_image image_of(lun_block_index block) const;
    [[nodiscard]] bool torn_page(lun_block_index block, page_index page) const;
    /// Before the first power-up: the block is as `image` says; `whole`: and holds no page yet.
    void restore(lun_block_index block, const block_image& image, bool whole);
    /// Then its pages, in order. Their age counts from now.
    void restore_page(lun_block_index block, page_index page, const page_register& from, bool torn);

private:
    /// Zeros: a block that was not touched.
    struct block_wear {
        std::uint32_t erases; // beyond those that every block has behind it
        bool factory_bad;
        bool failed;                  // an erase or a program failed
        std::int16_t loops_deviation; // process variation, in thousandths of an ISPE loop
        bool slc;                     // programmed in SLC mode
        torn_state torn;
        block_change::extent change; // since take_changes()
        /// Counted from the block's end: the pages that have less margin since a shallow one.
        std::uint32_t shallow_pages;
    };
    [[nodiscard]] lun_block_index lun_block(const cell_address& a) const
    {
        return lun_block_index(a.plane.value() * m_blocks_per_plane + a.block.value());
    }
    [[nodiscard]] block_wear& wear(lun_block_index block) { return m_wear[block.value()]; }
    [[nodiscard]] const block_wear& wear(lun_block_index block) const
    {
        return m_wear[block.value()];
    }
    [[nodiscard]] worn_page worn(const cell_address& a) const
    {
        return {lun_block(a), a.page, erase_count(a.plane, a.block), mode_of(a)};
    }
    [[nodiscard]] flash_program_mode mode_of(const cell_address& a) const;
    [[nodiscard]] bool reads_right(const cell_address& a, flash_program_mode mode) const;
    bool take_mode(const cell_address& a, flash_program_mode mode);
    [[nodiscard]] const char* out_of_order(const cell_address& a, bool in_passes) const;
    flash_status violation(const cell_address& a, const char* what);
    void changed(lun_block_index block, block_change::extent extent)
    {
        if (m_follow) {
            note_change(block, extent);
        }
    }
    void note_change(lun_block_index block, block_change::extent extent);

    store m_store;
    std::uint32_t m_blocks_per_plane;
    std::uint32_t m_endurance;
    std::uint32_t m_slc_endurance;
    std::uint32_t m_slc_pages; // of a block in SLC mode
    bool m_any_order;
    erase_timing m_erase;
    std::uint32_t m_pe_cycles; // of every block when the run begins
    lazy_array<block_wear> m_wear;
    torn_cells m_torn;
    pass_cells m_passes;
    retention_limit m_limit;
    std::uint64_t m_torn_pages = 0;
    std::uint64_t m_torn_blocks = 0;
    std::uint32_t m_pages_per_block;
    std::unique_ptr<error_model> m_errors;
    std::vector<lun_block_index> m_changes; // each once
    bool m_follow = false;
    std::string m_who;
    fault_log* m_faults;
};

} // namespace ssdvp::flash
