// SPDX-License-Identifier: Apache-2.0
//
// A reduced drive: what it has a part of, what it has all of, and what none stands for.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/reduced.h"
#include "platform/config/shaping.h"
#include "tests/unit/refusals.h"

namespace config_reduced_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;

namespace {

constexpr const char* by_eight = "run.reduced=8";
constexpr const char* roomy = "ftl.over_provisioning=0.2";

/// Of the superblocks that firmware leaves to the host's data, the part that the data take.
double fullness(const ssd_config& c)
{
    const double all = static_cast<double>(superblocks(c)) - static_cast<double>(needs_of(c).open);
    return static_cast<double>(user_units(c)) / static_cast<double>(superblock_units(c)) / all;
}

} // namespace

TEST_CASE("config reduced: the host's data take the same part of what firmware leaves")
{
    for (const char* over : {"ftl.over_provisioning=0.07", "ftl.over_provisioning=0.16",
                             "ftl.over_provisioning=0.3"}) {
        const ssd_config whole = accepted({over});
        for (const std::uint32_t n : {2u, 4u, 8u, 16u}) {
            const ssd_config c = accepted({over, fmt::format("run.reduced={}", n)});
            INFO(over << ", 1/" << n);
            CHECK(fullness(c) == Approx(fullness(whole)).epsilon(1e-5));
            // To a superblock.
            const double superblock = static_cast<double>(superblock_units(c));
            CHECK(std::abs(static_cast<double>(user_units(c)) -
                           static_cast<double>(user_units(whole)) / n) < superblock);
        }
    }
}

TEST_CASE("config reduced: superblocks, parts and buffers are those of the whole drive")
{
    const ssd_config whole = accepted({roomy});
    const ssd_config c = accepted({roomy, by_eight});
    CHECK(superblock_units(c) == superblock_units(whole));
    CHECK(c.channels == whole.channels);
    CHECK(c.channel.luns == whole.channel.luns);
    CHECK(buffer_slots(c) == buffer_slots(whole));
    CHECK(c.precondition.fill == whole.precondition.fill);
    CHECK(c.run.requests == whole.run.requests);
}

TEST_CASE("config reduced: a paged map has its share of memory, streams theirs of the drive")
{
    const std::vector<std::string> sets = {roomy, "ftl.scheme=dftl", "ftl.map_cache=16MiB",
                                           "workload.range.start=8GiB",
                                           "workload.range.size=16GiB"};
    const ssd_config whole = accepted(sets);
    std::vector<std::string> less = sets;
    less.emplace_back(by_eight);
    const ssd_config c = accepted(less);
    CHECK(map_share_held(c) == Approx(map_share_held(whole)).epsilon(0.01));
    const auto share = [](const ssd_config& of, std::uint64_t bytes) {
        return static_cast<double>(bytes) / static_cast<double>(logical_bytes(of));
    };
    const host::stream_config& a = whole.workload.streams.front();
    const host::stream_config& b = c.workload.streams.front();
    CHECK(share(c, b.range_start) == Approx(share(whole, a.range_start)).epsilon(0.001));
    CHECK(share(c, b.range_size) == Approx(share(whole, a.range_size)).epsilon(0.001));
    CHECK(b.range_start % b.block_size == 0);
}

TEST_CASE("config reduced: what is written of it is the drive that was asked for")
{
    const ssd_config c = accepted({roomy, by_eight});
    const scratch dir;
    config_sources s;
    s.files = {dir.write("again.yaml", resolved_yaml(c))};
    const ssd_config again = load(s);
    CHECK(resolved_yaml(again) == resolved_yaml(c));
    CHECK(superblocks(again) == superblocks(c));
    CHECK(user_units(again) == user_units(c));
    CHECK_THAT(resolved_yaml(c), Contains("blocks_per_plane: 504"));
    // What it leaves filled is not what the whole drive does.
    const auto shape = [](const ssd_config& of) {
        std::string text;
        for (const key_text& k : shaping_keys(of)) {
            text += k.key + "=" + k.value + "\n";
        }
        return text;
    };
    CHECK(shape(c) != shape(accepted({roomy})));
    CHECK(shape(accepted({roomy, "run.reduced=1"})) == shape(accepted({roomy})));
}

TEST_CASE("config reduced: too few blocks, and drives that no smaller one stands for")
{
    CHECK_THAT(refused({roomy, "nand.blocks_per_plane=100", "run.reduced=16"}),
               Contains("run.reduced: 1/16 of nand.blocks_per_plane 100") &&
                   Contains("superblocks beside the") && Contains("20 are needed") &&
                   Contains("use at most 4, or more nand.blocks_per_plane"));
    CHECK_THAT(refused({roomy, "nand.blocks_per_plane=32", "run.reduced=2"}),
               Contains("use run.reduced: 1, or more nand.blocks_per_plane"));
    CHECK_THAT(refused({roomy, "ftl.stripe=block", by_eight}),
               Contains("run.reduced: no reduced drive stands for this one: ftl.stripe"));
    CHECK_THAT(refused({roomy, "workload.pattern=lru", by_eight}),
               Contains("run.reduced: the depths of stream"));
    CHECK_THAT(refused({"run.reduced=0"}), Contains("run.reduced"));
}

TEST_CASE("config reduced: the error that is told is that of the next larger n, and of the pattern")
{
    const auto error = [](const char* n, const char* pattern) {
        return error_of_reduced(accepted({roomy, n, pattern}));
    };
    const char* uniform = "workload.pattern=uniform";
    CHECK(error("run.reduced=2", uniform).most == 4);
    CHECK(error("run.reduced=4", uniform).most == 4);
    CHECK(error("run.reduced=5", uniform).most == 16);
    CHECK(error("run.reduced=16", uniform).most == 16);
    CHECK_FALSE(error("run.reduced=16", "workload.pattern=hot_cold").zipf);
    CHECK(error("run.reduced=16", "workload.pattern=zipf").zipf);
}

} // namespace config_reduced_test
