// SPDX-License-Identifier: Apache-2.0
//
// Keys of a drive that serves clients outside of the simulation, and what an image depends on.
#include <catch2/catch.hpp>

#include "platform/config/loader.h"
#include "tests/unit/key_case.h"

namespace ssdvp::platform::test {

using C = const ssd_config&;

std::vector<key_case> serve_cases()
{
    return {{"serve.pacing", "1.5", [](C c) { return c.serve_pacing == 1.5; }, "1001", {}}};
}

TEST_CASE("serve: no pacing by default")
{
    CHECK(load_text("name: x").serve_pacing == 0.0);
}

TEST_CASE("serve: cells_sha256 changes with what the cells hold, and with nothing else")
{
    const std::string plain = cells_sha256(load_text("name: x"));
    CHECK(plain == cells_sha256(load_text("name: y\nserve: {pacing: 1}\ndata: full")));
    CHECK(plain == cells_sha256(load_text("host: {pcie: {lanes: 1}}")));
    CHECK(plain != cells_sha256(load_text("run: {seed: 2}")));
    CHECK(plain != cells_sha256(load_text("nand: {tR: 41us}")));
    CHECK(plain != cells_sha256(load_text("ftl: {over_provisioning: 0.2}")));
}

} // namespace ssdvp::platform::test
