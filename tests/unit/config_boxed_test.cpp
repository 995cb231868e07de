// SPDX-License-Identifier: Apache-2.0
//
// Options of parts that a configuration has in boxes: a copy has values of its own.
#include <catch2/catch.hpp>
#include <utility>

#include "models/regs/parts/wear.h"
#include "platform/config/config.h"
#include "platform/config/option.h"
#include "platform/config/parts/cache.h"

using namespace ssdvp::platform;

TEST_CASE("a copy of a configuration does not follow the original, whoever of the two changes")
{
    ssd_config first;
    first.cache->capacity = 1;
    ssd_config second = first;
    first.cache->capacity = 2;
    CHECK(second.cache->capacity == 1);
    second.cache->capacity = 3;
    CHECK(first.cache->capacity == 2);
    second = first;
    CHECK(second.cache->capacity == 2);
    const ssd_config third = std::move(second);
    CHECK(third.cache->capacity == 2);
    CHECK(second.cache->capacity == 2); // a box is never empty
}

TEST_CASE("a flag in a boot struct is told and taken as a flag")
{
    const option* dynamic = find_option(option_table(), "wear.dynamic");
    REQUIRE(dynamic != nullptr);
    ssd_config c;
    dynamic->set(c, true);
    CHECK(c.ftl.wear->dynamic == 1);
    CHECK(std::get<bool>(dynamic->get(c)));
    dynamic->set(c, false);
    CHECK(c.ftl.wear->dynamic == 0);
    CHECK_FALSE(std::get<bool>(dynamic->get(c)));
}
