// SPDX-License-Identifier: Apache-2.0
#include "platform/config/reduced.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "models/regs/parts/zones.h"
#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

constexpr const char* reduced_key = "run.reduced";
constexpr double least_superblocks = 20.0; // beside the firmware's own: fewer are another drive

constexpr std::array<reduced_error, 4> errors_measured = {{{4, false, 0.07, 0.07},
                                                           {16, false, 0.09, 0.10},
                                                           {4, true, 0.13, 0.12},
                                                           {16, true, 0.19, 0.18}}};

/// Superblocks that firmware has open or in reserve: as many in a small drive as in a large one.
/// What its map and journal take shrinks with the map.
double kept_by_firmware(const ssd_config& c)
{
    return static_cast<double>(needs_of(c).open) / c.ftl_cores;
}

double blocks_of_plane(const ssd_config& c)
{
    return c.channel.die.geo.blocks_per_plane;
}

/// Why the parts of this drive, or of what the host sends, are not to be divided; null: they are.
const char* obstacle(const ssd_config& c)
{
    return superblocks_are_narrow(c) ? "ftl.stripe is not drive"
           : has_slc_cache(c)        ? "there is an SLC cache"
           : c.zones->size != 0      ? "there are zones"
           : !c.workload.trace.file.empty() || !c.workload.fio.file.empty()
               ? "what a trace or fio sends names places of the whole drive"
               : nullptr;
}

bool has_depths(host::pattern_kind p)
{
    return p == host::pattern_kind::lru || p == host::pattern_kind::hclru;
}

class reducing {
public:
    reducing(const raw_tree& raw, const ssd_config& whole)
        : m_reject{raw}, m_at(entry_of(raw, reduced_key)->at), m_tree(raw), m_whole(whole)
    {
        m_tree.values.erase(reduced_key);
    }

    raw_tree tree() &&
    {
        refuse();
        divide_blocks();
        divide_memory();
        divide_ranges();
        return std::move(m_tree);
    }

private:
    [[nodiscard]] double part() const { return 1.0 / m_whole.run.reduced; }

    void refuse() const
    {
        if (const char* why = obstacle(m_whole)) {
            m_reject(reduced_key, fmt::format("no reduced drive stands for this one: {}", why),
                     "use run.reduced: 1");
        }
        for (const host::stream_config& s : m_whole.workload.streams) {
            if (has_depths(s.pattern)) {
                m_reject(
                    reduced_key,
                    fmt::format("the depths of stream '{}' do not shrink with the drive", s.name),
                    "use another pattern than lru and hclru, or run.reduced: 1");
            }
        }
    }
    void set(raw_map& values, const std::string& name, const std::string& value)
    {
        values[name] = {{value}, false, m_at};
    }

    void divide_blocks()
    {
        const double of_firmware = kept_by_firmware(m_whole);
        const double others = blocks_of_plane(m_whole) - of_firmware;
        if (others * part() < least_superblocks) {
            const auto most = static_cast<std::uint64_t>(others / least_superblocks);
            m_reject(reduced_key,
                     fmt::format("1/{} of {} leaves {:.1f} superblocks beside the {:.0f} that the "
                                 "firmware keeps, {:.0f} are needed",
                                 m_whole.run.reduced, told("nand.blocks_per_plane"),
                                 others * part(), of_firmware, least_superblocks),
                     most < 2 ? "use run.reduced: 1, or more nand.blocks_per_plane"
                              : fmt::format("use at most {}, or more nand.blocks_per_plane", most));
        }
        const double spare = static_cast<double>(user_units(m_whole)) / others;
        const double blocks = std::ceil(others * part() + of_firmware);
        const double units = (blocks - of_firmware) * spare;
        const double all =
            blocks * static_cast<double>(physical_units(m_whole)) / blocks_of_plane(m_whole);
        m_data = units / static_cast<double>(user_units(m_whole));
        set(m_tree.values, "nand.blocks_per_plane", fmt::format("{:.0f}", blocks));
        set(m_tree.values, "ftl.over_provisioning", fmt::format("{:.9f}", 1.0 - units / all));
    }

    /// What a map that is paged has of memory is a share of it.
    void divide_memory()
    {
        if (map_is_paged(m_whole) && is_given(m_tree, "ftl.map_cache")) {
            const option* o = find_option(option_table(), "ftl.map_cache");
            const auto bytes = std::get<std::uint64_t>(o->get(m_whole));
            const std::uint64_t page = m_whole.ftl.map_unit;
            set(m_tree.values, "ftl.map_cache", fmt::format("{}B", portion(bytes, page)));
        }
    }

    /// Where streams go, to whole units and whole blocks of theirs.
    void divide_ranges()
    {
        for (std::size_t i = 0; i < m_tree.workload.streams.size(); ++i) {
            const host::stream_config& s = m_whole.workload.streams[i];
            divide_range(m_tree.workload.streams[i], "", s);
        }
        divide_range(m_tree.values, "precondition.workload.", m_whole.precondition.stream);
    }
    void divide_range(raw_map& values, const std::string& group, const host::stream_config& s)
    {
        const std::uint64_t step = std::max<std::uint64_t>(s.block_size, m_whole.ftl.map_unit);
        if (s.range_start != 0) {
            set(values, group + "range.start",
                fmt::format(
                    "{}B", static_cast<std::uint64_t>(static_cast<double>(s.range_start) * m_data) /
                               step * step));
        }
        if (s.range_size != 0) {
            set(values, group + "range.size", fmt::format("{}B", portion(s.range_size, step)));
        }
    }
    [[nodiscard]] std::uint64_t portion(std::uint64_t bytes, std::uint64_t step) const
    {
        const double steps = static_cast<double>(bytes) * m_data / static_cast<double>(step);
        return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(steps)) * step;
    }
    [[nodiscard]] std::string told(const char* name) const
    {
        return platform::told(m_reject.raw, m_whole, name);
    }

    rejection m_reject;
    origin m_at;
    raw_tree m_tree;
    const ssd_config& m_whole;
    double m_data = 1.0; // of the host's, to that of the whole drive
};

} // namespace

reduced_error error_of_reduced(const ssd_config& c)
{
    const auto& streams = c.workload.streams;
    const bool zipf = std::any_of(streams.begin(), streams.end(), [](const host::stream_config& s) {
        return s.pattern == host::pattern_kind::zipf;
    });
    return *std::find_if(
        errors_measured.begin(), errors_measured.end(),
        [&](const reduced_error& e) { return e.zipf == zipf && c.run.reduced <= e.most; });
}

raw_tree reduced(const raw_tree& raw, const ssd_config& whole)
{
    return reducing(raw, whole).tree();
}

} // namespace ssdvp::platform
