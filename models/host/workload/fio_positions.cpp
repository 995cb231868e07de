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
    : m_job(job), m_seed(seed), m_map(1)
{
    for (std::size_t i = 0; i < fio_kinds; ++i) {
        const fio_direction& c = job.kinds[i];
        direction& d = m_kinds[i];
        if (!c.used) {
            continue;
        }
        d.blocks = std::max<std::uint64_t>(job.sectors / c.align, 1);
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
    m_mapped = job.random_map && same_sizes();
    begin_pass();
}

/// Only blocks of one size can be gone through, each once.
bool fio_positions::same_sizes() const
{
    const fio_direction* first = nullptr;
    for (const fio_direction& d : m_job.kinds) {
        if (!d.used) {
            continue;
        }
        first = first == nullptr ? &d : first;
        if (d.sizes.size() != 1 || d.law != fio_law::uniform || d.align != first->align ||
            d.sizes[0].sectors != d.align) {
            return false;
        }
    }
    return first != nullptr;
}

void fio_positions::begin_pass()
{
    ++m_pass;
    m_drawn = 0;
    std::uint64_t blocks = 1;
    for (direction& d : m_kinds) {
        d.begun = false;
        blocks = std::max(blocks, d.blocks);
    }
    m_map = scatter(blocks, m_seed * 0x9E3779B97F4A7C15ull + m_pass);
}

std::uint64_t fio_positions::random_block(fio_kind kind, rng& random)
{
    const fio_direction& c = m_job.kinds[static_cast<std::size_t>(kind)];
    const direction& d = m_kinds[static_cast<std::size_t>(kind)];
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
        if (m_mapped) {
            m_drawn = m_drawn == d.blocks ? 0 : m_drawn;
            return m_map(m_drawn++);
        }
        return random.below(d.blocks);
    }
    // Neighbours in popularity are not neighbours on the drive, as in fio.
    return d.shift == 0 ? scatter(d.blocks)(block)
                        : (scatter(d.blocks)(block) + d.shift) % d.blocks;
}

std::uint64_t fio_positions::in_zone(const fio_direction& c, std::uint32_t sectors,
                                     rng& random) const
{
    const double u = random.real();
    auto zone = std::find_if(c.zones.begin(), c.zones.end(),
                             [&](const fio_zone& z) { return u < z.up_to; });
    if (zone == c.zones.end()) {
        --zone;
    }
    const std::uint64_t blocks = std::max<std::uint64_t>(zone->sectors / c.align, 1);
    const std::uint64_t at = (zone->first + c.align - 1) / c.align + random.below(blocks);
    return std::min(at * c.align, m_job.sectors - sectors);
}

std::uint64_t fio_positions::sequential(const direction& d, std::uint32_t sectors) const
{
    const std::uint64_t size = m_job.sectors;
    const std::int64_t add = m_job.sequence.add;
    std::uint64_t at = 0; // as fio: backwards too, the first is at the start
    if (d.begun) {
        const auto moved = static_cast<std::int64_t>(d.position) + add;
        at = moved < 0 ? size - std::min(size, static_cast<std::uint64_t>(-add))
                       : static_cast<std::uint64_t>(moved);
    }
    return at + sectors > size ? (add < 0 ? size - sectors : 0) : at;
}

std::uint64_t fio_positions::next(fio_kind kind, std::uint32_t sectors, rng& random)
{
    const fio_direction& c = m_job.kinds[static_cast<std::size_t>(kind)];
    direction& d = m_kinds[static_cast<std::size_t>(kind)];
    bool jump = c.random_share >= 1.0 || (c.random_share > 0.0 && random.real() < c.random_share);
    if (jump && m_job.sequence.each > 1) {
        jump = m_together == 0;
        m_together = jump ? m_job.sequence.each - 1 : m_together - 1;
    }
    std::uint64_t at = 0;
    if (jump && c.law == fio_law::zoned) {
        at = in_zone(c, sectors, random);
    } else if (jump) {
        at = random_block(kind, random) * c.align;
    } else if (m_job.sequence.identical && d.begun) {
        at = d.last_start;
    } else {
        at = sequential(d, sectors);
    }
    if (at + sectors > m_job.sectors) {
        at = (m_job.sectors - sectors) / c.align * c.align;
    }
    d.begun = true;
    d.last_start = at;
    d.position = at + sectors;
    return at;
}

} // namespace ssdvp::host
