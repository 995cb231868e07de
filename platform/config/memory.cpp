// SPDX-License-Identifier: Apache-2.0
//
// The controller's memories: what the firmware asks for decides how large they are, and must fit.
#include <algorithm>

#include <fmt/format.h>

#include "platform/config/boot_block.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option_tables.h"
#include "platform/config/preset_fit.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {
namespace {

constexpr std::uint64_t KiB = 1ull << 10;
constexpr std::uint64_t MiB = 1ull << 20;

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

/// The key that a share of the firmware goes by most; null: none that we know of.
const char* key_of(const ssd_config& c, const std::string& share)
{
    struct row {
        const char* share;
        const char* key;
    };
    constexpr row rows[] = {{"front end", "host.nvme.slots"},
                            {"host interface", "host.nvme.slots"},
                            {"channels", "flash.channels"},
                            {"blocks", "nand.blocks_per_plane"},
                            {"flash", "flash.luns_per_channel"},
                            {"map", "ftl.map_unit"},
                            {"checkpoints", "ftl.checkpoint_interval"},
                            {"collection", "flash.luns_per_channel"},
                            {"cache", "cache.capacity"},
                            {"cores", "cpu.cores"}};
    if (share == "cache" && !buffer_has(c, CACHE_BUFFERS)) {
        return "cache.policy";
    }
    for (const row& r : rows) {
        if (share == r.share && !(is_sata(c) && r.key == std::string("host.nvme.slots"))) {
            return r.key;
        }
    }
    return nullptr;
}

class memory_rules {
public:
    memory_rules(const raw_tree& raw, const ssd_config& c, const firmware_needs& needs)
        : m_raw(raw), m_c(c), m_needs(needs)
    {}

    void dram(std::uint64_t bytes) const
    {
        if (m_c.dram.capacity < bytes) {
            reject({"dram.capacity", "cache.capacity", "ftl.map_unit", "nand.blocks_per_plane"},
                   fmt::format("{} is too small for {} units: {}", told("dram.capacity"),
                               user_units(m_c), shares(&memory_share::dram, MiB, "MiB")),
                   fmt::format("use {}MiB or more", divided_up(bytes, MiB)));
        }
    }
    void sram() const
    {
        if (m_c.sram_size < m_needs.sram) {
            reject({"sram.capacity", "host.nvme.slots", "flash.channels"},
                   fmt::format("{} is too small: {}", told("sram.capacity"),
                               shares(&memory_share::sram, KiB, "KiB")),
                   fmt::format("use {}KiB or more", divided_up(m_needs.sram, 4 * KiB) * 4));
        }
    }

private:
    /// "key value (place)".
    [[nodiscard]] std::string told(const std::string& key) const
    {
        const option* o = find_option(option_table(), key);
        const auto it = m_raw.values.find(key);
        return fmt::format("{} {} ({})", key, format_value(o->spec, o->get(m_c)),
                           it == m_raw.values.end() ? std::string("default")
                                                    : it->second.at.text());
    }

    /// Those that are not next to nothing, the largest first, each with its key.
    [[nodiscard]] std::string shares(std::uint64_t memory_share::*in, std::uint64_t one,
                                     const char* unit) const
    {
        std::vector<memory_share> all = m_needs.shares;
        std::stable_sort(
            all.begin(), all.end(),
            [in](const memory_share& a, const memory_share& b) { return a.*in > b.*in; });
        std::string text;
        for (const memory_share& s : all) {
            if (s.*in < one / 10) {
                break;
            }
            const char* key = key_of(m_c, s.name);
            text += fmt::format("{}{} {:.1f}{}{}", text.empty() ? "" : ", ", s.name,
                                static_cast<double>(s.*in) / static_cast<double>(one), unit,
                                key == nullptr ? std::string() : " by " + told(key));
        }
        return text;
    }

    /// Fails at the first of `keys` that was written somewhere.
    [[noreturn]] void reject(std::initializer_list<const char*> keys, const std::string& what,
                             const std::string& remedy) const
    {
        const auto* const written = std::find_if(keys.begin(), keys.end(), [this](const char* key) {
            return m_raw.values.count(key) != 0;
        });
        const char* key = written == keys.end() ? *keys.begin() : *written;
        rejection{m_raw}(key, what, remedy);
    }

    const raw_tree& m_raw;
    const ssd_config& m_c;
    const firmware_needs& m_needs;
};

} // namespace

firmware_needs needs_of(const ssd_config& c, const firmware_planner& firmware)
{
    const front_end_limits front_end = {is_sata(c), front_end_slots(c), c.nvme.queue_pairs,
                                        c.nvme.vectors, c.nvme.queue_entries};
    return firmware.plan(make_boot_params(c), front_end);
}

void fit_memory(const raw_tree& raw, ssd_config& c, const firmware_planner* own, preset_fit& fit)
{
    const bool known = own == nullptr || own->plans();
    const firmware_needs needs = needs_of(c, known && own != nullptr ? *own : firmware_planner());
    if (known && !needs.reason.empty()) {
        fail({"firmware", 0, 0}, "", "it would not start with this configuration: " + needs.reason,
             "change the keys that this is about");
    }
    const std::uint64_t dram = needs.dram + service_buffer_size;
    if (raw.values.count("sram.capacity") == 0) {
        c.sram_size = doubled_to("sram.capacity", 4 * MiB, needs.sram);
    }
    if (raw.values.count("dram.capacity") == 0) {
        c.dram.capacity = doubled_to("dram.capacity", 64 * MiB, dram);
    }
    fit.memories(c, needs.sram, dram);
    if (known) {
        const memory_rules rules(raw, c, needs);
        rules.dram(dram);
        rules.sram();
    }
}

std::uint64_t dram_bytes_needed(const ssd_config& c)
{
    return needs_of(c).dram + service_buffer_size;
}

std::uint64_t sram_bytes_needed(const ssd_config& c)
{
    return needs_of(c).sram;
}

} // namespace ssdvp::platform
