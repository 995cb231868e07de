// SPDX-License-Identifier: Apache-2.0
//
// Keys of shallow programs, what follows from them, and what cannot be combined.
#include <catch2/catch.hpp>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "tests/unit/key_case.h"

namespace ssdvp::platform::test {

using namespace ssdvp::literals;
using Catch::Matchers::Contains;
using C = const ssd_config&;

namespace {

const std::vector<std::string> shallow = {"write.mode=shallow", "nand.shallow.speed_up=1.86"};
const std::vector<std::string> limited = {"write.mode=shallow", "nand.shallow.speed_up=1.86",
                                          "nand.shallow.retention=40ms"};
const std::vector<std::string> predicted = {"write.mode=shallow", "nand.shallow.speed_up=1.86",
                                            "nand.shallow.retention=40ms",
                                            "write.shallow.policy=predicted"};

ssd_config with(std::vector<std::string> sets, const std::vector<std::string>& more)
{
    sets.insert(sets.end(), more.begin(), more.end());
    return load(with_sets(sets));
}

std::string refused_with(std::vector<std::string> sets, const std::vector<std::string>& more)
{
    sets.insert(sets.end(), more.begin(), more.end());
    return error_of(with_sets(sets));
}

} // namespace

std::vector<key_case> shallow_cases()
{
    return {
        {"nand.shallow.tPROG",
         "300us",
         [](C c) { return c.channel.die.timing.tPROG_shallow == 300_us; },
         "300",
         {}},
        {"nand.shallow.speed_up",
         "2.33",
         [](C c) { return c.channel.die.timing.shallow_speed_up == 2.33; },
         "2x",
         {}},
        {"nand.shallow.retention",
         "40ms",
         [](C c) { return c.channel.die.shallow_retention == 40_ms; },
         "40",
         {}},
        {"nand.retention_speed",
         "1000",
         [](C c) { return c.channel.die.retention_speed == 1000.0; },
         "0",
         {"nand.shallow.retention=40s"}},
        {"write.shallow.policy", "none",
         [](C c) { return c.shallow.policy == shallow_policy::none; }, "some", shallow},
        {"write.shallow.small",
         "8KiB",
         [](C c) { return c.shallow.small == 8192; },
         "8",
         {"write.mode=shallow", "nand.shallow.speed_up=1.86",
          "write.shallow.policy=small_requests"}},
        {"write.shallow.retention", "30ms", [](C c) { return c.shallow.retention == 30_ms; }, "30",
         limited},
        {"write.shallow.margin", "0.25", [](C c) { return c.shallow.margin == 0.25; }, "1",
         limited},
        {"write.shallow.rewrite", "false", [](C c) { return !c.shallow.rewrite; }, "no", limited},
        {"write.shallow.regions", "64", [](C c) { return c.shallow.regions == 64; }, "0",
         predicted},
        {"write.shallow.threshold", "0.2", [](C c) { return c.shallow.threshold == 0.2; }, "2",
         predicted},
    };
}

TEST_CASE("config shallow: the break-even is the default threshold")
{
    // docs/shallow.md, The predictor: p < (t_d - t_s) / (t_d + t_R)
    const std::vector<std::string> times = {"nand.tPROG=900us", "nand.tR=50us"};
    std::vector<std::string> sets = times;
    sets.insert(sets.end(), limited.begin(), limited.end());
    CHECK(load(with_sets(sets)).shallow.threshold ==
          Approx((900.0 - 900.0 / 1.86) / 950.0).epsilon(1e-6));
    CHECK(with(times, {"write.mode=shallow", "nand.shallow.tPROG=386us"}).shallow.threshold ==
          Approx(0.541).epsilon(1e-3));
    const ssd_config slow = with({"nand.tPROG=900us", "nand.tR=500us"},
                                 {"write.mode=shallow", "nand.shallow.tPROG=386us"});
    CHECK(slow.shallow.threshold == Approx(0.367).epsilon(1e-3));
}

TEST_CASE("config shallow: what firmware is told is simulated time")
{
    const ssd_config c = with(limited, {"nand.retention_speed=10", "write.shallow.retention=30ms"});
    CHECK(firmware_retention_ns(c) == 3000000);
    CHECK(flash::shallow_limit(c.channel.die) == 4_ms);
    CHECK(with(limited, {}).shallow.retention == 40_ms);
    CHECK_FALSE(tracks_retention(load(with_sets(shallow))));
    CHECK_FALSE(tracks_retention(load(with_sets({"nand.shallow.retention=40ms"}))));
}

TEST_CASE("config shallow: errors name the key and the remedy")
{
    CHECK(refused_with(shallow, {"nand.shallow.tPROG=300us"}) ==
          "--set nand.shallow.speed_up=1.86: nand.shallow.speed_up: the time of a shallow program "
          "is given twice; give nand.shallow.tPROG or nand.shallow.speed_up");
    CHECK_THAT(refused_with({"nand.shallow.speed_up=0.5"}, {}), Contains("use 1 or more"));
    CHECK_THAT(refused_with(shallow, {"nand.shallow.retention=900us"}),
               Contains("use 1ms or more"));
    CHECK_THAT(refused_with(limited, {"write.shallow.retention=900us"}),
               Contains("use 1ms or more"));
    CHECK_THAT(refused_with({"nand.retention_speed=2"}, {}),
               Contains("nothing of this part is lost with time"));
    const auto idle = [](std::vector<std::string> sets, const std::string& set) {
        return refused_with(std::move(sets), {"write.shallow." + set});
    };
    const char* no_effect = "has no effect: it is used only when ";
    for (const char* key : {"policy=none", "small=8KiB", "retention=5ms", "margin=0.2",
                            "rewrite=false", "regions=7", "threshold=0.77"}) {
        CHECK_THAT(idle({}, key), Contains(no_effect));
    }
    CHECK_THAT(idle(limited, "small=8KiB"), Contains("write.shallow.policy is small_requests"));
    CHECK_THAT(idle(limited, "regions=7"), Contains("write.shallow.policy is predicted"));
    CHECK_THAT(idle(limited, "threshold=0.5"), Contains("write.shallow.policy is predicted"));
    for (const char* key : {"retention=5ms", "margin=0.2", "rewrite=false"}) {
        CHECK_THAT(idle(shallow, key), Contains("nand.shallow.retention is not 0s"));
    }
    CHECK_THAT(refused_with(limited, {"write.shallow.retention=0s"}),
               Contains("use write.shallow.rewrite: false"));
    CHECK_THAT(refused_with(shallow, {"write.shallow.policy=predicted"}),
               Contains("or use another policy"));
    const std::vector<std::string> blocks = {"ftl.scheme=fmax", "nand.page_order=any",
                                             "ftl.over_provisioning=0.6"};
    CHECK(refused_with(shallow, blocks).empty());
    CHECK_THAT(refused_with(limited, blocks),
               Contains("nand.shallow.retention: a scheme that maps blocks") &&
                   Contains("use ftl.scheme: page_map, dftl, vm_map or log_set"));
    std::vector<std::string> none = blocks;
    none.emplace_back("write.shallow.policy=none");
    CHECK_THAT(refused_with(shallow, none),
               Contains("write.shallow.policy: a scheme that maps blocks"));
    for (const char* scheme : {"page_map", "dftl", "vm_map", "log_set"}) {
        CHECK(refused_with(limited, {std::string("ftl.scheme=") + scheme}).empty());
    }
}

} // namespace ssdvp::platform::test
