// SPDX-License-Identifier: Apache-2.0
//
// What the firmware needs of the drive, by its own plan: memory, and superblocks beside the user's
// data.
#include <algorithm>

#include <fmt/format.h>

#include "firmware/space/reserve.h"
#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"
#include "platform/config/partition.h"
#include "platform/config/preset_fit.h"
#include "platform/config/rules.h"
#include "platform/config/set_options.h"

namespace ssdvp::platform {
namespace {

using units::KiB;
using units::MiB;

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
    if (share == "map" && map_is_paged(c)) {
        return "ftl.map_cache";
    }
    for (const row& r : rows) {
        if (share == r.share && !(is_sata(c) && r.key == std::string("host.nvme.slots"))) {
            return r.key;
        }
    }
    return nullptr;
}

/// What the firmware would not start for, in its own words, and the keys that this is about.
struct refusal {
    const char* reason;
    std::initializer_list<const char*> keys;
    const char* remedy;
};

const refusal* refusal_of(const std::string& reason)
{
    static const refusal known[] = {{"blocks are too small for an anchor record",
                                     {"nand.pages_per_block", "nand.blocks_per_plane",
                                      "flash.channels", "flash.luns_per_channel", "nand.page_size"},
                                     "use more pages or larger ones, or fewer blocks or LUNs"},
                                    {"more flash requests than tags have numbers",
                                     {"flash.luns_per_channel", "flash.channels", "nand.two_pass"},
                                     "use fewer LUNs"}};
    for (const refusal& r : known) {
        if (reason.rfind(r.reason, 0) == 0) {
            return &r;
        }
    }
    return nullptr;
}

std::uint64_t spare_superblocks(const ssd_config& c)
{
    return (physical_units(c) - user_units(c)) / superblock_units(c);
}

/// Firmware gives maps a stream of their own where there is room for it with one block in so many
/// bad; with more of them it must still be there.
std::uint64_t superblocks_needed(const ssd_config& c, const firmware_needs& needs)
{
    const std::uint64_t bad = bad_superblocks(c);
    const bool many = bad * RESERVE_BAD_SHARE > superblocks(c);
    const std::uint64_t map = many ? c.ftl_cores * std::uint64_t{RESERVE_MAP_STREAM} : 0;
    const std::uint64_t taken = needs.open + needs.overhead + map;
    return needs.superblocks == 0 ? 0 : std::max(needs.superblocks, taken) + bad;
}

/// ftl.over_provisioning with which there are as many, in thousandths; 1: none will do. What the
/// firmware needs shrinks with the user's data.
double over_provisioning_for(const ssd_config& c, const firmware_planner& firmware)
{
    ssd_config larger = c;
    const auto from = static_cast<unsigned>(c.ftl.over_provisioning * 1000.0);
    for (unsigned share = from; share < 1000; ++share) {
        larger.ftl.over_provisioning = share / 1000.0;
        const firmware_needs needs = needs_of(larger, firmware);
        if (needs.reason.empty() && user_units(larger) != 0 &&
            spare_superblocks(larger) >= superblocks_needed(larger, needs)) {
            return larger.ftl.over_provisioning;
        }
    }
    return 1.0;
}

class needs_rules {
public:
    needs_rules(const raw_tree& raw, const ssd_config& c, const firmware_needs& needs)
        : m_raw(raw), m_c(c), m_needs(needs)
    {}

    void start(const firmware_planner& firmware) const
    {
        if (user_units(m_c) == 0 || user_units(m_c) == physical_units(m_c)) {
            reject({"ftl.over_provisioning", "nand.blocks_per_plane"},
                   fmt::format("{} of {} superblocks leaves the host {} units of {}",
                               told("ftl.over_provisioning"), superblocks(m_c), user_units(m_c),
                               physical_units(m_c)),
                   user_units(m_c) == 0
                       ? "use a smaller ftl.over_provisioning, or more nand.blocks_per_plane"
                       : room_for(firmware));
        }
        if (m_needs.reason.empty()) {
            return;
        }
        const std::string what = "the firmware would not start: " + m_needs.reason;
        if (const refusal* r = refusal_of(m_needs.reason)) {
            reject(r->keys, what, r->remedy);
        }
        fail({"firmware", 0, 0}, "", what, "change the keys that this is about");
    }
    void flash(const firmware_planner& firmware) const
    {
        const std::uint64_t spare = spare_superblocks(m_c);
        const std::uint64_t needed = superblocks_needed(m_c, m_needs);
        if (spare >= needed) {
            return;
        }
        reject({"ftl.over_provisioning", "gc.stop", "gc.threshold", "nand.factory_bad_share",
                "nand.blocks_per_plane"},
               fmt::format(
                   "{} of {} superblocks leaves {} spare, {} are needed: {} open or reserved and "
                   "{} for maps, journal and anchor, {}, and {} for those of {}",
                   told("ftl.over_provisioning"), superblocks(m_c), spare, needed, m_needs.open,
                   m_needs.overhead, marks(), bad_superblocks(m_c), told("nand.factory_bad_share")),
               room_for(firmware));
    }
    void dram(std::uint64_t bytes) const
    {
        if (m_c.dram.capacity < bytes) {
            reject({"dram.capacity", "cache.capacity", "ftl.map_unit", "nand.blocks_per_plane"},
                   fmt::format("{} is too small for {} units{}", told("dram.capacity"),
                               user_units(m_c), listed(dram_shares())),
                   fmt::format("use {}MiB or more", divided_up(bytes, MiB)));
        }
    }
    void sram() const
    {
        if (m_c.sram_size < m_needs.sram) {
            reject({"sram.capacity", "ftl.map_cache", "host.nvme.slots", "flash.channels"},
                   fmt::format("{} is too small{}", told("sram.capacity"), listed(sram_shares())),
                   fmt::format("use {}KiB or more", divided_up(m_needs.sram, 4 * KiB) * 4));
        }
    }

    [[nodiscard]] std::string dram_shares() const
    {
        return shares(&memory_share::dram, MiB, "MiB");
    }
    [[nodiscard]] std::string sram_shares() const
    {
        return shares(&memory_share::sram, KiB, "KiB");
    }

private:
    /// Who takes how much of a memory, where the firmware tells.
    [[nodiscard]] static std::string listed(const std::string& shares)
    {
        return shares.empty() ? shares : ": " + shares;
    }
    /// Free superblocks that collection keeps.
    [[nodiscard]] std::string marks() const
    {
        if (planes_are_apart(m_c)) {
            return fmt::format("in each of {} planes 4/3 of {} of {}", place_lanes(m_c),
                               m_needs.gc_high, told("gc.stop"));
        }
        return fmt::format("4 times {} of {}, 2 times {} of {}, whichever is most", m_needs.gc_low,
                           told("gc.threshold"), m_needs.gc_high, told("gc.stop"));
    }
    [[nodiscard]] std::string room_for(const firmware_planner& firmware) const
    {
        const double share = over_provisioning_for(m_c, firmware);
        return share < 0.95
                   ? fmt::format("use ftl.over_provisioning of {} or more, smaller gc marks, or "
                                 "more nand.blocks_per_plane",
                                 share)
                   : std::string("use more nand.blocks_per_plane");
    }

    [[nodiscard]] std::string told(const char* key) const
    {
        return platform::told(m_raw, m_c, key);
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
        rejection{m_raw}(keys, what, remedy);
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
    const firmware_needs one = firmware.plan(make_boot_params(c), front_end);
    return is_divided(c) ? needs_of_partitions(one, c.ftl_cores) : one;
}

namespace {

firmware_needs needs_of_tree(raw_tree& raw, const firmware_planner& firmware)
{
    ssd_config c;
    set_all(option_table(), raw.values, "", c);
    preset_fit fit(raw, "");
    complete(raw, c, fit);
    return needs_of(c, firmware);
}

} // namespace

void fit_firmware(const raw_tree& raw, ssd_config& c, const firmware_planner* own, preset_fit& fit)
{
    const bool known = own == nullptr || own->plans();
    const firmware_planner firmware = own != nullptr && known ? *own : firmware_planner();
    const firmware_needs needs = needs_of(c, firmware);
    const needs_rules rules(raw, c, needs);
    if (known || user_units(c) == 0) {
        rules.start(firmware);
        rules.flash(firmware);
    }
    const std::uint64_t dram = needs.dram + service_buffer_size;
    const auto of_presets = [&](raw_tree alone) {
        return known ? needs_of_tree(alone, firmware) : needs;
    };
    if (raw.values.count("sram.capacity") == 0) {
        c.sram_size = doubled_to("sram.capacity", 4 * MiB, needs.sram);
    }
    if (raw.values.count("dram.capacity") == 0) {
        c.dram.capacity = doubled_to("dram.capacity", 64 * MiB, dram);
    }
    fit.memory(c, {"sram.capacity", 4 * KiB, needs.sram,
                   [&](raw_tree alone) { return of_presets(std::move(alone)).sram; },
                   rules.sram_shares()});
    fit.memory(
        c, {"dram.capacity", MiB, dram,
            [&](raw_tree alone) { return of_presets(std::move(alone)).dram + service_buffer_size; },
            rules.dram_shares()});
    c.dram.on_chip_size = needs.map;
    if (known) {
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
