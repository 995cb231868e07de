// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/tag_cells.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::flash {

namespace {

bool all_are(const std::uint64_t* tags, std::uint32_t count, std::uint64_t value)
{
    return std::all_of(tags, tags + count, [value](std::uint64_t t) { return t == value; });
}

} // namespace

/// Without a branch per sector: almost all do.
bool tag_cells::count_up(const std::uint64_t* tags, std::uint32_t count)
{
    std::uint64_t wrong = 0;
    for (std::uint32_t i = 1; i < count; ++i) {
        wrong |= tags[i] ^ (tags[0] + i * tag_step);
    }
    return wrong == 0 && (tags[0] & tag_version_mask) != 0 && tags[0] != erased;
}

tag_cells::tag_cells(std::uint32_t sectors, std::uint32_t units)
    : m_sectors(sectors), m_run_sectors(std::min(run_sectors_max, sectors)),
      m_piece_sectors(m_run_sectors), m_pool(sizeof(list))
{
    const std::uint32_t of_unit = units != 0 && sectors % units == 0 ? sectors / units : 0;
    m_runs = (sectors + m_run_sectors - 1) / m_run_sectors;
    const bool splits = of_unit % run_sectors_max == 0;
    if (of_unit != 0 && (splits || run_sectors_max % of_unit == 0)) {
        m_unit_sectors = of_unit;
        m_piece_sectors = std::min(run_sectors_max, of_unit);
        m_unit_pieces = m_unit_sectors / m_piece_sectors;
        m_pieces = sectors / m_piece_sectors;
    }
}

std::uint32_t tag_cells::length(tag_form form, std::uint32_t piece) const
{
    const std::uint32_t most = piece_sectors(form);
    return std::min(most, m_sectors - piece * most);
}

void tag_cells::learn(std::uint64_t& distance, const std::uint64_t* units,
                      const std::uint64_t* tags) const
{
    for (std::uint32_t k = 0; k < m_pieces; ++k) {
        const std::uint64_t* piece = tags + k * m_piece_sectors;
        if (count_up(piece, m_piece_sectors)) {
            distance = piece[0] - foretold(0, k, units[unit_of(k)]);
            return;
        }
    }
}

bool tag_cells::follow(std::uint64_t distance, const std::uint64_t* units,
                       const std::uint64_t* tags) const
{
    std::uint64_t wrong = 0;
    for (std::uint32_t k = 0; k < m_pieces && wrong == 0; ++k) {
        const tag_run run = get(nullptr, tag_form::followed, distance, k, units[unit_of(k)]);
        std::uint64_t tag = run.first;
        for (std::uint32_t i = 0; i < m_piece_sectors; ++i, tag += run.step) {
            wrong |= *tags++ ^ tag;
        }
    }
    return wrong == 0;
}

bool tag_cells::differ_in_version(std::uint64_t distance, const std::uint64_t* units,
                                  const std::uint64_t* tags) const
{
    for (std::uint32_t k = 0; k < m_pieces; ++k) {
        const std::uint64_t* piece = tags + k * m_piece_sectors;
        const std::uint64_t other = piece[0] ^ foretold(distance, k, units[unit_of(k)]);
        if (other > tag_version_mask && count_up(piece, m_piece_sectors)) {
            return false;
        }
    }
    return true;
}

tag_form tag_cells::least(tag_form form, std::uint64_t distance, const std::uint64_t* units,
                          const std::uint64_t* tags) const
{
    if (form == tag_form::followed && !follow(distance, units, tags)) {
        form = tag_form::versions;
    }
    if (form == tag_form::versions && !differ_in_version(distance, units, tags)) {
        form = tag_form::runs;
    }
    return form;
}

std::uint64_t tag_cells::code_of(tag_form form, const std::uint64_t* tags, std::uint32_t count,
                                 std::uint32_t& pooled)
{
    const bool versions = form == tag_form::versions;
    if (count_up(tags, count)) {
        return versions ? tags[0] & tag_version_mask : tags[0];
    }
    if (all_are(tags, count, zeros) || all_are(tags, count, erased)) {
        return tags[0];
    }
    ++pooled;
    const std::uint32_t number = m_pool.take();
    std::memcpy(m_pool.at(number), tags, count * sizeof *tags);
    return versions ? in_pool | number : (std::uint64_t{number} + 1) << tag_version_bits;
}

std::uint32_t tag_cells::put(unsigned char* to, tag_form form, const std::uint64_t* tags)
{
    std::uint32_t pooled = 0;
    for (std::uint32_t k = 0; form != tag_form::followed && k < pieces(form); ++k) {
        const std::uint32_t count = length(form, k);
        const std::uint64_t code = code_of(form, tags, count, pooled);
        if (form == tag_form::runs) {
            std::memcpy(to + k * sizeof code, &code, sizeof code);
        } else {
            const auto version = static_cast<std::uint32_t>(code);
            std::memcpy(to + k * sizeof version, &version, sizeof version);
        }
        tags += count;
    }
    return pooled;
}

std::uint32_t tag_cells::release(const unsigned char* from, tag_form form)
{
    std::uint32_t freed = 0;
    for (std::uint32_t k = 0; form != tag_form::followed && k < pieces(form); ++k) {
        const unsigned char* at = from + k * size_of(form);
        if (form == tag_form::runs && run_in_pool(load<std::uint64_t>(at))) {
            const std::uint64_t code = load<std::uint64_t>(at);
            m_pool.give_back(static_cast<std::uint32_t>((code >> tag_version_bits) - 1));
            ++freed;
        } else if (form == tag_form::versions && version_in_pool(load<std::uint32_t>(at))) {
            m_pool.give_back(load<std::uint32_t>(at) & ~in_pool);
            ++freed;
        }
    }
    return freed;
}

} // namespace ssdvp::flash
