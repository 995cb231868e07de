// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/errors/error_model.h"

#include <algorithm>

namespace ssdvp::flash {

namespace {

// Streams of one seed: no two draws share a number.
constexpr std::uint64_t die_stream = 0xE44;
constexpr std::uint64_t variation_stream = 1;
constexpr std::uint64_t read_stream = 2;
constexpr std::uint64_t program_stream = 3;
constexpr std::uint64_t erase_stream = 4;

constexpr double variation_min = 0.1; // the tail of the distribution must not reach zero
constexpr double ps_per_day = 86400e12;

std::size_t blocks_of(const die_config& config)
{
    return std::size_t{config.geo.planes} * config.geo.blocks_per_plane;
}

/// Pages that a block's first one in simulated time does not tell of.
std::size_t listed_pages(const die_config& config)
{
    return config.order == page_order::any ? blocks_of(config) * config.geo.pages_per_block : 0;
}

} // namespace

error_model::error_model(const die_config& config, die_index die)
    : m_config(config), m_rber(config),
      m_key(random_at(random_at(config.seed, die_stream), die.value())),
      m_blocks(blocks_of(config)), m_timed((listed_pages(config) + 7) / 8)
{
    const std::uint64_t variation = random_at(m_key, variation_stream);
    const double spread = config.errors.block_spread;
    for (std::size_t b = 0; b < m_blocks.size() && spread > 0.0; ++b) {
        const double factor = 1.0 + spread * deviate_at(variation, b);
        m_blocks[b].variation = static_cast<float>(std::max(factor, variation_min));
    }
}

std::uint64_t error_model::address_space(const die_config& config)
{
    return blocks_of(config) * sizeof(block_state) + listed_pages(config) / 8;
}

std::uint64_t error_model::key(const worn_page& a, std::uint64_t stream) const
{
    return random_at(random_at(random_at(m_key, stream), place_of(a)), a.erases);
}

void error_model::programmed(const worn_page& a, sim_time t)
{
    block_state& b = state(a);
    if (b.timed_pages == 0) {
        b.timed_pages = m_config.geo.pages_per_block - a.page.value();
        b.born_ps = age(t).ps();
    }
    if (m_config.order == page_order::any) {
        const std::uint64_t bit = bit_of(a.block, a.page);
        m_timed[bit / 8] = static_cast<unsigned char>(m_timed[bit / 8] | 1u << bit % 8);
    }
}

bool error_model::timed(const worn_page& a) const
{
    if (m_config.order == page_order::any) {
        const std::uint64_t bit = bit_of(a.block, a.page);
        return (m_timed[bit / 8] >> bit % 8 & 1) != 0;
    }
    return m_config.geo.pages_per_block - a.page.value() <= state(a).timed_pages;
}

void error_model::erased(lun_block_index block)
{
    block_state& b = m_blocks[block.value()];
    const bool listed = b.timed_pages != 0 && m_config.order == page_order::any;
    b.timed_pages = 0;
    b.reads = 0;
    b.suspends = 0;
    const page_index end(m_config.geo.pages_per_block);
    for (page_index p; p < end && !m_carried.empty(); ++p) {
        m_carried.erase(place_of({block, p}));
    }
    for (page_index p; p < end && listed; ++p) {
        const std::uint64_t bit = bit_of(block, p);
        m_timed[bit / 8] = static_cast<unsigned char>(m_timed[bit / 8] & ~(1u << bit % 8));
    }
}

void error_model::suspended(lun_block_index block, std::uint32_t suspends)
{
    m_blocks[block.value()].suspends = suspends;
}

void error_model::keep(state_archive& archive)
{
    archive.pages(m_blocks, m_blocks.size());
    archive.pages(m_timed, m_timed.size());
    archive.map(m_carried);
}

cell_history error_model::history(const worn_page& a, std::uint32_t retry, sim_time t) const
{
    const block_state& b = state(a);
    const bool in_time = timed(a);
    const sim_time lain = age(t) - (in_time ? sim_time(b.born_ps) : sim_time());
    cell_history h;
    h.page = a.mode == FLASH_MODE_SLC ? page_index(0) : a.page; // one page per word line
    h.mode = a.mode;
    h.pe_cycles = a.erases;
    h.retention_days = static_cast<double>(lain.ps()) * m_config.retention_speed *
                           m_config.errors.retention_scale / ps_per_day +
                       (in_time ? 0.0 : m_config.errors.retention_age);
    h.reads = b.reads;
    h.suspends = b.suspends;
    h.block = b.variation == 0.0F ? 1.0 : static_cast<double>(b.variation);
    h.retry = retry;
    return h;
}

page_noise error_model::sense(const worn_page& a, std::uint32_t retry, sim_time t)
{
    page_noise noise;
    noise.rber = m_rber(history(a, retry, t));
    if (const auto copy = m_carried.find(place_of(a)); copy != m_carried.end()) {
        noise.rber = std::min(noise.rber + copy->second, 0.5);
    }
    // The count of reads makes the noise of each read its own.
    noise.key = random_at(key(a, read_stream), state(a).reads);
    ++state(a).reads;
    return noise;
}

bool error_model::program_fails(const worn_page& a) const
{
    const double p = m_config.errors.program_fail;
    return p > 0.0 && uniform_at(key(a, program_stream), 0) < p;
}

bool error_model::erase_fails(const worn_page& a) const
{
    const double p = m_config.errors.erase_fail;
    return p > 0.0 && uniform_at(key(a, erase_stream), 0) < p;
}

} // namespace ssdvp::flash
