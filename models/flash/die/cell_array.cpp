// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/cell_array.h"

#include <algorithm>

#include "models/common/rng.h"

namespace ssdvp::flash {

namespace {

constexpr std::uint64_t time_variation_stream = 0x15BE; // keeps the two draws of a seed apart

constexpr std::uint64_t torn_stream = 0x704E;

std::uint64_t torn_key(std::uint64_t seed, die_index die)
{
    return random_at(random_at(seed, torn_stream), die.value());
}

constexpr const char* wrong_mode = "read in another mode than programmed";

/// Mean 0, standard deviation 1, near enough to normal: twelve uniform draws. No libm, whose last
/// bits differ between machines.
double deviate(rng& random)
{
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) {
        sum += random.real();
    }
    return sum;
}

std::int16_t thousandths(double value)
{
    return static_cast<std::int16_t>(std::clamp(value * 1000.0, -32000.0, 32000.0));
}

} // namespace

cell_array::cell_array(const die_config& config, std::string who, fault_log* faults, die_index die)
    : m_store(config), m_blocks_per_plane(config.geo.blocks_per_plane),
      m_endurance(config.endurance), m_slc_endurance(config.slc_endurance),
      m_slc_pages(slc_pages(config)), m_any_order(config.order == page_order::any),
      m_erase(config.erase), m_pe_cycles(config.pe_cycles),
      m_wear(std::size_t{config.geo.planes} * config.geo.blocks_per_plane),
      m_torn(torn_key(config.seed, die)), m_passes(config), m_limit(config),
      m_pages_per_block(config.geo.pages_per_block), m_who(std::move(who)), m_faults(faults)
{
    if (config.errors.any()) {
        m_errors = std::make_unique<error_model>(config, die);
    }
    const each<lun_block_index> blocks(m_wear.size());
    if (config.factory_bad_share > 0.0) {
        rng random(config.seed, die.value());
        for (const lun_block_index i : blocks) {
            // ONFI: the first block of a LUN is shipped good.
            wear(i).factory_bad = random.chance(config.factory_bad_share) && i.value() != 0;
        }
    }
    if (config.erase.loops_spread > 0.0) {
        rng variation(config.seed ^ time_variation_stream, die.value());
        for (const lun_block_index i : blocks) {
            wear(i).loops_deviation = thousandths(deviate(variation) * config.erase.loops_spread);
        }
    }
}

std::uint64_t cell_array::address_space(const die_config& config, const cells_in_use& used)
{
    const std::uint64_t blocks = std::uint64_t{config.geo.planes} * config.geo.blocks_per_plane;
    return store::address_space(config, used) + retention_limit::address_space(config) +
           blocks * sizeof(block_wear) +
           (config.errors.any() ? error_model::address_space(config) : 0);
}

std::uint32_t cell_array::erase_loops(const cell_address& a) const
{
    const block_wear& w = wear(lun_block(a));
    const std::int64_t erases = erase_count(a.plane, a.block);
    const std::int64_t last = m_erase.loops;
    const std::int64_t fresh = m_erase.loops_fresh == 0 ? last : m_erase.loops_fresh;
    const std::int64_t rated = m_endurance == 0 ? 1 : m_endurance;
    const std::int64_t grown = (last - fresh) * 1000 * std::min(erases, rated);
    const std::int64_t loops = (fresh * 1000 + grown / rated + w.loops_deviation + 500) / 1000;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(loops, 1, last));
}

flash_status cell_array::violation(const cell_address& a, const char* what)
{
    if (m_faults != nullptr) {
        m_faults->misuse(m_who.c_str(), 0, [&] {
            return std::string(what) + ": plane " + std::to_string(a.plane.value()) + " block " +
                   std::to_string(a.block.value()) + " page " + std::to_string(a.page.value());
        });
    }
    return FLASH_STATUS_PHYSICS;
}

bool cell_array::factory_bad(plane_index plane, block_index block) const
{
    return wear(lun_block({plane, block, page_index()})).factory_bad;
}

flash_program_mode cell_array::mode_of(const cell_address& a) const
{
    const block_wear& w = wear(lun_block(a));
    return w.slc                                                   ? FLASH_MODE_SLC
           : m_pages_per_block - a.page.value() <= w.shallow_pages ? FLASH_MODE_SHALLOW
                                                                   : FLASH_MODE_NORMAL;
}

bool cell_array::coarse_is_next(const cell_address& a, flash_program_mode mode) const
{
    const lun_block_index block = lun_block(a);
    return m_passes.takes(mode) &&
           !pass_order::is_fine(a.page, m_passes.counts(block, m_store.programmed(block)));
}

/// What a program of the page breaks; null = nothing.
const char* cell_array::out_of_order(const cell_address& a, bool in_passes) const
{
    const lun_block_index block = lun_block(a);
    if (m_passes.latches_taken(a.plane, block)) {
        return "program while the latches hold a word line of another block";
    }
    if (in_passes) {
        return m_passes.order().refusal(a.page, m_passes.counts(block, m_store.programmed(block)));
    }
    const bool next = m_any_order || a.page.value() == m_store.programmed(block);
    return next && !m_passes.open(block) ? nullptr : "program out of page order";
}

flash_status cell_array::program(const cell_address& a, const page_register& from,
                                 const program_way& way)
{
    const lun_block_index block = lun_block(a);
    if (wear(block).factory_bad || wear(block).failed) {
        m_passes.give_up(a.plane, block);
        return FLASH_STATUS_PROGRAM_FAIL;
    }
    if (wear(block).torn == torn_state::all_pages) {
        return violation(a, "program of a block whose erase a power cut broke off");
    }
    if (m_store.holds(block, a.page)) {
        return violation(a, "program of a page that is not erased");
    }
    const bool in_passes = m_passes.takes(way.mode) && way.access == cell_access::timed;
    if (const char* broken = out_of_order(a, in_passes)) {
        return violation(a, broken);
    }
    if (!take_mode(a, way.mode)) {
        return violation(a, "program in a mode that the block does not allow");
    }
    if (in_passes && coarse_is_next(a, way.mode)) {
        m_passes.coarse(a.plane, block, a.page, m_store.programmed(block), from);
        wear(block).torn = torn_state::some_pages; // so that reads look closer
        return FLASH_STATUS_OK;
    }
    if (in_passes && !m_passes.same(block, a.page, from)) {
        return violation(a, "fine pass with other data than the coarse pass");
    }
    if (m_errors != nullptr && way.access == cell_access::timed) {
        if (m_errors->program_fails(worn(a))) {
            wear(block).failed = true;
            m_passes.give_up(a.plane, block);
            changed(block, block_change::pages);
            return FLASH_STATUS_PROGRAM_FAIL;
        }
        m_errors->programmed(worn(a), now());
    }
    m_limit.programmed(block, a.page, way.mode, now());
    m_store.program(block, a.page, from);
    if (in_passes) {
        m_passes.fine(a.plane, block, a.page);
    }
    changed(block, block_change::pages);
    return FLASH_STATUS_OK;
}

flash_status cell_array::erase(const cell_address& a, cell_access access)
{
    block_wear& w = wear(lun_block(a));
    if (w.factory_bad || w.failed) {
        return FLASH_STATUS_ERASE_FAIL;
    }
    changed(lun_block(a), block_change::whole);
    const std::uint32_t rated = w.slc && m_slc_endurance != 0 ? m_slc_endurance : m_endurance;
    if (rated != 0 && erase_count(a.plane, a.block) >= rated) {
        w.failed = true;
        return FLASH_STATUS_ERASE_FAIL;
    }
    if (m_errors != nullptr) {
        if (access == cell_access::timed && m_errors->erase_fails(worn(a))) {
            w.failed = true;
            return FLASH_STATUS_ERASE_FAIL;
        }
        m_errors->erased(lun_block(a));
    }
    ++w.erases;
    w.slc = false;
    w.shallow_pages = 0;
    if (w.torn != torn_state::whole) {
        w.torn = torn_state::whole;
        m_torn.heal(lun_block(a), m_pages_per_block);
    }
    m_store.erase(lun_block(a));
    m_passes.erase(lun_block(a));
    return FLASH_STATUS_OK;
}

void cell_array::suspended(const cell_address& a, std::uint32_t suspends)
{
    if (m_errors != nullptr) {
        m_errors->suspended(lun_block(a), suspends);
    }
}

void cell_array::carry(const cell_address& a, double rber)
{
    if (m_errors != nullptr) {
        m_errors->carried(worn(a), rber);
    } else {
        tear(a);
    }
}

/// SLC or not is the whole block's; a shallow page leaves the rest of its block with less margin.
bool cell_array::take_mode(const cell_address& a, flash_program_mode mode)
{
    block_wear& w = wear(lun_block(a));
    const bool slc = mode == FLASH_MODE_SLC;
    if ((slc && a.page.value() >= m_slc_pages) ||
        (m_store.programmed(lun_block(a)) != 0 && slc != w.slc) ||
        (slc && m_passes.open(lun_block(a)))) {
        return false;
    }
    w.slc = slc;
    if (mode == FLASH_MODE_SHALLOW) {
        w.shallow_pages = std::max(w.shallow_pages, m_pages_per_block - a.page.value());
    }
    return true;
}

bool cell_array::reads_right(const cell_address& a, flash_program_mode mode) const
{
    const lun_block_index block = lun_block(a);
    return !m_store.holds(block, a.page) || (mode == FLASH_MODE_SLC) == wear(block).slc;
}

flash_status cell_array::functional_read(const cell_address& a, flash_program_mode mode)
{
    if (torn(a)) {
        return FLASH_STATUS_UNCORRECTABLE;
    }
    return reads_right(a, mode) ? FLASH_STATUS_OK
           : m_passes.on()      ? FLASH_STATUS_UNCORRECTABLE
                                : violation(a, wrong_mode);
}

/// Read levels of another mode cut through the distributions: every other bit is wrong.
page_noise cell_array::sense(const cell_address& a, std::uint32_t retry, flash_program_mode mode)
{
    page_noise noise;
    if (torn(a)) {
        noise.torn = true;
        return noise;
    }
    if (!holds(a)) {
        return noise;
    }
    const bool right = reads_right(a, mode);
    if (m_errors != nullptr) {
        noise = m_errors->sense(worn(a), retry, now());
        noise.rber = right ? noise.rber : 0.5;
    } else if (!right && (wear(lun_block(a)).failed || m_passes.on())) {
        noise.torn = true; // nobody knows the mode of a block that is out of service, or whose
                           // anchor records power-up looks for in SLC mode (docs/models/die.md)
    } else if (!right) {
        violation(a, wrong_mode);
    }
    if (m_limit.passed(lun_block(a), a.page, now())) {
        noise.rber = 0.5;
        noise.key =
            m_errors != nullptr ? noise.key : random_at(lun_block(a).value(), a.page.value());
    }
    return noise;
}

void cell_array::read_oob(const cell_address& a, unsigned char* to, std::uint32_t length) const
{
    if (torn(a)) {
        m_torn.read_oob(lun_block(a), a.page, to, length);
        return;
    }
    m_store.read_oob(lun_block(a), a.page, to, length);
    if (length != 0 && a.page.value() == 0 && wear(lun_block(a)).factory_bad) {
        to[0] = 0x00; // the maker's mark
    }
}

void cell_array::copy_to(page_register& to, const cell_address& from,
                         std::vector<unsigned char>& scratch) const
{
    const data_form form = m_store.form_of_page(lun_block(from), from.page);
    scratch.resize(std::max(m_store.page_size(), m_store.stored_oob()));
    to.begin(form);
    if (form != data_form::nothing) {
        read_data(from, {from.page, 0, m_store.page_size()}, form, scratch.data());
        to.put_data(0, scratch.data(), m_store.page_size());
    }
    read_oob(from, scratch.data(), m_store.stored_oob());
    to.put_oob(scratch.data(), m_store.stored_oob());
}

} // namespace ssdvp::flash
