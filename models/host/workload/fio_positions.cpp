// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/fio_positions.h"

#include <algorithm>

#include "models/common/real_functions.h"

namespace ssdvp::host {

namespace {

constexpr int normal_draws = 12; // fio's normal law is the mean of so many uniform draws

std::uint64_t share_of(double share, std::uint64_t n)
{
    return static_cast<std::uint64_t>(share * static_cast<double>(n));
}

} // namespace

fio_positions::fio_positions(const fio_job& job, std::uint64_t seed)
    : m_job(job), m_seed(seed), m_order(1)
{
    std::uint32_t smallest = UINT32_MAX;
    for (std::size_t i = 0; i < fio_kinds; ++i) {
        if (job.kinds[i].used) {
            set_up_law(job.kinds[i], m_kinds[i]);
            smallest = std::min(smallest, job.kinds[i].sizes.front().sectors);
        }
    }
    const fio_direction& writes = job.kinds[static_cast<std::size_t>(fio_kind::write)];
    if (job.zone_sectors != 0 && writes.used && writes.random_share > 0.0) {
        m_zones.emplace(job.sectors / job.zone_sectors, job.zone_sectors, job.open_zones);
    }
    m_once = m_zones ? once::no : how_often();
    if (m_once == once::by_map) {
        m_unit = smallest;
        m_map = taken_blocks(job.sectors / m_unit);
    }
    begin_pass();
}

void fio_positions::set_up_law(const fio_direction& c, direction& d) const
{
    const std::uint32_t smallest = c.sizes.front().sectors;
    const std::uint32_t reach = smallest - std::min(smallest, c.align); // past the last start
    d.blocks = std::max<std::uint64_t>((m_job.sectors - reach) / c.align, 1);
    if (c.law == fio_law::zipf) {
        d.ranks.emplace(d.blocks, c.parameter);
    } else if (c.law == fio_law::pareto) {
        d.pareto_power = portable_log(c.parameter) / portable_log(1.0 - c.parameter);
    } else if (c.law == fio_law::normal) {
        const std::uint64_t wanted = share_of(c.parameter / 100.0, d.blocks);
        d.deviation = std::min(wanted, d.blocks / 2);
    }
    if (c.center >= 0.0) { // what is hottest goes there
        const std::uint64_t hottest = c.law == fio_law::normal ? d.blocks / 2 : 0;
        d.shift = d.blocks - scatter(d.blocks)(hottest) + share_of(c.center, d.blocks);
    }
}

fio_positions::once fio_positions::how_often() const
{
    const fio_direction* first = nullptr;
    bool one_size = true;
    for (const fio_direction& d : m_job.kinds) {
        if (!d.used) {
            continue;
        }
        // As in fio: a map has no use where draws are not even, or not of whole blocks.
        if (!m_job.random_map || d.random_share <= 0.0 || d.law != fio_law::uniform ||
            d.align != d.sizes.front().sectors) {
            return once::no;
        }
        first = first == nullptr ? &d : first;
        one_size = one_size && d.sizes.size() == 1 && d.align == first->align;
    }
    return first == nullptr ? once::no : one_size ? once::in_order : once::by_map;
}

void fio_positions::begin_order()
{
    std::uint64_t blocks = 1;
    for (const direction& d : m_kinds) {
        blocks = std::max(blocks, d.blocks);
    }
    m_drawn = 0;
    m_order = scatter(blocks, m_seed * 0x9E3779B97F4A7C15ull + ++m_orders);
    if (m_once == once::by_map) {
        m_map.clear();
    }
}

void fio_positions::begin_pass()
{
    begin_order();
    for (direction& d : m_kinds) {
        d.begun = false;
    }
}

fio_positions::place fio_positions::random_block(const fio_direction& c, const direction& d,
                                                 rng& random)
{
    std::uint64_t block = 0;
    switch (c.law) {
    case fio_law::zipf:
        block = d.ranks->next(random) - 1;
        break;
    case fio_law::pareto: {
        const double u = 1.0 - random.real();
        const double power = portable_exp(std::max(d.pareto_power * portable_log(u), -690.0));
        block = share_of(power, d.blocks - 1);
        break;
    }
    case fio_law::normal: {
        for (int i = 0; i < normal_draws; ++i) {
            block += random.below(d.blocks);
        }
        block /= normal_draws;
        if (d.deviation != 0) {
            const std::uint64_t up = block + random.below(d.deviation);
            block = up - std::min(up, d.deviation / 2);
            block = std::min(block, d.blocks - 1);
        }
        break;
    }
    case fio_law::uniform:
    case fio_law::zoned:
        if (m_once == once::in_order) {
            return m_drawn == d.blocks ? place() : m_order(m_drawn++);
        }
        block = random.below(d.blocks);
        return m_once == once::by_map ? m_map.next_free(block) : block;
    }
    // Neighbours in popularity are not neighbours on the drive, as in fio.
    return d.shift == 0 ? scatter(d.blocks)(block)
                        : (scatter(d.blocks)(block) + d.shift) % d.blocks;
}

/// Where the next block begins that is drawn, none when all were.
fio_positions::place fio_positions::random_place(const fio_direction& c, const direction& d,
                                                 rng& random)
{
    if (c.law == fio_law::zoned) {
        return in_zone(c, random);
    }
    place block = random_block(c, d, random);
    if (!block && m_job.time_based) {
        begin_order();
        block = random_block(c, d, random);
    }
    return block ? *block * c.align : block;
}

std::uint64_t fio_positions::in_zone(const fio_direction& c, rng& random) const
{
    const double u = random.real();
    auto zone = std::find_if(c.zones.begin(), c.zones.end(),
                             [&](const fio_zone& z) { return u < z.up_to; });
    if (zone == c.zones.end()) {
        --zone;
    }
    const std::uint64_t blocks = std::max<std::uint64_t>(zone->sectors / c.align, 1);
    const std::uint64_t at = (zone->first + c.align - 1) / c.align + random.below(blocks);
    return std::min(at * c.align, m_job.sectors - c.sizes.front().sectors);
}

/// Behind the last request, none at the end of the range. Jobs that leave holes or go backwards
/// begin anew there, and so do those that run for a time.
fio_positions::place fio_positions::sequential(const fio_direction& c, const direction& d) const
{
    if (!d.begun) {
        return 0; // as fio: backwards too
    }
    const std::uint64_t size = m_job.sectors;
    const std::int64_t add = m_job.sequence.add;
    const auto moved = static_cast<std::int64_t>(d.position) + add;
    auto at = static_cast<std::uint64_t>(moved);
    if (moved < 0) {
        at = size - std::min(size, static_cast<std::uint64_t>(-add));
    } else if (at >= size && add > 0) {
        at = 0;
    }
    const bool fits = at + c.sizes.front().sectors <= size;
    return fits ? at : m_job.time_based ? place(0) : place();
}

/// As fio, a size that does not fit is drawn again: the shares of those that fit count.
std::uint32_t fio_positions::draw_size(const fio_direction& c, std::uint64_t room, rng& random)
{
    if (c.sizes.size() == 1) {
        return c.sizes.front().sectors;
    }
    auto fit = c.sizes.end();
    if (c.sizes.back().sectors > room) {
        fit = std::upper_bound(c.sizes.begin() + 1, c.sizes.end(), room,
                               [](std::uint64_t v, const fio_size& s) { return v < s.sectors; });
    }
    const double u = random.real() * (fit - 1)->up_to;
    const auto size = std::upper_bound(c.sizes.begin(), fit - 1, u,
                                       [](double v, const fio_size& s) { return v < s.up_to; });
    return size->sectors;
}

fio_place fio_positions::zone_write(rng& random)
{
    const std::uint64_t first = m_zones->next(random);
    const std::uint32_t sectors =
        draw_size(m_job.kinds[static_cast<std::size_t>(fio_kind::write)], m_zones->room(), random);
    m_zones->wrote(sectors);
    return {first, sectors};
}

std::optional<fio_place> fio_positions::next(fio_kind kind, rng& random)
{
    if (m_zones && kind == fio_kind::write) {
        return zone_write(random);
    }
    const fio_direction& c = m_job.kinds[static_cast<std::size_t>(kind)];
    direction& d = m_kinds[static_cast<std::size_t>(kind)];
    bool jump = c.random_share >= 1.0 || (c.random_share > 0.0 && random.real() < c.random_share);
    if (jump && m_job.sequence.each > 1) {
        jump = m_together == 0;
        m_together = jump ? m_job.sequence.each - 1 : m_together - 1;
    }
    place at;
    if (!jump && m_job.sequence.identical && d.begun) {
        at = d.last_start;
    } else if (!jump) {
        at = sequential(c, d);
        jump = !at && c.random_share > 0.0; // fio goes on with a random one
    }
    at = jump ? random_place(c, d, random) : at;
    if (!at || *at + c.sizes.front().sectors > m_job.sectors) {
        return std::nullopt;
    }
    std::uint32_t sectors = draw_size(c, m_job.sectors - *at, random);
    if (jump && m_once == once::by_map) { // as much of it as is free
        const std::uint64_t free = m_map.take(*at / m_unit, (sectors + m_unit - 1) / m_unit);
        // None: reads and writes have different sizes, and so, as in fio, numbers of blocks.
        if (free != 0) {
            sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors, free * m_unit));
        }
    }
    d.begun = true;
    d.last_start = *at;
    d.position = *at + sectors;
    return fio_place{*at, sectors};
}

} // namespace ssdvp::host
