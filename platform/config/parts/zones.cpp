// SPDX-License-Identifier: Apache-2.0
//
// Zoned namespaces.
#include <fmt/format.h>

#include "models/regs/boot_params.h"
#include "platform/config/boxed_value.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

constexpr std::uint64_t block = 4 * KiB;       // LBA size of a zoned namespace
constexpr std::uint64_t zones_most = 1024;     // firmware/durable/drive_state.h: DRIVE_ZONES
constexpr std::uint32_t page_least = 2 * 1024; // that has room for the drive's state
const char* const size_key = "host.nvme.zns.zone_size";

value_spec blocks_of(std::uint64_t most)
{
    value_spec v = size_of(0, most);
    v.multiple_of = block;
    return v;
}

option of_zones(option o)
{
    return acts_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.zones->size != 0; },
        "host.nvme.zns.zone_size is not 0", "leave it out, or give the size of a zone");
}

class zones_checker {
public:
    zones_checker(const raw_tree& raw, const ssd_config& c) : m_raw(raw), m_c(c), m_reject{raw} {}

    void run() const
    {
        if (m_c.zones->size == 0) {
            return;
        }
        shape();
        limits();
        drive();
        host();
        for (std::size_t i = 0; i < m_c.workload.streams.size(); ++i) {
            stream(i);
        }
    }

private:
    void shape() const
    {
        if (m_c.zones->capacity > m_c.zones->size) {
            m_reject("host.nvme.zns.zone_capacity",
                     fmt::format("{} is more than a zone of {}", format_size(m_c.zones->capacity),
                                 format_size(m_c.zones->size)),
                     "use at most host.nvme.zns.zone_size");
        }
        const std::uint64_t bytes = user_units(m_c) * m_c.ftl.map_unit;
        const std::uint64_t count = bytes / m_c.zones->size;
        if (count == 0) {
            m_reject(size_key, fmt::format("a drive of {} bytes has no such zone", bytes),
                     fmt::format("use at most {}", format_size(bytes / block * block)));
        }
        if (count > zones_most) {
            const std::uint64_t least = bytes / (zones_most + 1) / block * block + block;
            m_reject(size_key,
                     fmt::format("{} zones are more than a drive has, {}", count, zones_most),
                     fmt::format("use {} or more", format_size(least)));
        }
    }

    /// MOR is no more than MAR (section 4.1.5.1).
    void limits() const
    {
        const std::uint32_t open = m_c.zones->open;
        const std::uint32_t active = m_c.zones->active;
        if (active != 0 && (open == 0 || open > active)) {
            m_reject(m_raw.values.count("host.nvme.zns.max_open") != 0 ? "host.nvme.zns.max_open"
                                                                       : "host.nvme.zns.max_active",
                     fmt::format("{} zones may be active, and an open one is", active),
                     fmt::format("use host.nvme.zns.max_open of 1 to {}", active));
        }
    }

    void drive() const
    {
        if (m_c.ftl.map_unit > block) {
            m_reject(size_key,
                     fmt::format("blocks of 4KiB are less than a map unit of {}",
                                 format_size(m_c.ftl.map_unit)),
                     "use ftl.map_unit of 4KiB or less");
        }
        if (!m_c.ftl.trim) {
            m_reject(size_key, "a zone that is reset is unmapped, and the drive unmaps nothing",
                     "use ftl.trim: true");
        }
        if (m_c.channel.die.geo.page_size < page_least) {
            m_reject(size_key, "what the drive keeps of its zones does not fit its pages",
                     "use nand.page_size of 2KiB or more");
        }
    }

    /// What is written out of order, or lost on its way, is not at the write pointer.
    void host() const
    {
        if (m_c.power.cuts() || !m_c.reset_at.empty()) {
            m_reject(size_key, "the workload does not look for write pointers after a loss",
                     "leave out power.cut_*, and host.reset_at");
        }
        if (m_c.precondition.fill > 0.0 && m_c.zones->capacity != m_c.zones->size) {
            m_reject("host.nvme.zns.zone_capacity", "preconditioning fills zones to their end",
                     "use host.nvme.zns.zone_size, or precondition.fill of 0");
        }
        if (!m_c.workload.trace.file.empty()) {
            const auto it = m_raw.workload.trace.find("trace");
            fail(it == m_raw.workload.trace.end() ? m_raw.workload.at : it->second.at,
                 "workload.trace", "its writes are nowhere near write pointers",
                 "use streams, or host.nvme.zns.zone_size of 0");
        }
    }

    void stream(std::size_t i) const
    {
        const host::stream_config& s = m_c.workload.streams[i];
        const std::uint64_t capacity = m_c.zones->capacity;
        const bool writes = s.read_fraction < 1.0;
        if (s.block_size % block != 0 || s.range_start % block != 0) {
            wrong(i, "block_size", "zones have blocks of 4KiB",
                  "use multiples of 4KiB for block_size and range.start");
        }
        if (s.trim_fraction > 0.0) {
            wrong(i, "trim_fraction", "only a reset of its zone deallocates", "leave it out");
        }
        if (writes && (s.pattern != host::pattern_kind::sequential || s.read_fraction > 0.0)) {
            wrong(i, "pattern", "zones are written in order",
                  "use pattern: sequential with read_fraction: 0, and other streams for reads");
        }
        if (writes && (capacity % s.block_size != 0 || s.range_start % capacity != 0 ||
                       s.range_size % capacity != 0)) {
            wrong(i, "block_size",
                  fmt::format("writes are to fill whole zones of {}", format_size(capacity)),
                  "use a block_size that divides them, and a range of whole ones");
        }
        for (std::size_t k = 0; k < i && writes; ++k) {
            const host::stream_config& o = m_c.workload.streams[k];
            if (o.read_fraction < 1.0 && begins_before_end(s, o) && begins_before_end(o, s)) {
                wrong(i, "range.size", fmt::format("stream {} writes the same zones", k),
                      "give each stream that writes a range of its own");
            }
        }
    }

    static bool begins_before_end(const host::stream_config& a, const host::stream_config& b)
    {
        return b.range_size == 0 || a.range_start < b.range_start + b.range_size;
    }

    [[noreturn]] void wrong(std::size_t i, const char* field, const std::string& what,
                            const char* remedy) const
    {
        origin at = m_raw.workload.at;
        if (i < m_raw.workload.streams.size()) {
            const raw_map& fields = m_raw.workload.streams[i];
            const auto it = fields.find(field);
            at = it == fields.end() ? at : it->second.at;
        }
        fail(at, fmt::format("workload.{}.{}", i, field), what, remedy);
    }

    const raw_tree& m_raw;
    const ssd_config& m_c;
    rejection m_reject;
};

std::vector<option> zone_options()
{
    option size = make_option<ssd_config>({size_key, "0B",
                                           "namespace 1 of a new drive is zoned, with zones of so "
                                           "many bytes, in blocks of 4 KiB; 0 = "
                                           "no zoned namespaces"},
                                          blocks_of(TiB), FIELD(zones->size));
    size.relevant = [](const ssd_config& c) { return c.zones->size != 0; };
    size.relevant_when = "it is not 0";
    std::vector<option> table = {
        size,
        of_zones(make_option<ssd_config>(
            {"host.nvme.zns.zone_capacity", "", "bytes of a zone that can be written", size_key},
            blocks_of(TiB), FIELD(zones->capacity))),
        of_zones(make_option<ssd_config>(
            {"host.nvme.zns.max_open", "0",
             "zones of a namespace that may be open at a time (MOR); 0 = no limit"},
            count_of(0, zones_most), FIELD(zones->open))),
        of_zones(make_option<ssd_config>(
            {"host.nvme.zns.max_active", "0",
             "zones of a namespace that may be open or closed at a time (MAR); 0 = no limit"},
            count_of(0, zones_most), FIELD(zones->active))),
        of_zones(make_option<ssd_config>(
            {"host.nvme.zns.read_across", "true", "a read may cross the end of a zone (OZCS)"},
            flag(), FIELD(zones->read_across))),
    };
    return table;
}

void complete_zones(const raw_tree& /*raw*/, ssd_config& c, preset_fit& /*fit*/)
{
    if (c.zones->capacity == 0) {
        c.zones->capacity = c.zones->size;
    }
    c.driver.zone_size = c.zones->size / sector_size;
    c.driver.zone_capacity = c.zones->capacity / sector_size;
}

void check_zones(const raw_tree& raw, const ssd_config& c)
{
    zones_checker(raw, c).run();
}

void fill_zones(boot_params& p, const ssd_config& c)
{
    p.zones = *c.zones;
}

} // namespace

template class boxed<boot_zones>;

const config_part parts::zones = {zone_options, complete_zones, check_zones, fill_zones};

} // namespace ssdvp::platform
