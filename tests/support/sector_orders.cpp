// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sector_orders.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace ssdvp::test {

/// What came before it is out of reach.
void sector_orders::drive::keep(std::int8_t index)
{
    if (index <= 0) {
        return;
    }
    const auto by = static_cast<std::size_t>(index);
    std::rotate(line.begin(), line.begin() + by, line.end());
    newest = static_cast<std::uint8_t>(newest - by);
    std::fill(line.begin() + newest + 1, line.end(), std::uint8_t{0});
    const auto down = [index](std::int8_t& i) {
        i = i < 0 ? i : static_cast<std::int8_t>(std::max(0, i - index));
    };
    down(acknowledged);
    std::for_each(at.begin(), at.end(), down);
    std::for_each(flush.begin(), flush.end(), down);
}

sector_orders::sector_orders(trims how, std::uint8_t value) : m_trims(how)
{
    drive d;
    d.line[0] = value;
    m_drives.insert(d);
}

/// fn changes the drive, or returns false: there is no such drive.
template <typename Fn>
void sector_orders::each(Fn fn)
{
    std::set<drive> next;
    for (drive d : m_drives) {
        if (fn(d)) {
            next.insert(d);
        }
    }
    m_drives.swap(next);
}

/// Everything that the commands in flight may do before the next event.
void sector_orders::spread()
{
    std::vector<drive> todo(m_drives.begin(), m_drives.end());
    while (!todo.empty()) {
        const drive d = todo.back();
        todo.pop_back();
        for (std::size_t s = 0; s < slots; ++s) {
            if (d.at[s] != not_yet) {
                continue;
            }
            drive done = d;
            if (done.newest + 1u == length) {
                throw std::logic_error("too many changes for this model");
            }
            done.line[++done.newest] = m_commands[s].value;
            done.at[s] = static_cast<std::int8_t>(done.newest);
            done.seen |= m_reading ? 1u << m_commands[s].value : 0u;
            if (m_drives.insert(done).second) {
                todo.push_back(done);
            }
        }
    }
}

void sector_orders::begin(std::size_t slot, std::uint8_t value, bool trim)
{
    m_commands[slot] = {value, trim};
    each([slot](drive& d) {
        d.at[slot] = not_yet;
        return true;
    });
    spread();
}

void sector_orders::end(std::size_t slot, outcome how)
{
    const bool promised =
        how != outcome::FAILED && (!m_commands[slot].trim || m_trims == trims::ZERO);
    each([=](drive& d) {
        const std::int8_t at = d.at[slot];
        if (promised && at == not_yet) {
            return false;
        }
        d.at[slot] = none;
        if (promised) {
            d.acknowledged = std::max(d.acknowledged, at);
        }
        if (promised && how == outcome::DURABLE) {
            d.keep(at);
        }
        return true;
    });
}

void sector_orders::begin_flush(std::size_t slot)
{
    each([slot](drive& d) {
        d.flush[slot] = d.acknowledged;
        return true;
    });
}

void sector_orders::end_flush(std::size_t slot, bool ok)
{
    each([=](drive& d) {
        const std::int8_t upto = d.flush[slot];
        d.flush[slot] = none;
        if (ok) {
            d.keep(upto);
        }
        return true;
    });
}

void sector_orders::begin_read()
{
    m_reading = true;
    each([](drive& d) {
        d.seen = 1u << d.line[d.newest];
        return true;
    });
}

void sector_orders::end_read(std::uint8_t value)
{
    m_reading = false;
    each([value](drive& d) {
        const bool may = (d.seen >> value & 1u) != 0;
        d.seen = 0;
        return may;
    });
}

void sector_orders::found(std::uint8_t value)
{
    each([value](const drive& d) { return d.line[d.newest] == value; });
}

void sector_orders::cut()
{
    std::set<drive> next;
    for (const drive& d : m_drives) {
        for (std::size_t i = 0; i <= d.newest; ++i) {
            drive left;
            left.line[0] = d.line[i];
            next.insert(left);
        }
    }
    m_reading = false;
    m_drives.swap(next);
}

void sector_orders::reset()
{
    m_reading = false;
    each([](drive& d) {
        d.at = drive().at;
        d.flush = drive().flush;
        d.seen = 0;
        return true;
    });
}

std::uint32_t sector_orders::now() const
{
    std::uint32_t values = 0;
    for (const drive& d : m_drives) {
        values |= 1u << d.line[d.newest];
    }
    return values;
}

std::uint32_t sector_orders::read() const
{
    std::uint32_t values = 0;
    for (const drive& d : m_drives) {
        values |= d.seen;
    }
    return values;
}

} // namespace ssdvp::test
