// SPDX-License-Identifier: Apache-2.0
//
// Requests of the flash and their owners (firmware/lib/request.h), without the hardware.
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "tests/firmware/told.h"

extern "C" {
#include "firmware/gc/gc.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/run.h"
#include "firmware/ops/flash.h"
#include "firmware/ops/read_pool.h"
#include "firmware/space/bad.h"
#include "firmware/space/blocks.h"
#include "firmware/space/slc.h"
#include "models/regs/telemetry.h"
}

namespace ssdvp::test::flash_request_test {
namespace {

constexpr std::uint32_t bad_block = 3;

/// One LUN of one plane with a bad block, and the tables of the flash.
struct bare_flash {
    std::vector<std::uint64_t> dram = std::vector<std::uint64_t>(1u << 17);
    std::vector<std::uint64_t> sram = std::vector<std::uint64_t>(1u << 10);
    hal_ops ops{};
    hal port{&ops, nullptr, nullptr, nullptr, 0};
    geometry geo{};
    telemetry counters{};
    arenas memory{};
    blocks table{};
    slc cached{};
    flash work{};
    boot_params p{};
    env e{};
    struct ::run rounds {};

    bare_flash()
    {
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
        geo.luns = geo.planes = geo.plane_all = geo.page_units = geo.group = geo.lun_programs = 1;
        geo.channels = geo.luns_per_channel = geo.part.luns = geo.part.planes = 1;
        geo.blocks = geo.part.blocks = 8;
        geo.pages = 4;
        geo.page_size = geo.unit_size = 4096;
        geo.oob_bytes = 16;
        geo.pages_shift = 32;
        e.hal = &port;
        env_windows(&e, reinterpret_cast<std::uint8_t*>(sram.data()),
                    reinterpret_cast<std::uint8_t*>(dram.data()));
        e.geo = &geo;
        e.telemetry = &counters;
        e.arenas = &memory;
        e.blocks = &table;
        e.slc = &cached;
        e.run = &rounds;
        e.flash = &work;
        arenas_init(&e, sram.size() * sizeof sram[0], 0, dram.size() * sizeof dram[0]);
        tell(e, p);
        REQUIRE(blocks_init(&e) == 0);
        flash_setup how{};
        how.read_buffers = 4;
        how.folds = how.merges = how.copyback = 1;
        REQUIRE(flash_init(&e, &how) == 0);
        blocks_mark_bad(&e, bad_block, 0, 1);
    }

    /// A program of the block that is bad.
    std::uint32_t program(std::uint32_t owner)
    {
        const std::uint32_t i = flash_take(&e, owner);
        REQUIRE(i != INDEX_NONE);
        flash_request* r = flash_request_of(&e, i);
        flash_program_pages(&e, r, FLASH_PURPOSE_MERGE, 2);
        r->plane_mask = 1;
        r->lun = 0;
        r->block = bad_block;
        r->page = 0;
        flash_submit(&e, i);
        return i;
    }
};

std::vector<flash_result> heard;

void hear(env* e, const flash_result* result)
{
    heard.push_back(*result);
    flash_free(e, result->request);
}

} // namespace

TEST_CASE("a program whose block went bad while it waited fails without the hardware")
{
    for (const std::uint32_t owner : {OWNER_PROGRAM, OWNER_GC_PROGRAM, OWNER_MAP_PROGRAM,
                                      OWNER_MERGE_PROGRAM, OWNER_FOLD_PROGRAM}) {
        bare_flash x;
        flash_handler handlers[OWNERS] = {};
        handlers[owner] = hear;
        heard.clear();
        INFO("owner " << owner);
        const std::uint32_t request = x.program(owner);
        CHECK(flash_step(&x.e, handlers) == 1);
        REQUIRE(heard.size() == 1);
        CHECK(heard[0].request == request);
        CHECK(heard[0].status == FLASH_STATUS_PROGRAM_FAIL);
        CHECK(heard[0].plane_fail == 1);
        CHECK(flash_in_flight(&x.e) == 0);
    }
}

TEST_CASE("a request that is given back says nothing more, and none begins with what one said")
{
    bare_flash x;
    const std::uint32_t i = flash_take(&x.e, OWNER_PROGRAM);
    flash_request* r = flash_request_of(&x.e, i);
    r->op = FLASH_OP_PROGRAM;
    r->block = 5;
    r->host_program.wait = FE_WAIT_GC;
    flash_free(&x.e, i);
    CHECK(r->op > FLASH_OP_COPYBACK);
    CHECK(r->block >= x.geo.blocks);
    CHECK(r->host_program.wait >= FE_WAITS);
    CHECK(flash_settled(&x.e) == 0); // which looks at free ones too
    REQUIRE(flash_take(&x.e, OWNER_GC_PROGRAM) == i);
    CHECK(r->owner == OWNER_GC_PROGRAM);
    CHECK(r->gc_program.kind >= GC_KINDS);
}

TEST_CASE("reads whose buffers lie side by side come from groups that are whole")
{
    bare_flash x;
    read_pool p{};
    read_pool_init(&x.e, &p, 10, 4); // 0..3, 4..7, 8 and 9
    REQUIRE(x.memory.absent == 0);
    const auto take = [&](std::uint32_t reads) { return read_pool_take(&x.e, &p, reads); };
    const auto give = [&](std::uint32_t first, std::uint32_t reads) {
        read_pool_free(&x.e, &p, first, reads);
    };
    CHECK(take(1) == 8); // that group never was whole
    CHECK(take(4) == 0);
    CHECK(take(1) == 9);
    CHECK(take(3) == 4);
    CHECK(take(2) == INDEX_NONE);
    CHECK(take(1) == 7);
    CHECK(p.count == 0);
    CHECK(take(1) == INDEX_NONE);
    give(4, 3);
    CHECK(take(2) == INDEX_NONE); // 7 is still in use
    give(7, 1);
    CHECK(take(1) == 4);
    give(0, 4);
    CHECK(take(1) == 5); // and breaks no other
    CHECK(take(2) == 0);
    CHECK(take(1) == 2);
    CHECK(p.count == 3); // 3, 6, 7
}

} // namespace ssdvp::test::flash_request_test
