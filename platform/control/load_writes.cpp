// SPDX-License-Identifier: Apache-2.0
#include "platform/control/load_writes.h"

#include <algorithm>
#include <memory>

#include "models/host/workload/stream_source.h"
#include "models/regs/choices/cache_policy.h"
#include "platform/config/derived.h"
#include "platform/control/load_memory.h"
#include "platform/control/overwrites.h"

namespace ssdvp::platform {

namespace {

// Units of a drive up to which reads are drawn as well: with 70 % of them a larger one would take
// half as long again to settle.
constexpr std::uint64_t cheap_units = 1u << 22;

/// The streams without an end or a time; writes alone where nothing is popular, or too much.
load_walk walk_of(const ssd_config& config)
{
    const std::uint64_t capacity = user_units(config) * (config.ftl.map_unit / sector_size);
    const bool alone = writes_alike(config) || user_units(config) > cheap_units;
    const std::vector<double> all = shares_asked_for(config.workload);
    load_walk::sources streams;
    std::vector<double> shares;
    for (std::size_t i = 0; i < all.size(); ++i) {
        host::stream_config s = config.workload.streams[i];
        const double share = alone ? write_share(s) : all[i];
        if (share == 0.0) {
            continue;
        }
        s.read_fraction = alone ? 0.0 : s.read_fraction;
        s.trim_fraction = 0.0;
        s.flush_every = 0;
        s.requests = 0;
        s.duration = sim_time();
        s.rate_iops = 0.0;
        streams.push_back(std::make_unique<host::stream_source>(
            s, static_cast<std::uint16_t>(i), capacity, config.run.seed + overwrite_numbers));
        shares.push_back(share);
    }
    return {std::move(streams), shares};
}

/// A closed loop that mostly writes fills the buffer: it waits for what the flash takes. Others
/// leave room for what is to come.
std::uint64_t room_of(const ssd_config& config)
{
    double all = 0.0;
    double writes = 0.0;
    bool waits = true;
    for (const host::stream_config& s : config.workload.streams) {
        waits = waits && s.rate_iops == 0.0;
        all += static_cast<double>(s.queue_depth);
        writes += write_share(s);
    }
    const std::uint64_t held = buffer_held(config);
    return held != 0 && waits && 2.0 * writes > all ? buffer_slots(config) : held;
}

} // namespace

load_writes::load_writes(const ssd_config& config, std::uint64_t filled)
    : m_filled(filled), m_unit_sectors(config.ftl.map_unit / sector_size), m_load(walk_of(config)),
      m_buffer(room_of(config), buffer_has(config, CACHE_KEEPS_READS))
{}

void load_writes::draw()
{
    const host::request& r = m_load.next();
    m_writes = r.kind == host::request_kind::write;
    m_next = r.lba / m_unit_sectors;
    m_end = std::min((r.lba + r.sectors + m_unit_sectors - 1) / m_unit_sectors, m_filled);
}

std::uint64_t load_writes::next()
{
    for (;;) {
        while (m_next < m_end) {
            const std::uint64_t unit = m_next++;
            if (const auto leaves = m_writes ? m_buffer.write(unit) : m_buffer.read(unit)) {
                return *leaves;
            }
        }
        draw();
    }
}

} // namespace ssdvp::platform
