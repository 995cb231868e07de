// SPDX-License-Identifier: Apache-2.0
//
// Streams by directive in whole runs: data that die together lie together, and less is moved.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

namespace directives_test {

using namespace ssdvp;

namespace {

const std::vector<std::string> files = {"device/small", "workload/log-and-table"};
const std::vector<std::string> drive = {
    "ftl.over_provisioning=0.25", "precondition.fill=1", "data=none",
    "run.requests=100000",        "cpu.core=flat",       "workload.0.stream_id=1"};

double moved(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->gc_pages_moved);
}

} // namespace

TEST_CASE("options of streams move what collection moves the right way")
{
    test::check_direction({"workload.1.stream_id", "2", "1", moved, {"ftl.streams=4"}}, files,
                          drive);
    test::check_direction({"ftl.streams", "2", "1", moved, {"workload.1.stream_id=2"}}, files,
                          drive);
}

} // namespace directives_test
