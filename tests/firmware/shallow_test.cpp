// SPDX-License-Identifier: Apache-2.0
//
// Shallow programs with a retention limit (docs/shallow.md); T_ret = 10 units of time.
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/shallow_policy.h"
#include "tests/firmware/aging_drive.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test::shallow_test {
namespace {

/// Host programs, and reads and programs of the rewriting.
void check_counts(aging_drive& x, std::uint64_t writes, std::uint64_t reads, std::uint64_t rewrites)
{
    CHECK(x->nand.count(FLASH_PURPOSE_HOST).programs == writes);
    CHECK(x.refresh().reads == reads);
    CHECK(x.refresh().programs == rewrites);
}

} // namespace

TEST_CASE("shallow oracle (b): what is never rewritten by the host is read and programmed deep")
{
    aging_drive x(aging_config());
    const std::uint64_t t0 = x.write(7);
    CHECK(x.told().tracked == 1);
    x.wait_until(t0 + limit_ns - margin_ns - 1);
    check_counts(x, 1, 0, 0);
    x.wait_until(t0 + limit_ns - margin_ns);
    x->nand.settle();
    check_counts(x, 1, 1, 1); // R = 1, W = 2 in all
    CHECK(x.shallow == 1);
    CHECK(x.told().tracked == 0);
    CHECK(x.told().rewritten_units == 1);
    CHECK(x.told().late_units == 0);
    x.wait_until(t0 + 10 * limit_ns); // deep: it stays where it is
    check_counts(x, 1, 1, 1);
    x.check();
    CHECK(x.expired == 0);
}

TEST_CASE("shallow oracle (a): what the host overwrites costs nothing")
{
    aging_drive x(aging_config());
    const std::uint64_t t0 = x.write(7);
    x.wait_until(t0 + 5 * unit_ns);
    const std::uint64_t t1 = x.write(7);
    CHECK(x.told().shallow_died == 1);
    // Nothing is left of the first version. The second is shallow too, and has its own ten units.
    x.wait_until(t1 + limit_ns - margin_ns - limit_ns / 64);
    check_counts(x, 2, 0, 0);
    x.wait_until(t1 + limit_ns - margin_ns);
    x->nand.settle();
    check_counts(x, 2, 1, 1);
    x.check();
}

TEST_CASE("shallow oracle (a): ... to the horizon, where the second version is deep")
{
    aging_drive x(aging_config(SHALLOW_SMALL_REQUESTS));
    const std::uint64_t t0 = x.write(7);
    x.wait_until(t0 + 5 * unit_ns);
    x.write(7, 2); // not small
    x.wait_until(t0 + 20 * unit_ns);
    check_counts(x, 3, 0, 0); // a unit more than in the oracle, for the second write has two
    CHECK(x.shallow == 1);
    CHECK(x.told().deep_pages == 2);
    x.check();
}

TEST_CASE("shallow oracle (c): what is trimmed in time costs nothing")
{
    aging_drive x(aging_config());
    const std::uint64_t t0 = x.write(7);
    x.wait_until(t0 + 9 * unit_ns);
    REQUIRE(x->start_trim({{7, 1}}));
    x->idle();
    x.wait_until(t0 + 20 * unit_ns);
    check_counts(x, 1, 0, 0);
    CHECK(x.told().shallow_died == 1);
    CHECK(x.told().tracked == 0);
    x.check();
}

TEST_CASE("shallow: a superblock is looked through again for its younger pages, full or open")
{
    // Superblocks of 8 pages. Twelve pages, one per half unit of time: one superblock is full.
    aging_drive x(aging_config());
    std::vector<std::uint64_t> begun;
    for (std::uint64_t n = 0; n < 12; ++n) {
        begun.push_back(x.write(n));
        x.wait_until(begun.front() + (n + 1) * unit_ns / 2);
    }
    CHECK(x.refresh().reads == 0);
    for (std::uint64_t n = 0; n < 12; ++n) {
        x.wait_until(begun[n] + limit_ns - margin_ns - limit_ns / 64 - 1);
        CHECK(x.refresh().reads == n);
        x.wait_until(begun[n] + limit_ns - margin_ns);
        x->nand.settle();
        CHECK(x.refresh().reads == n + 1);
    }
    CHECK(x.told().rewritten_units == 12);
    CHECK(x.told().late_units == 0);
    x.check();
}

TEST_CASE("shallow: pages of both modes share a superblock, and only shallow ones move")
{
    aging_drive x(aging_config(SHALLOW_SMALL_REQUESTS));
    std::uint64_t first = 0;
    for (std::uint64_t n = 0; n < 4; ++n) {
        const std::uint64_t t = x.write(10 * n);
        first = n == 0 ? t : first;
        x.write(10 * n + 4, 2);
    }
    CHECK(x.shallow == 4);
    x.wait_until(first + 2 * limit_ns);
    CHECK(x.told().rewritten_units == 4);
    CHECK(x.refresh().reads == 4);
    CHECK(x->nand.count(FLASH_PURPOSE_HOST).programs == 12);
    x.check();
}

TEST_CASE("shallow: the host goes first, until half of the margin is left")
{
    for (const bool busy : {false, true}) {
        aging_drive x(aging_config());
        const std::uint64_t t0 = x.write(300);
        const std::uint64_t due = t0 + limit_ns - margin_ns;
        x.wait_until(due - 1000);
        std::uint64_t lba = 0;
        const auto work = [&](std::uint64_t until) {
            while (x->nand.time_ns() < until) {
                // More programs than one LUN ends: one of the host is always under way.
                while (busy && x->start_write(lba % 128, 1, true)) {
                    ++lba;
                }
                if (!x->pump()) {
                    x.wait_until(x->nand.time_ns() + 100);
                }
            }
        };
        work(due + margin_ns / 2 - 2000);
        CHECK(x.refresh().reads == (busy ? 0 : 1));
        work(due + margin_ns / 2 + 4000);
        CHECK(x.refresh().reads == 1);
        x->idle();
        CHECK(x.told().late_units == 0);
        CHECK(x.expired == 0);
        x.check();
    }
}

TEST_CASE("shallow: without rewriting, data beyond the limit are lost, and say so")
{
    ram_config c = aging_config();
    c.params.retention.rewrite = 0;
    aging_drive x(c);
    x.write(7);
    const std::uint64_t since = x.last_program;
    x.wait_until(since + limit_ns - 300); // a read takes 200 ns at most, and some for the host
    x.wait_until(since + limit_ns + 1);
    CHECK(status_of_read(*x, 7, 1) == unrecovered);
    CHECK(x.expired == 1);
    x.write(7);
    CHECK(status_of_read(*x, 7, 1) == 0);
    CHECK(x.told().rewritten_units == 0);
    x->check_rules();
}

TEST_CASE("shallow: what was read too late is counted, and lost")
{
    // Firmware believes in a limit twice as long.
    ram_config c = aging_config();
    c.params.retention.limit_ns = 2 * limit_ns;
    aging_drive x(c);
    const std::uint64_t t0 = x.write(7);
    x.wait_until(t0 + 2 * limit_ns);
    CHECK(x.told().rewritten_units == 1);
    CHECK(x.told().late_units == 0); // as far as it knows
    CHECK(x->nand.counters().media_errors == 1);
    CHECK(status_of_read(*x, 7, 1) == unrecovered);
    x->check_rules();
}

TEST_CASE("shallow: policy none programs deep, and has nothing to rewrite")
{
    aging_drive x(aging_config(SHALLOW_NONE));
    const std::uint64_t t0 = x.write(7);
    x.wait_until(t0 + 3 * limit_ns);
    check_counts(x, 1, 0, 0);
    CHECK(x.shallow == 0);
    CHECK(x.told().tracked == 0);
    CHECK(x.told().deep_pages == 1);
    x.check();
}

TEST_CASE("shallow: random writes with rewrites that keep up lose nothing, in all schemes")
{
    const std::uint32_t scheme =
        GENERATE(FTL_SCHEME_PAGE_MAP, FTL_SCHEME_DFTL, FTL_SCHEME_VM_MAP, FTL_SCHEME_LOG_SET);
    const std::uint32_t policy = GENERATE(SHALLOW_ALL, SHALLOW_PREDICTED);
    ram_config c = aging_config(policy);
    boot_params& p = c.params;
    const boot_retention retention = p.retention;
    c.params = tiny_drive().params;
    p.flash.host_program_mode = FLASH_MODE_SHALLOW;
    p.retention = retention;
    p.ftl.user_units = 12 * 128;
    p.geometry.blocks_per_plane = 40;
    p.ftl.scheme = scheme;
    p.map.cache = 64 << 10;
    aging_drive x(c);
    std::mt19937_64 random(scheme + 7 * policy);
    for (std::uint64_t n = 0; n < 6000; ++n) {
        // Half of the writes to a twelfth of the drive, the rest anywhere.
        const std::uint64_t units = random() % 2 == 0 ? 128 : p.ftl.user_units;
        while (!x->start_write(random() % units * 8, 8)) {
            REQUIRE(x->pump());
        }
        if (n % 16 == 0) {
            x->drain();
            x.wait_until(x->nand.time_ns() + unit_ns / 8);
        }
    }
    x->drain();
    x->start_flush();
    x->idle();
    CAPTURE(scheme, policy);
    CHECK(x.told().rewritten_units > 500);
    CHECK(x.told().late_units == 0);
    CHECK(x.expired == 0);
    x.wait_until(x->nand.time_ns() + 2 * limit_ns);
    CHECK(x.told().tracked == 0);
    x.check();
    CHECK(x.expired == 0);
}

TEST_CASE("shallow: the predictor writes deep what lives on, and shallow what does not")
{
    // Eight regions of 48 units. The first is overwritten all the time, the last once in a while.
    aging_drive x(aging_config(SHALLOW_PREDICTED));
    std::uint64_t shallow_hot = 0;
    std::uint64_t shallow_cold = 0;
    std::uint64_t hot = 0;
    std::uint64_t cold = 0;
    for (std::uint64_t n = 0; n < 400; ++n) {
        const bool late = n >= 300;
        std::uint64_t before = x.shallow;
        x.write(n % 16);
        shallow_hot += late ? x.shallow - before : 0;
        hot += late ? 1 : 0;
        before = x.shallow;
        x.write(336 + n % 48);
        shallow_cold += late ? x.shallow - before : 0;
        cold += late ? 1 : 0;
        x.wait_until(x->nand.time_ns() + unit_ns / 2); // cold data live for 24 units of time
    }
    CHECK(shallow_hot == hot);
    CHECK(shallow_cold * 4 < cold); // probes: a sixteenth, drawn
    CHECK(shallow_cold > 0);
    CHECK(x.told().late_units == 0);
    CHECK(x.expired == 0);
    CHECK(x.told().deep_lived > x.told().deep_died);
    x.check();
}

TEST_CASE("shallow: mean cost of a write, against the formula of the break-even")
{
    // t_s + p (t_R + t_d), in us: tPROG of Shin's study, 2.33 times faster; tR of usual MLC.
    constexpr double t_d = 900, t_s = 386, t_R = 50;
    for (const unsigned percent : {0u, 30u, 50u, 80u}) {
        aging_drive x(aging_config());
        constexpr std::uint64_t writes = 100;
        std::uint64_t first = 0;
        for (std::uint64_t n = 0; n < writes; ++n) {
            const std::uint64_t t = x.write(n);
            first = n == 0 ? t : first;
        }
        for (std::uint64_t n = 0; n < writes - percent; ++n) { // these die in time
            REQUIRE(x->start_trim({{n, 1}}));
            x->idle();
        }
        x.wait_until(first + 2 * limit_ns);
        const double p = percent / 100.0;
        const auto& r = x.refresh();
        const double cost =
            (static_cast<double>(x.shallow) * t_s + static_cast<double>(r.programs) * t_d +
             static_cast<double>(r.reads) * t_R) /
            static_cast<double>(writes);
        CHECK(cost == Approx(t_s + p * (t_R + t_d)).epsilon(0.001));
        CHECK((cost < t_d) == (p < (t_d - t_s) / (t_d + t_R)));
        x.check();
    }
}

TEST_CASE("shallow: after a loss of power the tracker has modes and ages again")
{
    for (const bool clean : {false, true}) {
        aging_drive x(aging_config());
        std::vector<std::uint64_t> begun;
        for (std::uint64_t n = 0; n < 12; ++n) {
            begun.push_back(x.write(n));
            x.wait_until(begun.front() + (n + 1) * unit_ns / 4);
        }
        if (clean) {
            shut_down(*x);
        }
        x->nand.power_cut();
        x->forget();
        x->nand.power_on();
        REQUIRE_FALSE(x->nand.panicked());
        x->nand.enable();
        x->create_queues();
        CHECK(x.told().tracked == 2);
        x.wait_until(begun[0] + limit_ns - margin_ns - limit_ns / 64 - 1);
        CHECK(x.refresh().reads == 0);
        x.wait_until(begun[0] + limit_ns - margin_ns);
        x->nand.settle();
        CHECK(x.refresh().reads >= 1);
        // A scan gives every page its own age; a record only that of a superblock's oldest page.
        CHECK(x.refresh().reads <= (clean ? 8 : 1));
        x.wait_until(begun[11] + limit_ns);
        CHECK(x.refresh().reads == 12);
        x->check_everything();
        x->check_rules();
        CHECK(x.expired == 0);
    }
}

} // namespace ssdvp::test::shallow_test
