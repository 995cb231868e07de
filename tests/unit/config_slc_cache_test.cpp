// SPDX-License-Identifier: Apache-2.0
//
// Keys of the SLC cache: how many superblocks it has, and what it needs.
#include <catch2/catch.hpp>

#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/slc.h"
#include "tests/unit/key_case.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

namespace {

/// A TLC part with the mode.
const std::vector<std::string> slc_part = {"nand.slc_mode.tR=25us", "nand.slc_mode.tPROG=200us",
                                           "nand.slc_mode.tBERS=3ms"};

std::vector<std::string> cached(std::vector<std::string> more)
{
    more.insert(more.end(), slc_part.begin(), slc_part.end());
    more.emplace_back("ftl.slc_cache.static=1MiB");
    return more;
}

std::string refused_cache(const std::vector<std::string>& more)
{
    return error_of(with_sets(cached(more)));
}

} // namespace

std::vector<key_case> slc_cache_cases()
{
    const auto drains = [](const char* policy) {
        return cached({std::string("ftl.slc_cache.policy=") + policy});
    };
    return {
        {"ftl.slc_cache.static", "6MiB", [](C c) { return c.ftl.slc->fixed == 6ull << 20; }, "-1",
         slc_part},
        {"ftl.slc_cache.dynamic", "6MiB", [](C c) { return c.ftl.slc->dynamic == 6ull << 20; },
         "-1", slc_part},
        {"ftl.slc_cache.policy", "full", [](C c) { return c.ftl.slc->policy == slc_policy::full; },
         "later", cached({})},
        {"ftl.slc_cache.idle", "3ms", [](C c) { return c.ftl.slc->idle.ns() == 3000000; }, "0s",
         cached({})},
        {"ftl.slc_cache.close", "20ms", [](C c) { return c.ftl.slc->close.ns() == 20000000; },
         "-1s", cached({})},
        {"ftl.slc_cache.copyback", "true", [](C c) { return c.ftl.slc->copyback; }, "yes",
         cached({"nand.slc_mode.copyback=true"})},
        {"nand.slc_mode.copyback", "true", [](C c) { return c.channel.die.slc_copyback; }, "yes",
         cached({})},
        {"ftl.slc_cache.goal", "0.5", [](C c) { return c.ftl.slc->goal == 0.5; }, "1.1",
         cached({})},
        {"ftl.slc_cache.low", "0.75", [](C c) { return c.ftl.slc->low == 0.75; }, "-0.1",
         drains("full")},
        {"ftl.slc_cache.drain", "2", [](C c) { return c.ftl.slc->drain == 2.0; }, "17",
         drains("watermark")},
        {"ftl.slc_cache.taper", "0.25", [](C c) { return c.ftl.slc->taper == 0.25; }, "1.1",
         drains("taper")},
        {"ftl.slc_cache.reclaim", "0.2", [](C c) { return c.ftl.slc->reclaim == 0.2; }, "1.1",
         cached({"ftl.slc_cache.dynamic=1MiB"})},
        {"nand.slc_mode.endurance", "50000", [](C c) { return c.ftl.slc->endurance == 50000; }, "0",
         cached({})},
    };
}

TEST_CASE("SLC cache: whole superblocks, on top of the drive's capacity")
{
    const ssd_config none = load(with_sets({}));
    const ssd_config c = load(with_sets(cached({})));
    const std::uint64_t one = slc_superblock_bytes(c);
    CHECK(one == superblock_luns(c) * superblock_planes(c) * flash::slc_pages(c.channel.die) *
                     c.channel.die.geo.page_size);
    CHECK(slc_superblocks(c) == ((1u << 20) + one - 1) / one);
    CHECK(physical_units(none) - physical_units(c) == slc_superblocks(c) * superblock_units(c));
    CHECK(make_boot_params(c).slc.fixed == slc_superblocks(c));
    CHECK(make_boot_params(none).slc.fixed == 0);
    CHECK(make_boot_params(none).slc.pages == 0);
    const ssd_config turns = load(with_sets(cached({"ftl.slc_cache.dynamic=9MiB"})));
    CHECK(slc_turning_superblocks(turns) == ((9u << 20) + one - 1) / one);
    CHECK(physical_units(turns) == physical_units(c)); // they are the data's when it wants them
    CHECK(c.channel.die.slc_endurance == c.ftl.slc->endurance);
    CHECK(none.channel.die.slc_endurance == 0);
}

TEST_CASE("SLC cache: what it cannot be on is refused by name, with what to change")
{
    CHECK(refused_cache({}).empty());
    CHECK_THAT(error_of(with_sets({"ftl.slc_cache.static=1MiB"})),
               Contains("ftl.slc_cache.static") && Contains("the part has no SLC mode") &&
                   Contains("nand.slc_mode.tPROG"));
    CHECK_THAT(refused_cache({"nand.cell=slc"}), Contains("the part has no SLC mode"));
    std::vector<std::string> large = slc_part;
    large.emplace_back("ftl.slc_cache.static=900GiB");
    CHECK_THAT(error_of(with_sets(large)), Contains("ftl.slc_cache.static") &&
                                               Contains("more than the drive has") &&
                                               Contains("use a smaller one"));
    CHECK_THAT(refused_cache({"ftl.scheme=bast", "nand.page_order=any"}),
               Contains("ftl.slc_cache.static") && Contains("use ftl.scheme: page_map"));
    CHECK_THAT(refused_cache({"ftl.stripe=block"}), Contains("use ftl.stripe: drive"));
    CHECK_THAT(refused_cache({"ftl.placement=CWDP"}), Contains("ftl.placement: stripe"));
    CHECK_THAT(refused_cache({"write.mode=slc"}), Contains("use write.mode: normal"));
    CHECK_THAT(refused_cache({"ftl.slc_cache.copyback=true"}),
               Contains("ftl.slc_cache.copyback") && Contains("stays in the mode") &&
                   Contains("nand.slc_mode.copyback: true"));
    const std::vector<std::string> copies = {"ftl.slc_cache.copyback=true",
                                             "nand.slc_mode.copyback=true"};
    CHECK(refused_cache(copies).empty());
    CHECK_THAT(
        refused_cache({copies[0], copies[1], "nand.errors.rber=0.001", "flash.ecc.kind=none"}),
        Contains("ftl.slc_cache.copyback") && Contains("use flash.ecc.kind: bch or ldpc"));
    CHECK_THAT(refused_cache({"ftl.slc_cache.policy=full", "ftl.slc_cache.goal=0.5"}),
               Contains("ftl.slc_cache.goal") && Contains("ftl.slc_cache.policy is not full"));
    for (const char* scheme : {"dftl", "vm_map", "log_set"}) {
        CHECK(refused_cache({std::string("ftl.scheme=") + scheme}).empty());
    }
}

} // namespace ssdvp::platform::test
