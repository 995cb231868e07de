// SPDX-License-Identifier: Apache-2.0
//
// The campaigns see losses: every block is erased at each cut.
#include <catch2/catch.hpp>

#include "tests/powercut/campaign.h"

namespace ssdvp::test {

TEST_CASE("campaigns: a drive that forgets everything loses sectors, and the run can be replayed")
{
    for (const char* mode : {"random", "reentrant", "nested"}) {
        for (const char* geometry : {"tiny", "planes", "nocache"}) {
            campaign_options o;
            o.mode = mode;
            o.geometry = geometry;
            o.forget_everything = true;
            o.runs = 3;
            o.seed = 5;
            const campaign_report r = run_campaign(o);
            CAPTURE(mode, geometry, r.failure);
            CHECK(r.lost > 100);
            CHECK_FALSE(r.good());
            CHECK(r.failure.find("sector") != std::string::npos);
            CHECK(r.command.find("--seed 5") != std::string::npos);
            const campaign_report same = run_campaign(o);
            CHECK(same.lost == r.lost);
            CHECK(same.failure == r.failure);
        }
    }
}

} // namespace ssdvp::test
