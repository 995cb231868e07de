// SPDX-License-Identifier: Apache-2.0
//
// Keys and rules of where a write lands.
#include <algorithm>
#include <catch2/catch.hpp>

#include "models/regs/boot_params.h"
#include "models/regs/choices/placement.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

using Catch::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

std::vector<key_case> placement_cases()
{
    return {
        {"flash.dies_per_chip", "2", [](C c) { return c.dies_per_chip == 2; }, "3", {}},
        {"ftl.placement",
         "CPWD",
         [](C c) { return c.ftl.place.is_static() && place_bins(c) == place_lanes(c); },
         "CWDD",
         {}},
        {"ftl.placement_window",
         "3",
         [](C c) { return c.ftl.place.window == 3; },
         "0",
         {"ftl.placement=shortest_queue"}},
        {"ftl.multi_plane_threshold",
         "30us",
         [](C c) { return c.ftl.place.threshold == sim_time(30u * 1000 * 1000); },
         "30",
         {}},
    };
}

TEST_CASE("ftl.placement: each of the 24 orders arrives as the code of its letters")
{
    std::string letters = "CDPW";
    const std::string levels = "CWDP";
    std::size_t seen = 0;
    do {
        const ssd_config c = accepted({"ftl.placement=" + letters});
        REQUIRE(c.ftl.place.is_static());
        const auto order = static_cast<std::uint32_t>(c.ftl.place.where) - placement_orders;
        for (unsigned n = 0; n < 4; ++n) {
            CHECK(levels[PLACEMENT_LETTER(order, n)] == letters[n]);
        }
        ++seen;
    } while (std::next_permutation(letters.begin(), letters.end()));
    CHECK(seen == 24);
    CHECK(accepted({}).ftl.place.is_stripe());
    CHECK(accepted({"ftl.placement=channel_die"}).ftl.place.where == placement_kind::channel_die);
}

TEST_CASE("ftl.stripe: plane has a placement, and is refused where it cannot be")
{
    const std::string apart = "ftl.stripe=plane";
    const std::string room = "ftl.over_provisioning=0.3";
    const ssd_config c = accepted({apart, room});
    CHECK(c.ftl.place.where == placement_kind::round_robin);
    CHECK(planes_are_apart(c));
    CHECK(place_lanes(c) == std::uint64_t{c.channels} * c.channel.luns * c.channel.die.geo.planes);
    CHECK(superblocks(c) == place_lanes(c) * c.channel.die.geo.blocks_per_plane);
    CHECK(refused({apart, room, "ftl.placement=CWDP"}).empty());
    CHECK_THAT(refused({apart, room, "ftl.placement=stripe"}),
               Contains("ftl.placement") && Contains("use another ftl.placement or leave it out"));
    for (const char* scheme : {"dftl", "vm_map", "log_set"}) {
        INFO(scheme);
        CHECK_THAT(refused({apart, room, std::string("ftl.scheme=") + scheme}),
                   Contains("ftl.stripe") &&
                       Contains("use ftl.scheme: page_map, or ftl.stripe: drive"));
    }
    CHECK_THAT(refused({apart, room, "gc.copyback=true"}),
               Contains("use gc.copyback: false, or ftl.stripe: drive"));
    CHECK_THAT(refused({apart, room, "ftl.placement_window=2"}),
               Contains("ftl.placement_window") && Contains("ftl.stripe is not plane"));
    CHECK_THAT(refused({apart, room, "ftl.streams=2"}), Contains("ftl.stripe: drive"));
}

TEST_CASE("ftl.placement: what it cannot do is refused, with the remedy")
{
    CHECK_THAT(refused({"ftl.placement=CWDP", "ftl.scheme=bast", "nand.page_order=any",
                        "ftl.over_provisioning=0.6"}),
               Contains("ftl.scheme: page_map, dftl, vm_map or log_set"));
    CHECK_THAT(refused({"ftl.placement=shortest_queue", "ftl.stripe=block"}),
               Contains("ftl.stripe: drive"));
    CHECK_THAT(refused({"ftl.placement_window=3"}), Contains("use another ftl.placement"));
    CHECK_THAT(refused({"flash.luns_per_channel=4", "flash.dies_per_chip=3"}),
               Contains("use a divisor of flash.luns_per_channel"));
    CHECK_THAT(refused({"ftl.multi_plane_threshold=1us", "ftl.multi_plane=false"}),
               Contains("use ftl.multi_plane: true"));
    CHECK_THAT(refused({"ftl.placement=CWDP", "cache.capacity=512KiB"}),
               Contains("use cache.capacity of "));
    CHECK(refused({"ftl.placement=CWDP", "cache.policy=none"}).empty());
    CHECK(refused({"ftl.placement=shortest_queue", "cache.capacity=512KiB"}).empty());
    for (const char* scheme : {"page_map", "dftl", "vm_map", "log_set"}) {
        INFO(scheme);
        CHECK(refused({"ftl.placement=CWDP", std::string("ftl.scheme=") + scheme,
                       "ftl.over_provisioning=0.2"})
                  .empty());
    }
}

TEST_CASE("ftl.placement_window: each stream may have so many more superblocks open")
{
    const auto open = [](const char* window, const char* delta) {
        const ssd_config c = accepted({"ftl.placement=CWDP", "ftl.over_provisioning=0.3",
                                       std::string("ftl.placement_window=") + window,
                                       std::string("wear.static_delta=") + delta});
        return needs_of(c).open;
    };
    CHECK(open("1", "0") == needs_of(accepted({"wear.static_delta=0"})).open);
    CHECK(open("2", "0") == open("1", "0") + 2); // host and collection
    CHECK(open("2", "64") == open("1", "64") + 3);
    CHECK(open("4", "64") == open("1", "64") + 9);
}

TEST_CASE("ftl.multi_plane_threshold: planes while the first page waits less than that")
{
    const auto planes = [](const std::string& threshold, const std::string& parity = "true") {
        const ssd_config c =
            accepted({"nand.planes=4", "nand.page_size=16KiB", "nand.interface.mode=nv_lpddr4",
                      "nand.interface.rate=1000MT/s", "nand.tDBSY=500ns",
                      "flash.ecc_parity=" + parity, "ftl.multi_plane_threshold=" + threshold});
        CHECK(c.channel.die.stored_oob == 40);
        return planes_most(c);
    };
    // A page of 16 KiB and 2208 spare bytes at 1000 MT/s: 18592 ns, and 500 ns between planes.
    CHECK(planes("0s") == 4);
    CHECK(planes("1ns") == 1);
    CHECK(planes("19092ns") == 1);
    CHECK(planes("19093ns") == 2);
    CHECK(planes("38184ns") == 2);
    CHECK(planes("38185ns") == 3);
    CHECK(planes("57276ns") == 3);
    CHECK(planes("57277ns") == 4);
    CHECK(planes("1s") == 4);
    // Without parity 40 bytes of it: 16424 ns.
    CHECK(planes("16924ns", "false") == 1);
    CHECK(planes("16925ns", "false") == 2);
}

} // namespace ssdvp::platform::test
