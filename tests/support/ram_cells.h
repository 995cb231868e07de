// SPDX-License-Identifier: Apache-2.0
//
// The cells of the RAM NAND. They enforce physics (erase before program, page order, bad and worn
// blocks), and they are what outlives a power cut.
//
// Fault model of a cut. A page that was being programmed (each plane of a multi-plane operation,
// the destination of a copyback) is torn: data and spare bytes read as garbage and uncorrectable at
// any retry level until its block is erased, and it counts as programmed for the order of pages. A
// block that was being erased is torn throughout, and takes no program until an erase of it has
// ended. A page whose program failed is torn too; a block whose erase failed may keep its data or
// be torn.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "models/regs/channel_regs.h"
#include "tests/support/ram_board.h"

namespace ssdvp::test {

/// The pages of a block. Images share them until somebody writes.
struct ram_pages {
    std::vector<std::uint8_t> data; // 8 bytes a sector, or all of them in full mode
    std::vector<std::uint8_t> oob;
    std::vector<std::uint8_t> torn; // by page
    std::vector<std::uint8_t> held; // by page: programmed, torn or not
    /// Pages written with FLASH_FLAG_METADATA: every byte in any mode.
    std::map<std::uint32_t, std::vector<std::uint8_t>> whole;
};

struct ram_block {
    std::uint32_t programmed = 0; // 1 + the last page that is, torn ones too
    std::uint32_t erases = 0;     // begun
    bool failed = false;
    bool torn = false;        // by an erase that did not end
    bool slc = false;         // what it holds was programmed in SLC mode
    std::uint32_t coarse = 0; // pages that have had the first of two passes, programmed ones too
    /// Of the pages between their passes, by page modulo its length: a sum of what the first
    /// brought.
    std::array<std::uint64_t, 8> sums{};
    std::shared_ptr<ram_pages> pages;
    [[nodiscard]] bool holds(std::uint32_t page) const
    {
        return page < programmed && pages->held[page] != 0;
    }
};

/// All blocks of a drive, by channel, LUN, plane and block.
using ram_image = std::vector<ram_block>;

class ram_cells : public ram_board {
public:
    explicit ram_cells(const ram_config& c);

    struct operation_count {
        std::uint64_t reads = 0, programs = 0, erases = 0; // pages, pages, blocks
        std::uint64_t read_operations = 0, copybacks = 0;  // copied pages count as both too
    };
    [[nodiscard]] const operation_count& count(flash_purpose purpose) const
    {
        return m_count[purpose];
    }
    [[nodiscard]] std::uint32_t erases(const nand_place& p) const;
    /// Blocks that failed since the drive was made; not those that were bad from the factory.
    [[nodiscard]] std::uint32_t failed_blocks() const { return m_failed; }
    /// Every page that is programmed and whole: its spare words (spare.h) and, in tag mode, its
    /// tags.
    [[nodiscard]] std::vector<nand_page> pages() const;
    /// One block of an image of this drive.
    [[nodiscard]] ram_block& block_of(ram_image& image, const nand_place& p) const;
    /// ... whose pages are its own, so that a test may change them.
    [[nodiscard]] ram_pages& pages_of(ram_block& b) const;
    /// Bytes that the cells keep of a sector.
    [[nodiscard]] std::uint32_t kept() const;

protected:
    flash_completion perform(std::uint32_t channel, const flash_desc& d);
    /// What a power cut inside an operation leaves.
    void tear(ram_image& image, std::uint32_t channel, const flash_desc& d) const;
    void set_blocks(const ram_image& image);
    /// A program of a word line, whose pages go to the hardware together.
    [[nodiscard]] bool takes_passes(const flash_desc& d) const;
    virtual void set_feature(std::uint32_t channel, const flash_desc& d) = 0;

    ram_image m_blocks;

private:
    flash_status perform_plane(const nand_place& p, const flash_desc& d, std::uint32_t index);
    flash_status read_plane(const nand_place& p, const flash_desc& d, std::uint32_t index);
    flash_status copy_plane(const nand_place& from, const flash_desc& d, std::uint32_t index);
    flash_status erase_plane(const nand_place& p, const flash_desc& d);
    bool program_fails(const nand_place& p, const flash_desc& d, std::uint32_t page);
    bool take_page(const nand_place& p, std::uint32_t page);
    bool suits(const ram_block& b, const flash_desc& d);
    bool mode_is_right(const nand_place& p, const flash_desc& d);
    bool copy_suits(const nand_place& from, const flash_desc& d);
    void fail(ram_block& b);
    void count_page(ram_block& b, std::uint32_t page) const;
    [[nodiscard]] bool is_next(const ram_block& b, std::uint32_t page) const;
    [[nodiscard]] bool is_coarse(const ram_block& b, const flash_desc& d) const;
    [[nodiscard]] bool pass_is_due(const ram_block& b, const flash_desc& d) const;
    bool take_pass(ram_block& b, const flash_desc& d, std::uint32_t index);
    [[nodiscard]] std::uint64_t sum_of(const flash_desc& d, std::uint32_t index);
    [[nodiscard]] std::uint32_t slc_pages() const;
    void tear_page(ram_block& b, std::uint32_t page) const;
    flash_status garbage(const nand_place& p, const flash_desc& d, std::uint32_t index);
    flash_status spoil(const ram_config::read_result& r, const flash_desc& d, std::uint32_t index);
    std::uint64_t address_of(const flash_desc& d, std::uint64_t linear);
    void transfer(ram_block& b, const flash_desc& d, std::uint32_t index);
    void transfer_data(ram_pages& cells, const flash_desc& d, std::uint32_t index);
    void read_erased(const flash_desc& d, std::uint32_t index);
    ram_block& block_at(const nand_place& p) { return block_of(m_blocks, p); }

    std::uint32_t m_failed = 0;
    std::uint32_t m_corrected_bits = 0; // of the operation being carried out
    operation_count m_count[FLASH_PURPOSES];
};

} // namespace ssdvp::test
