// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tests/powercut/log_parts.h"

namespace ssdvp::test::log_parts {

namespace {

/// The spare word that says a page is whole: its sequence and a check of all words, which another
/// number of them does not pass.
std::uint64_t seal(const std::uint64_t* words, std::uint32_t slots, std::uint64_t sequence)
{
    std::uint64_t check = (sequence + slots) * 0x9E3779B97F4A7C15u;
    for (std::uint32_t i = 1; i <= slots; ++i) {
        check = (check ^ words[i]) * 0xBF58476D1CE4E5B9u;
    }
    return sequence << 24 | (check >> 40 & 0xFFFFFEu) | 1u;
}

} // namespace

// ---- recovery ----

void log_drive::scan_block(std::uint32_t block)
{
    block_info& b = m_s.blocks[block];
    auto* words = at<std::uint64_t>(oob_at);
    flash_desc d{};
    d.purpose = FLASH_PURPOSE_RECOVERY;
    d.oob = oob_at;
    d.oob_length = 8 * (1 + m_slots);
    b.clean = true;
    b.next = 0;
    for (std::uint32_t page = 0; page < m_p.geometry.pages_per_block; ++page) {
        const bool good = read_page(block, page, d);
        if (good && words[0] == ~0ull) {
            break;
        }
        b.clean = !good && m_flaw == log_flaw::TORN_IS_CLEAN && page == 0;
        b.next = b.clean ? 0 : m_p.geometry.pages_per_block; // never continued
        const std::uint64_t sequence = words[0] >> 24;
        if (!good || words[0] != seal(words, m_slots, sequence)) {
            continue;
        }
        m_s.sequence = std::max(m_s.sequence, sequence);
        for (std::uint32_t i = 0; i < m_slots; ++i) {
            const std::uint64_t unit = words[1 + i];
            if (unit < m_p.ftl.user_units && sequence >= m_s.sequence_of[unit]) {
                m_s.sequence_of[unit] = sequence;
                m_s.map[unit] = (block * m_p.geometry.pages_per_block + page) * m_slots + i + 1;
            }
        }
    }
}

void log_drive::recover()
{
    for (std::uint32_t b = 0; b < m_blocks; ++b) {
        scan_block(b);
    }
    for (std::uint32_t u = 0; u < m_p.ftl.user_units; ++u) {
        if (m_s.map[u] != 0) {
            ++m_s.blocks[(m_s.map[u] - 1) / m_slots / m_p.geometry.pages_per_block].valid;
        }
    }
    if (m_flaw == log_flaw::SEQUENCE_RESTARTS) {
        m_s.sequence = 0;
    }
    if (m_flaw == log_flaw::REWRITES_AT_POWER_UP) {
        rewrite_some_block();
    }
}

/// Page by page to memory, erase, and back: all of it is lost when the power goes in between.
void log_drive::rewrite_some_block()
{
    std::uint32_t victim = 0;
    while (victim < m_blocks && m_s.blocks[victim].valid == 0) {
        ++victim;
    }
    if (victim == m_blocks) {
        return;
    }
    flash_desc d{};
    d.purpose = FLASH_PURPOSE_GC;
    d.length = m_p.geometry.page_size;
    d.oob_length = 8 * (1 + m_slots);
    std::uint32_t good = 0;
    for (std::uint32_t page = 0; page < m_p.geometry.pages_per_block; ++page, ++good) {
        d.purpose = FLASH_PURPOSE_RECOVERY;
        d.buffer = kept_at + page * m_p.geometry.page_size;
        d.oob = kept_at + (1u << 19) + page * 256;
        if (!read_page(victim, page, d) || *at<std::uint64_t>(d.oob) == ~0ull) {
            return; // only whole blocks
        }
    }
    d.purpose = FLASH_PURPOSE_GC;
    d.retry = 0;
    execute(FLASH_OP_ERASE, victim, flash_desc{});
    for (std::uint32_t page = 0; page < good; ++page) {
        d.page = page;
        d.buffer = kept_at + page * m_p.geometry.page_size;
        d.oob = kept_at + (1u << 19) + page * 256;
        execute(FLASH_OP_PROGRAM, victim, d);
    }
}

// ---- the log ----

std::uint32_t log_drive::clean_blocks() const
{
    std::uint32_t n = 0;
    for (std::uint32_t b = 0; b < m_blocks; ++b) {
        n += m_s.blocks[b].clean ? 1 : 0;
    }
    return n;
}

/// Only while nothing is gathered may collection come in between.
void log_drive::open_block(bool collecting)
{
    while (!collecting && clean_blocks() <= 4 && collect()) {
    }
    for (std::uint32_t b = 0; b < m_blocks && m_s.open == 0; ++b) {
        // The one after the other, so that all of them wear.
        const auto i = static_cast<std::uint32_t>((b + m_s.sequence) % m_blocks);
        if (m_s.blocks[i].clean) {
            m_s.blocks[i].clean = false;
            m_s.open = i + 1;
        }
    }
    if (m_s.open == 0) {
        m_hal->ops->panic(m_hal->ctx, "log_drive", 0, "no clean block");
    }
}

/// The gathered units to the open block's next page.
bool log_drive::program(std::uint32_t block)
{
    block_info& b = m_s.blocks[block];
    auto* words = at<std::uint64_t>(oob_at);
    for (std::uint32_t i = 0; i < m_slots; ++i) {
        words[1 + i] = i < m_s.gathered ? m_s.gather[i] : units_most;
    }
    const std::uint64_t sequence = ++m_s.sequence;
    words[0] = seal(words, m_slots, sequence);
    flash_desc d{};
    d.page = b.next;
    d.length = m_p.geometry.page_size;
    d.buffer = gathered_at;
    d.oob = oob_at;
    d.oob_length = 8 * (1 + m_slots);
    if (execute(FLASH_OP_PROGRAM, block, d) != FLASH_STATUS_OK) {
        b.bad = true;
        return false;
    }
    for (std::uint32_t i = 0; i < m_s.gathered; ++i) {
        drop(m_s.gather[i]);
        m_s.map[m_s.gather[i]] = (block * m_p.geometry.pages_per_block + b.next) * m_slots + i + 1;
        ++b.valid;
    }
    ++b.next;
    return true;
}

void log_drive::drop(std::uint32_t unit)
{
    if (m_s.map[unit] != 0) {
        --m_s.blocks[(m_s.map[unit] - 1) / m_slots / m_p.geometry.pages_per_block].valid;
    }
}

void log_drive::write_gathered()
{
    while (m_s.gathered != 0) {
        if (m_s.open == 0) {
            open_block(true);
        }
        const std::uint32_t block = m_s.open - 1;
        const bool good = program(block);
        if (!good || m_s.blocks[block].next == m_p.geometry.pages_per_block) {
            m_s.open = 0;
        }
        m_s.gathered = good ? 0 : m_s.gathered;
    }
}

void log_drive::gather(std::uint32_t unit, std::uint64_t from)
{
    std::memcpy(at<std::uint8_t>(gathered_at + m_s.gathered * m_p.ftl.map_unit),
                at<std::uint8_t>(from), m_p.ftl.map_unit);
    m_s.gather[m_s.gathered++] = unit;
    if (m_s.gathered == m_slots) {
        write_gathered();
    }
}

/// Frees the block with the fewest valid units. False: nothing would be gained.
bool log_drive::collect()
{
    std::uint32_t victim = m_blocks;
    for (std::uint32_t b = 0; b < m_blocks; ++b) {
        const block_info& i = m_s.blocks[b];
        if (!i.bad && !i.clean && b + 1 != m_s.open &&
            (victim == m_blocks || i.valid < m_s.blocks[victim].valid)) {
            victim = b;
        }
    }
    if (victim == m_blocks ||
        m_s.blocks[victim].valid + m_slots > m_p.geometry.pages_per_block * m_slots) {
        return false;
    }
    const bool early = m_flaw == log_flaw::ERASES_TOO_EARLY && m_s.blocks[victim].valid <= m_slots;
    flash_desc d{};
    d.purpose = FLASH_PURPOSE_GC;
    d.length = m_p.geometry.page_size;
    d.buffer = pages_at;
    const std::uint32_t first = victim * m_p.geometry.pages_per_block * m_slots;
    for (std::uint32_t u = 0; u < m_p.ftl.user_units; ++u) {
        const std::uint32_t place = m_s.map[u] - 1 - first; // wraps when it lies elsewhere
        if (m_s.map[u] != 0 && place < m_p.geometry.pages_per_block * m_slots) {
            if (read_page(victim, place / m_slots, d)) {
                if (early && m_s.gathered + 1 == m_s.blocks[victim].valid) {
                    execute(FLASH_OP_ERASE, victim, flash_desc{});
                }
                gather(u, pages_at + place % m_slots * m_p.ftl.map_unit);
            }
        }
    }
    write_gathered();
    block_info& b = m_s.blocks[victim];
    b.bad = execute(FLASH_OP_ERASE, victim, flash_desc{}) != FLASH_STATUS_OK;
    b.clean = !b.bad;
    b.next = 0;
    return true;
}

} // namespace ssdvp::test::log_parts
