// SPDX-License-Identifier: Apache-2.0
//
// What a mode of the drive held up goes on when the mode ends: nobody else announces it.
#include <catch2/catch.hpp>

#include "tests/firmware/mapped_part.h"

extern "C" {
#include "firmware/map/modes.h"
}

namespace modes_test {

using namespace ssdvp;

geometry small_part()
{
    geometry g{};
    g.luns = 2;
    g.page_units = 4;
    g.unit_bits = 2;
    g.blocks = 4;
    g.pages = 16;
    g.user_units = 64;
    g.unit_shift = 12;
    return g;
}

TEST_CASE("modes: the end of one is announced, its beginning is not")
{
    test::mapped_part p(small_part());
    for (const auto turn : {ftl_stop, ftl_hold, ftl_clear}) {
        run_taken(&p.e, DUE_STEPS);
        turn(&p.e, false); // it was not on
        turn(&p.e, true);
        CHECK_FALSE(run_is_due(&p.e, DUE_STEPS));
        turn(&p.e, false);
        CHECK(run_is_due(&p.e, DUE_STEPS));
    }
}

TEST_CASE("rounds: a part hears of what it asked for, and no other one does")
{
    test::mapped_part p(small_part());
    run_quiet(&p.e, 1);
    run_taken(&p.e, DUE_STEPS);
    run_busy(&p.e);
    run_read(&p.e);
    CHECK_FALSE(run_is_due(&p.e, DUE_STEPS));

    run_hears_busy(&p.e);
    run_hears_reads(&p.e, DUE_GC);
    run_busy(&p.e);
    CHECK(run_is_due(&p.e, DUE_TIMER));
    CHECK_FALSE(run_is_due(&p.e, DUE_STEPS & ~DUE_TIMER));
    run_taken(&p.e, DUE_TIMER);
    run_read(&p.e);
    CHECK(run_is_due(&p.e, DUE_GC));
    CHECK_FALSE(run_is_due(&p.e, DUE_STEPS & ~DUE_GC));
}

} // namespace modes_test
