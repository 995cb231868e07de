// SPDX-License-Identifier: Apache-2.0
#include "platform/control/overwrites.h"

#include <algorithm>

#include "platform/config/derived.h"

namespace ssdvp::platform {

overwrites::overwrites(const ssd_config& config, overwrite_source source, std::uint64_t filled)
    : m_filled(filled), m_unit_sectors(config.ftl.map_unit / sector_size),
      m_capacity(user_units(config) * m_unit_sectors), m_seed(config.run.seed + overwrite_numbers),
      m_random(config.run.seed, overwrite_numbers)
{
    if (source == overwrite_source::own) {
        for (const host::stream_config& s : config.workload.streams) {
            add(s, write_share(s));
        }
    } else if (!overwrites_uniformly(config)) {
        add(config.precondition.stream, 1.0);
    }
}

/// As it writes when it does nothing else, without an end.
void overwrites::add(const host::stream_config& stream, double share)
{
    if (share == 0.0) {
        return;
    }
    host::stream_config writes = stream;
    writes.read_fraction = writes.trim_fraction = 0.0;
    writes.flush_every = 0;
    writes.requests = 0;
    writes.duration = sim_time();
    writes.rate_iops = 0.0;
    const auto index = static_cast<std::uint16_t>(m_writers.size());
    m_writers.push_back(
        {std::make_unique<host::stream_source>(writes, index, m_capacity, m_seed), share});
}

/// Whoever is furthest behind its share.
overwrites::writer& overwrites::whose_turn()
{
    double all = 0.0;
    for (writer& w : m_writers) {
        w.due += w.share;
        all += w.share;
    }
    writer& turn =
        *std::max_element(m_writers.begin(), m_writers.end(),
                          [](const writer& a, const writer& b) { return a.due < b.due; });
    turn.due -= all;
    return turn;
}

void overwrites::draw()
{
    host::request r;
    whose_turn().from->next(sim_time(), r);
    m_next = r.lba / m_unit_sectors;
    m_end = (r.lba + r.sectors + m_unit_sectors - 1) / m_unit_sectors;
    m_end = std::min(m_end, m_filled);
}

std::uint64_t overwrites::next()
{
    if (m_writers.empty()) {
        return m_random.below(m_filled);
    }
    while (m_next >= m_end) {
        draw();
    }
    return m_next++;
}

} // namespace ssdvp::platform
