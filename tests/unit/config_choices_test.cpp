// SPDX-License-Identifier: Apache-2.0
//
// Choices: one table gives words, numbers, flags and descriptions to all that use them.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/loader.h"
#include "tests/unit/refusals.h"

using Catch::Contains;

namespace ssdvp::platform::test {

namespace {

/// Each word is told apart, has a description, and is listed with it.
template <class Choice>
void check_rows(std::uint32_t hidden = 0)
{
    const std::string listed = list_policies();
    std::set<std::string> words;
    for (const choice_name& c : words_of<Choice>(hidden).choices) {
        CAPTURE(c.name);
        CHECK(words.insert(c.name).second);
        CHECK(c.name == word_of(static_cast<Choice>(c.value)));
        CHECK_FALSE(c.about.empty());
        CHECK_THAT(listed, Contains(c.about));
    }
    CHECK_FALSE(words.empty());
}

} // namespace

TEST_CASE("choices: every word has a description, and is listed with it", "[choices]")
{
    check_rows<cache_policy>();
    check_rows<flash::arbiter_kind>();
    check_rows<flash::page_order>();
    check_rows<flash::suspend_kind>();
    check_rows<ftl_scheme>(SCHEME_OF_OPTION);
    check_rows<gc_policy>();
    check_rows<slc_policy>();
    check_rows<host::interface_kind>();
    check_rows<host::pattern_kind>();
    check_rows<map_policy>();
    check_rows<non_sequential>();
    check_rows<sequential_merge>();
    check_rows<shallow_policy>();
    check_rows<superblock_stripe>();
}

TEST_CASE("choices: the configuration's numbers are the firmware's", "[choices]")
{
    static_assert(static_cast<int>(ftl_scheme::page_map) == FTL_SCHEME_PAGE_MAP);
    static_assert(static_cast<int>(ftl_scheme::last) == FTL_SCHEME_LAST);
    static_assert(static_cast<int>(gc_policy::cost_benefit) == GC_POLICY_COST_BENEFIT);
    static_assert(static_cast<int>(slc_policy::full) == SLC_POLICY_FULL);
    static_assert(static_cast<int>(cache_policy::bplru) == CACHE_POLICY_BPLRU);
    static_assert(static_cast<int>(placement_kind::round_robin) == PLACEMENT_ROUND_ROBIN);
    static_assert(static_cast<int>(shallow_policy::none) == SHALLOW_NONE);
    static_assert(static_cast<int>(superblock_stripe::plane) == STRIPE_PLANE);
    for (const choice_name& c : words_of<ftl_scheme>(SCHEME_OF_OPTION).choices) {
        CAPTURE(c.name);
        ssd_config config;
        config.ftl.scheme = static_cast<ftl_scheme>(c.value);
        CHECK(firmware_scheme(config) == config.ftl.scheme);
    }
}

TEST_CASE("choices: log_set has two schemes in the firmware, one word", "[choices]")
{
    ssd_config config;
    config.ftl.scheme = ftl_scheme::log_set;
    CHECK(scheme_has(config, SCHEME_PAGES_MAP | SCHEME_HAS_FRAMES));
    config.ftl.log_set_unit = log_unit::block;
    CHECK(firmware_scheme(config) == ftl_scheme::log_set_block);
    CHECK_FALSE(scheme_has(config, SCHEME_PAGES_MAP));
    CHECK(scheme_has(config, SCHEME_MAPS_BLOCKS));
    CHECK_THAT(refused({"ftl.scheme=log_set_block"}), Contains("log_set"));
}

TEST_CASE("choices: a capability is a flag of the row", "[choices]")
{
    const auto with = [](ftl_scheme scheme, std::uint32_t flags) {
        ssd_config config;
        config.ftl.scheme = scheme;
        return scheme_has(config, flags);
    };
    CHECK(with(ftl_scheme::page_map, SCHEME_MAP_IN_DRAM));
    CHECK_FALSE(with(ftl_scheme::dftl, SCHEME_MAP_IN_DRAM));
    CHECK(with(ftl_scheme::vm_map, SCHEME_PAGES_MAP | SCHEME_HAS_SEGMENTS));
    CHECK_FALSE(with(ftl_scheme::dftl, SCHEME_HAS_FRAMES | SCHEME_HAS_SEGMENTS));
    CHECK(with(ftl_scheme::superblock, SCHEME_PLACES | SCHEME_GROUPS_BLOCKS));
    CHECK_FALSE(with(ftl_scheme::kast, SCHEME_ONE_IN_ORDER));
    CHECK(names_of<cache_policy>(CACHE_BUFFERS) == "not none");
    CHECK(names_of<cache_policy>(CACHE_KEEPS_READS) == "rw_lru, rw_cflru or fab");
    CHECK(names_of<cache_policy>(CACHE_PADS) == "bplru");
}

} // namespace ssdvp::platform::test
