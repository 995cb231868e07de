// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/rings.h"

#include <cstring>
#include <fmt/format.h>

namespace ssdvp::flash {

namespace {

static_assert(CHANNEL_SQ_SIZE_MIN == CHANNEL_CQ_SIZE_MIN);
static_assert(CHANNEL_SQ_SIZE_MAX == CHANNEL_CQ_SIZE_MAX);

void set_low(std::uint64_t& base, std::uint32_t value)
{
    base = (base & 0xFFFFFFFF00000000ull) | value;
}

void set_high(std::uint64_t& base, std::uint32_t value)
{
    base = (base & 0xFFFFFFFFull) | (std::uint64_t{value} << 32);
}

} // namespace

static_assert(sizeof(flash_desc) == 64 && sizeof(flash_completion) == 32, "channel_regs.h");

void rings::reset()
{
    m_sq = m_cq = ring();
    m_sq_head = m_cq_tail = 0;
    m_phase = 1;
}

bool rings::resize(ring& r, std::uint32_t entries)
{
    if (entries < CHANNEL_SQ_SIZE_MIN || entries > CHANNEL_SQ_SIZE_MAX) {
        return false;
    }
    r.size = entries;
    r.index = 0;
    return true;
}

bool rings::move(ring& r, std::uint32_t index)
{
    if (index >= r.size) {
        return false;
    }
    r.index = index;
    return true;
}

bool rings::write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case CHANNEL_REG_SQ_BASE_LO:
        set_low(m_sq.base, value);
        return true;
    case CHANNEL_REG_SQ_BASE_HI:
        set_high(m_sq.base, value);
        return true;
    case CHANNEL_REG_SQ_SIZE:
        if (!resize(m_sq, value)) {
            return false;
        }
        m_sq_head = 0;
        return true;
    case CHANNEL_REG_SQ_TAIL:
        return move(m_sq, value);
    case CHANNEL_REG_CQ_BASE_LO:
        set_low(m_cq.base, value);
        return true;
    case CHANNEL_REG_CQ_BASE_HI:
        set_high(m_cq.base, value);
        return true;
    case CHANNEL_REG_CQ_SIZE:
        if (!resize(m_cq, value)) {
            return false;
        }
        m_cq_tail = 0;
        m_phase = 1;
        return true;
    case CHANNEL_REG_CQ_HEAD:
        return move(m_cq, value);
    default:
        return false;
    }
}

std::string rings::refusal(std::uint32_t offset, std::uint32_t value) const
{
    switch (offset) {
    case CHANNEL_REG_SQ_SIZE:
    case CHANNEL_REG_CQ_SIZE:
        return fmt::format("{} does not take {}: a ring has {} to {} entries",
                           offset == CHANNEL_REG_SQ_SIZE ? "SQ_SIZE" : "CQ_SIZE", value,
                           CHANNEL_SQ_SIZE_MIN, CHANNEL_SQ_SIZE_MAX);
    case CHANNEL_REG_SQ_TAIL:
        return fmt::format("SQ_TAIL does not take {}: SQ_SIZE is {}", value, m_sq.size);
    case CHANNEL_REG_SUSPEND:
        return fmt::format("SUSPEND does not take {:#x}: bits 0 and 1 are erases and programs",
                           value);
    case CHANNEL_REG_LUNS:
        return fmt::format("LUNS is read-only; {} was written", value);
    default:
        return fmt::format("CQ_HEAD does not take {}: CQ_SIZE is {}", value, m_cq.size);
    }
}

bool rings::beyond_posted(std::uint32_t head) const
{
    const auto distance = [this](std::uint32_t to) {
        return to >= m_cq.index ? to - m_cq.index : to + m_cq.size - m_cq.index;
    };
    return head < m_cq.size && distance(head) > distance(m_cq_tail);
}

std::string rings::unread() const
{
    return fmt::format("entries {} to {} of CQ_SIZE {} are there to be read", m_cq.index, m_cq_tail,
                       m_cq.size);
}

std::uint32_t rings::read(std::uint32_t offset) const
{
    switch (offset) {
    case CHANNEL_REG_SQ_BASE_LO:
        return static_cast<std::uint32_t>(m_sq.base);
    case CHANNEL_REG_SQ_BASE_HI:
        return static_cast<std::uint32_t>(m_sq.base >> 32);
    case CHANNEL_REG_SQ_SIZE:
        return m_sq.size;
    case CHANNEL_REG_SQ_TAIL:
        return m_sq.index;
    case CHANNEL_REG_CQ_BASE_LO:
        return static_cast<std::uint32_t>(m_cq.base);
    case CHANNEL_REG_CQ_BASE_HI:
        return static_cast<std::uint32_t>(m_cq.base >> 32);
    case CHANNEL_REG_CQ_SIZE:
        return m_cq.size;
    default:
        return m_cq.index;
    }
}

bool rings::take(flash_desc& d)
{
    if (!has_descriptor()) {
        return false;
    }
    const std::uint64_t bytes = std::uint64_t{m_sq.size} * sizeof d;
    const unsigned char* entries = m_memory.direct(m_sq.base, bytes, "SQ_BASE");
    if (entries == nullptr) {
        m_sq_head = m_sq.index; // the fault is on record; nothing can be fetched
        return false;
    }
    std::memcpy(&d, entries + std::uint64_t{m_sq_head} * sizeof d, sizeof d);
    m_taken = m_sq_head;
    m_sq_head = m_sq_head + 1 == m_sq.size ? 0 : m_sq_head + 1;
    return true;
}

bool rings::can_post() const
{
    const std::uint32_t next = m_cq_tail + 1 == m_cq.size ? 0 : m_cq_tail + 1;
    return m_cq.size != 0 && next != m_cq.index;
}

bool rings::post(flash_completion& c)
{
    unsigned char* entries =
        m_memory.direct(m_cq.base, std::uint64_t{m_cq.size} * sizeof c, "CQ_BASE");
    if (entries == nullptr) {
        return false;
    }
    c.phase = m_phase;
    std::memcpy(entries + std::uint64_t{m_cq_tail} * sizeof c, &c, sizeof c);
    if (++m_cq_tail == m_cq.size) {
        m_cq_tail = 0;
        m_phase ^= 1;
    }
    return true;
}

} // namespace ssdvp::flash
