// SPDX-License-Identifier: Apache-2.0
#include "models/host/shadow/durability.h"

#include "models/host/shadow/version.h"

namespace ssdvp::host {

/// Flushes that completed since make pending versions durable.
void durability::promote(record& r) const
{
    for (waiting& w : r.pending) {
        if (w.epoch != 0 && w.epoch <= m_flushed) {
            r.durable = w.version;
            r.ghost = 0;
            w = waiting();
        }
    }
    if (r.pending[0].epoch == 0) {
        r.pending = {r.pending[1], waiting()};
    }
}

/// Of more than two epochs that wait, the first and the last are kept: in between, the sector may
/// count as older than it is, never as newer.
void durability::acknowledge(std::uint64_t sector, std::uint32_t version, bool durable)
{
    record& r = m_records[sector];
    if (durable || m_write_through) {
        r.durable = version;
        r.ghost = 0;
        r.pending = {};
        return;
    }
    promote(r);
    const bool first = r.pending[0].epoch == 0 || r.pending[0].epoch == m_epoch;
    r.pending[first ? 0 : 1] = {version, m_epoch};
}

void durability::trim(std::uint64_t sector, std::uint32_t newest)
{
    m_records[sector].trim = newest | has_trim;
}

durability::survivor durability::cut(std::uint64_t sector)
{
    record& r = m_records[sector];
    promote(r);
    r.pending = {};
    const bool trimmed = (r.trim & has_trim) != 0 && !newer(r.durable, r.trim & version_mask);
    return {r.durable, trimmed, r.ghost};
}

void durability::settle(std::uint64_t sector, const finding& f)
{
    record& r = m_records[sector];
    r.durable = f.version;
    r.ghost = f.newest;
    r.trim = f.trimmed ? r.trim : 0;
}

} // namespace ssdvp::host
