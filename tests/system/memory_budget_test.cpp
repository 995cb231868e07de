// SPDX-License-Identifier: Apache-2.0
//
// A configuration that is accepted boots, with the least over-provisioning that its check lets
// pass, on a RAM drive: in the memory that the firmware planned with, to the byte.
#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <random>

#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "platform/plan/firmware_planner.h"
#include "tests/firmware/drive_bench.h"
#include "tests/unit/config_support.h"

namespace ssdvp::test {
namespace {

using platform::ssd_config;

constexpr std::uint64_t seeds = 120;       // of all other schemes
constexpr std::uint64_t placed_seeds = 60; // of those that give pages their places

class random_configuration {
public:
    explicit random_configuration(std::uint64_t seed) : m_random(seed)
    {
        const char* page = pick({"4KiB", "8KiB", "16KiB"});
        const char* unit = pick({"512B", "1KiB", "2KiB", "4KiB"});
        m_sets = {fmt::format("nand.page_size={}", page),
                  "nand.oob_size=1KiB",
                  fmt::format("ftl.map_unit={}", unit),
                  fmt::format("nand.planes={}", pick({"1", "2", "4"})),
                  fmt::format("nand.pages_per_block={}", number(6, 60)),
                  fmt::format("nand.blocks_per_plane={}", number(20, 150)),
                  fmt::format("flash.channels={}", number(1, 4)),
                  fmt::format("flash.luns_per_channel={}", number(1, 3)),
                  fmt::format("host.nvme.slots={}", number(16, 300)),
                  fmt::format("nand.factory_bad_share={}", pick({"0", "0", "0.01", "0.05"})),
                  fmt::format("wear.static_delta={}", pick({"0", "20"})),
                  fmt::format("gc.copyback={}", pick({"false", "true"})),
                  fmt::format("flash.use_cache={}", pick({"false", "true"})),
                  fmt::format("ftl.multi_plane={}", pick({"false", "true"})),
                  fmt::format("ftl.checkpoint_interval={}", pick({"64KiB", "1MiB", "100MiB"})),
                  fmt::format("ftl.refresh.reads={}", pick({"0", "1000"})),
                  "flash.arbiter=out_of_order",
                  pick({"cache.policy=none", "cache.capacity=2MiB", "cache.capacity=13MiB",
                        "cache.policy=rw_lru", "cache.policy=rw_cflru", "cache.policy=fab",
                        "cache.policy=bplru"})};
        if (seed % 4 == 0 && m_sets.back() != "cache.policy=none") {
            m_sets.emplace_back("cache.dirty_limit=0.9");
        }
        m_sets.emplace_back(pick({"ftl.scheme=page_map", "ftl.scheme=page_map", "ftl.scheme=dftl",
                                  "ftl.scheme=vm_map", "ftl.scheme=log_set"}));
        if (m_sets.back() == "ftl.scheme=log_set" && seed % 2 == 0) {
            m_sets.emplace_back("ftl.log_set.map_streams=per_level");
        }
        if (m_sets.back().find("log_set") != std::string::npos && seed % 4 < 2) {
            m_sets.emplace_back("ftl.log_set.upper_cache=8KiB");
        }
        if (seed % 3 == 0) {
            m_sets.emplace_back("ftl.stripe=block");
            m_sets.emplace_back("gc.copyback=false");
        }
        if (seed % 5 != 0 && seed % 4 == 1 && seed <= seeds) {
            m_sets.insert(m_sets.end(),
                          {"write.mode=shallow", "nand.shallow.speed_up=2",
                           "nand.shallow.retention=50ms", "write.shallow.policy=predicted"});
        }
        if (seed % 3 == 1 && seed <= seeds && seed % 5 != 0) { // planes are written apart
            m_sets.emplace_back(pick({"ftl.placement=CWDP", "ftl.placement=PDCW",
                                      "ftl.placement=shortest_queue", "ftl.placement=channel_rr"}));
            m_sets.emplace_back(fmt::format("ftl.placement_window={}", number(1, 4)));
        }
        if (seed % 6 == 2 && seed % 4 != 1 && seed % 5 != 0 && seed <= seeds) {
            m_sets.emplace_back(fmt::format("ftl.streams={}", number(1, 16)));
        }
        if (seed > seeds) {
            place_pages(page);
        } else if (seed % 5 == 0) {
            m_sets.insert(m_sets.end(),
                          {"ftl.scheme=log_set", "ftl.stripe=block", "gc.copyback=false",
                           "ftl.log_set.unit=block", fmt::format("ftl.map_unit={}", page),
                           fmt::format("ftl.log_set.w_log={}", number(0, 9))});
        }
    }

    /// With the least over-provisioning, in steps of 2 %; false: none will do.
    bool least(ssd_config& out)
    {
        for (unsigned percent = 2; percent < 96; percent += 2) {
            platform::config_sources s;
            s.sets = m_sets;
            s.sets.push_back(fmt::format("ftl.over_provisioning={}", percent / 100.0));
            m_error = platform::test::error_of(s);
            if (m_error.empty()) {
                out = load(s);
                return true;
            }
            if (m_error.find("ftl.over_provisioning") == std::string::npos) {
                return false;
            }
        }
        return false;
    }
    [[nodiscard]] const std::string& error() const { return m_error; }

private:
    /// A scheme that gives each page of a logical block its place, with options of its own.
    void place_pages(const char* page)
    {
        const std::string scheme =
            pick({"msbs", "fmax", "lm", "bast", "fast", "superblock", "kast", "last", "sast"});
        m_sets.insert(m_sets.end(),
                      {"ftl.scheme=" + scheme, "nand.page_order=any", "ftl.stripe=block",
                       "gc.copyback=false", fmt::format("ftl.map_unit={}", page)});
        if (scheme == "msbs") {
            m_sets.push_back(fmt::format("ftl.msbs.spare_pages={}", number(1, 5)));
        } else if (scheme == "lm") {
            m_sets.push_back(fmt::format("ftl.lm.moving_blocks={}", number(1, 9)));
        } else if (scheme == "bast") {
            m_sets.push_back(fmt::format("ftl.bast.log_blocks={}", number(1, 40)));
            m_sets.push_back(fmt::format("ftl.bast.log_info_writes={}", pick({"false", "true"})));
        } else if (scheme == "fast") {
            m_sets.push_back(fmt::format("ftl.fast.random_log_blocks={}", number(1, 40)));
        } else if (scheme == "superblock") {
            m_sets.push_back(fmt::format("ftl.superblock.blocks={}", number(1, 9)));
            m_sets.push_back(fmt::format("ftl.superblock.pool_blocks={}", number(1, 40)));
        } else if (scheme == "kast") {
            m_sets.push_back(fmt::format("ftl.kast.log_blocks={}", number(1, 40)));
            m_sets.push_back(fmt::format("ftl.kast.associativity={}", number(1, 8)));
        } else if (scheme == "sast") {
            m_sets.push_back(fmt::format("ftl.sast.set_blocks={}", number(1, 8)));
            m_sets.push_back(fmt::format("ftl.sast.log_blocks={}", number(2, 40)));
        } else if (scheme == "last") {
            m_sets.push_back(fmt::format("ftl.last.sequential_log_blocks={}", number(1, 20)));
            m_sets.push_back(fmt::format("ftl.last.random_log_blocks={}", number(2, 40)));
        }
    }
    std::uint64_t number(std::uint64_t low, std::uint64_t high)
    {
        return low + m_random() % (high - low + 1);
    }
    const char* pick(const std::vector<const char*>& of) { return of[m_random() % of.size()]; }

    std::mt19937_64 m_random;
    std::vector<std::string> m_sets;
    std::string m_error;
};

ram_config ram_drive(ssd_config c, std::uint64_t seed)
{
    constexpr std::uint64_t page = 4096;
    c.dram.capacity = (platform::dram_bytes_needed(c) + page - 1) / page * page;
    c.sram_size = (platform::sram_bytes_needed(c) + page - 1) / page * page;
    ram_config r = tiny_drive();
    r.params = platform::make_boot_params(c);
    r.params.host.data_mode = 1;
    r.slots = c.nvme.slots;
    r.any_order = c.channel.die.order == flash::page_order::any;
    std::mt19937_64 random(seed);
    const auto& geo = c.channel.die.geo;
    for (std::uint32_t n = 0; n < c.channels * c.channel.luns * geo.planes; ++n) {
        for (std::uint32_t block = 0; block < geo.blocks_per_plane; ++block) {
            const double draw = static_cast<double>(random() >> 11) * 0x1p-53;
            if (draw < c.channel.die.factory_bad_share) {
                r.factory_bad.insert({n % c.channels, n / c.channels % c.channel.luns,
                                      n / c.channels / c.channel.luns, block});
            }
        }
    }
    return r;
}

/// What the firmware says that it will take from its arenas.
std::uint64_t planned_bytes(const ram_config& c)
{
    const platform::front_end_limits front_end = {false, c.slots, c.queue_max, c.vectors,
                                                  c.queue_entries};
    const platform::firmware_needs needs = platform::firmware_planner().plan(c.params, front_end);
    CHECK(needs.reason.empty());
    std::uint64_t bytes = 0;
    for (const platform::memory_share& s : needs.shares) {
        bytes += s.sram + s.dram;
    }
    return bytes;
}

/// Writes a tenth of the drive and reads all of it.
void use(drive& d)
{
    d.create_queues();
    std::mt19937_64 random(7);
    for (int n = 0; n < 40; ++n) {
        while (!d.start_write(random() % (d.sectors() - 8), 8)) {
            REQUIRE(d.pump());
        }
    }
    d.idle();
    d.check_everything();
    d.check_identities();
    CHECK(d.mismatches == 0);
    if (d.nand.config.params.flash.lun_programs == 1) { // the bench knows no cache sequences
        d.check_rules();
    }
}

} // namespace

TEST_CASE("a configuration that is accepted boots, in the memory that was said")
{
    unsigned booted = 0;
    for (std::uint64_t seed = 1; seed <= seeds + placed_seeds; ++seed) {
        INFO("seed " << seed);
        random_configuration some(seed);
        ssd_config c;
        if (!some.least(c)) {
            INFO(some.error());
            CHECK(some.error().find("use ") != std::string::npos);
            continue;
        }
        drive d(ram_drive(c, seed));
        INFO(d.nand.error_text());
        REQUIRE_FALSE(d.nand.panicked());
        ++booted;
        CHECK(d.nand.counters().read_only == 0);
        CHECK(d.nand.counters().ram_bytes == planned_bytes(d.nand.config));
        if (seed % 8 == 0) {
            use(d);
        }
    }
    WARN(booted << " drives booted");
    CHECK(booted >= 130);
}

} // namespace ssdvp::test
