// SPDX-License-Identifier: Apache-2.0
//
// vm_map: map blocks that fail, segments that cannot be read, many segments in little memory.
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test::vm_map_faults_test {
namespace {

/// 3 segments of 512 entries, of which one is in memory; nothing is buffered.
ram_config three_segments()
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.geometry.channels = 2;
    p.geometry.luns_per_channel = p.geometry.planes = 1;
    p.geometry.blocks_per_plane = 250;
    p.geometry.pages_per_block = 4;
    p.geometry.page_size = p.ftl.map_unit = 512;
    p.geometry.oob_size = 16;
    p.ftl.user_units = 3 * 512;
    p.cache.policy = CACHE_POLICY_WO_LRU;
    p.cache.capacity = 16 * 512;
    p.host.mdts = 32768;
    p.ftl.scheme = FTL_SCHEME_VM_MAP;
    p.map.segments = 1;
    return c;
}

void flush_and_check(drive& d)
{
    d.start_flush();
    d.idle();
    d.check_everything();
    CHECK(d.mismatches == 0);
}

} // namespace

TEST_CASE("vm_map: commits whose programs fail go to another block, erases that fail cost one")
{
    ram_config c = three_segments();
    int left = 2;
    c.on_program = [&left](const nand_place&, const flash_desc& desc) {
        return desc.purpose == FLASH_PURPOSE_MAP && desc.page == 2 && left > 0 && --left == 0;
    };
    drive d(c);
    d.create_queues();
    mixed(d, 3000, 1);
    flush_and_check(d);
    CHECK(left == 0);
    d.check_identities();
    CHECK(d.nand.counters().bad_blocks == 1);
    CHECK(d.nand.counters().read_only == 0);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
}

TEST_CASE("vm_map: without spare blocks the drive is read only, and reads go on")
{
    ram_config c = three_segments();
    int left = 2; // of six blocks three hold a segment
    c.on_erase = [&left](const nand_place&, const flash_desc& desc) {
        return desc.purpose == FLASH_PURPOSE_MAP && left > 0 && left-- > 0;
    };
    c.quiet = true;
    drive d(c);
    d.create_queues();
    fill(d);
    for (std::uint64_t n = 0; n < 40 && d.nand.counters().read_only == 0; ++n) {
        REQUIRE(d.start_write(n % 3 * 512 + n, 1));
        d.idle();
    }
    CHECK(d.nand.counters().read_only == 1);
    flush_and_check(d);
}

TEST_CASE("vm_map: a segment whose last commit cannot be read is lost, and says so")
{
    ram_config c = three_segments();
    std::set<std::pair<nand_place, std::uint32_t>> gone;
    c.unreadable = [&gone](const nand_place& p, std::uint32_t page) {
        return gone.count({p, page}) != 0;
    };
    std::vector<nand_place> commits;
    c.on_program = [&commits](const nand_place& p, const flash_desc& desc) {
        if (desc.purpose == FLASH_PURPOSE_MAP && desc.page == 3) {
            commits.push_back(p);
        }
        return false;
    };
    c.quiet = true;
    drive d(c);
    d.create_queues();
    fill(d);
    shut_down(d);
    REQUIRE(commits.size() > 1);
    gone.insert({commits.back(), 3}); // the last page of the newest commit
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    std::uint64_t lost = 0;
    for (std::uint64_t lba = 0; lba < d.sectors(); lba += 64) {
        lost += status_of_read(d, lba, 1) == unrecovered ? 1 : 0;
    }
    CHECK(lost >= 8);
    CHECK(d.nand.counters().read_only == 1);
}

TEST_CASE("vm_map: reads that fail, with and without their spare words")
{
    const std::uint32_t seed = GENERATE(1u, 2u, 3u);
    ram_config c = three_segments();
    c.params.map.segments = seed;
    err_while_paging(c, seed, 4000);
}

TEST_CASE("vm_map: reads that disturb a map block bring its segment to another one")
{
    ram_config c = three_segments();
    c.params.refresh.reads = 40;
    drive d(c);
    d.create_queues();
    fill(d);
    shut_down(d);
    power_cycle(d);
    d.idle();
    const std::uint64_t before = d.nand.count(FLASH_PURPOSE_MAP).programs;
    for (std::uint64_t n = 0; n < 400; ++n) {
        REQUIRE(d.start_read(n % 3 * 512, 1));
        d.idle();
    }
    const std::uint64_t commits = (d.nand.count(FLASH_PURPOSE_MAP).programs - before) / 4;
    INFO(commits << " commits");
    CHECK(commits >= 20); // 4 reads of a block per swap: every tenth
    CHECK(commits <= 60);
    d.check_everything();
}

TEST_CASE("vm_map: memory for less than a segment is refused")
{
    ram_config c = three_segments();
    c.params.map.segments = 0;
    c.params.map.cache = 4 * 512 - 1;
    c.quiet = true;
    const ram_nand nand(c);
    CHECK(nand.panicked());
    CHECK_THAT(nand.error_text(), Catch::StartsWith("map "));
}

} // namespace ssdvp::test::vm_map_faults_test
