// SPDX-License-Identifier: Apache-2.0
#include "platform/config/preset_fit.h"

#include <algorithm>
#include <fmt/format.h>

#include "models/flash/bus/interface_modes.h"
#include "models/regs/choices/cache_policy.h"
#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/config/parts/cache.h"
#include "platform/config/rules.h"
#include "platform/input/presets.h"

namespace ssdvp::platform {

bool preset_fit::yields(const char* key) const
{
    const auto it = m_raw.values.find(key);
    return it != m_raw.values.end() && is_preset(it->second.at, m_presets);
}

void preset_fit::replace(ssd_config& c, const char* key, std::uint64_t value,
                         const std::string& why)
{
    const option* o = find_option(option_table(), key);
    const std::uint64_t old = std::get<std::uint64_t>(o->get(c));
    raw_entry& entry = m_raw.values.at(key);
    o->set(c, value);
    const std::string text = format_value(o->spec, value);
    m_notices.push_back(fmt::format("{}: {}: {} of the preset is {} to {}: {}", entry.at.text(),
                                    key, format_value(o->spec, old),
                                    value < old ? "lowered" : "raised", text, why));
    entry = {{text}, false, {entry.at.text() + ", fitted", 0, 0}};
}

void preset_fit::interface_rate(ssd_config& c)
{
    const flash::interface_rates legal = flash::rates_of(c.channel.bus.mode);
    const std::uint64_t now = c.channel.bus.transfer_rate.per_second();
    const std::uint64_t fitted = std::clamp(now, legal.min, legal.max);
    if (fitted != now && yields("nand.interface.rate")) {
        replace(c, "nand.interface.rate", fitted,
                fmt::format("{} takes no {}", told(m_raw, c, "nand.interface.mode"),
                            fitted < now ? "more" : "less"));
    }
}

/// Parts have up to an eighth, or little more: with a quarter, the two are not of one part.
void preset_fit::spare_area(ssd_config& c)
{
    const auto page = m_raw.values.find("nand.page_size");
    if (!yields("nand.oob_size") || page == m_raw.values.end() ||
        page->second.at.label == m_raw.values.at("nand.oob_size").at.label) {
        return;
    }
    if (c.channel.die.geo.oob_size > c.channel.die.geo.page_size / 4) {
        replace(c, "nand.oob_size", usual_oob_size(c),
                fmt::format("{} has no more", told(m_raw, c, "nand.page_size")));
    }
}

void preset_fit::buffer(ssd_config& c)
{
    const std::uint64_t least = buffer_bytes_needed(c);
    if (buffer_has(c, CACHE_BUFFERS) && c.cache->capacity < least && yields("cache.capacity")) {
        replace(c, "cache.capacity", least,
                fmt::format("{}{} write units of {}, {}, need as much",
                            c.channel.die.two_pass ? "word lines between their passes and " : "",
                            write_units_buffered(c), told(m_raw, c, "nand.page_size"),
                            told(m_raw, c, "nand.planes")));
    }
}

void preset_fit::memory(ssd_config& c, const memory_need& need)
{
    const option* o = find_option(option_table(), need.key);
    const std::uint64_t size = std::get<std::uint64_t>(o->get(c));
    if (size >= need.bytes || !yields(need.key)) {
        return;
    }
    const std::uint64_t fitted = (need.bytes + need.grain - 1) / need.grain * need.grain;
    const std::uint64_t own = std::max(size, need.of_presets(presets_alone()));
    if (fitted <= o->spec.max && fitted < 2 * own) {
        replace(c, need.key, fitted, need.why);
    }
}

raw_tree preset_fit::presets_alone() const
{
    raw_tree alone;
    for (const auto& [key, entry] : m_raw.values) {
        if (is_preset(entry.at, m_presets)) {
            alone.values.emplace(key, entry);
        }
    }
    return alone;
}

} // namespace ssdvp::platform
