// SPDX-License-Identifier: Apache-2.0
//
// Ages of shallow pages, on tables without a flash.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/firmware/told.h"

extern "C" {
#include "firmware/lib/arena.h"
#include "firmware/lib/run.h"
#include "firmware/space/retention.h"
#include "firmware/space/state.h"
#include "models/regs/channel_records.h"
#include "models/regs/telemetry.h"
}

namespace ssdvp::test::retention_test {
namespace {

constexpr std::uint64_t memory_bytes = 1u << 20;
constexpr std::uint64_t slice_ns = 1000;
constexpr std::uint64_t limit_ns = RETENTION_SLICES * slice_ns;

/// One LUN of one plane; superblocks of 16 pages of a unit each.
struct shallow_part {
    std::uint64_t now = 0;
    hal_ops ops{};
    hal port{&ops, &now, nullptr, nullptr, 0};
    geometry geo{};
    telemetry counters{};
    arenas memory{};
    blocks table{};
    ::retention tracker{};
    boot_params p{};
    env e{};
    struct ::run rounds {};
    std::vector<std::uint8_t> sram = std::vector<std::uint8_t>(memory_bytes);
    std::vector<std::uint8_t> dram = std::vector<std::uint8_t>(memory_bytes);

    shallow_part()
    {
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
        ops.log = [](void*, int, const char*, std::uint64_t, std::uint64_t) {};
        ops.time_ns = [](void* at) { return *static_cast<const std::uint64_t*>(at); };
        geo.blocks = geo.part.blocks = 8;
        geo.pages = 16;
        geo.luns = geo.planes = geo.page_units = 1;
        geo.pages_shift = 4;
        e.hal = &port;
        env_windows(&e, sram.data(), dram.data());
        e.geo = &geo;
        e.telemetry = &counters;
        e.arenas = &memory;
        e.blocks = &table;
        e.retention = &tracker;
        e.run = &rounds;
        arenas_init(&e, memory_bytes, 64, memory_bytes);
        p.retention.limit_ns = limit_ns;
        p.retention.margin_ns = limit_ns / 8;
        p.retention.rewrite = 1;
        tell(e, p);
        REQUIRE(retention_init(&e) == 0);
    }

    void program(std::uint32_t block, std::uint32_t page)
    {
        flash_request r{};
        r.op = FLASH_OP_PROGRAM;
        r.owner = OWNER_PROGRAM;
        r.plane_mask = 1;
        r.block = block;
        r.page = page;
        REQUIRE(retention_program(&e, &r, 1) != 0);
    }
    std::uint64_t slice(std::uint32_t block, std::uint32_t page)
    {
        std::uint64_t found = 0;
        bool deep = true;
        REQUIRE(retention_slice(&e, block * geo.pages + page, &found, &deep));
        CHECK_FALSE(deep);
        return found;
    }
};

} // namespace

TEST_CASE("retention: a page that is late stays as old as it is, for as long as it waits")
{
    shallow_part x;
    x.program(2, 0);
    x.now = 30 * slice_ns; // younger ones of the same superblock, and of another
    x.program(2, 1);
    x.program(5, 0);
    const std::uint64_t first = RETENTION_WHEEL; // the clock begins that many slices late
    for (const std::uint64_t slices : {30u, 64u, 126u, 127u, 128u, 300u}) {
        CAPTURE(slices);
        x.now = slices * slice_ns;
        CHECK(x.slice(2, 0) == first);
        CHECK(x.slice(2, 1) == first + 30);
        CHECK(x.slice(5, 0) == first + 30);
    }
}

TEST_CASE("retention: the timer is set anew when another superblock is the first that is due")
{
    shallow_part x;
    x.rounds.due = 0;
    x.program(2, 0);
    CHECK(run_is_due(&x.e, DUE_TIMER));
    run_taken(&x.e, DUE_TIMER);
    x.now = 5 * slice_ns;
    x.program(3, 0); // later than the first
    CHECK_FALSE(run_is_due(&x.e, DUE_TIMER));
    retention_begin(&x.e, 2); // it becomes urgent
    CHECK(run_is_due(&x.e, DUE_TIMER));
    run_taken(&x.e, DUE_TIMER);
    retention_end(&x.e);
    CHECK(run_is_due(&x.e, DUE_TIMER));
}

} // namespace ssdvp::test::retention_test
