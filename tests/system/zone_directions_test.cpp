// SPDX-License-Identifier: Apache-2.0
//
// Limits and reads of zoned namespaces in whole runs: what the platform's driver sees of them.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

namespace zone_directions_test {

using namespace ssdvp;

namespace {

// Zones of 1 MiB, which two streams write side by side, 16 requests each.
const std::vector<std::string> writers = {"device/small", "workload/log-and-table"};
const std::vector<std::string> two_writers = {
    "host.nvme.zns.zone_size=1MiB", "data=none",
    "precondition.fill=0",          "run.requests=128",
    "workload.0.block_size=64KiB",  "workload.1.block_size=64KiB",
    "workload.0.queue_depth=2",     "workload.1.queue_depth=2",
    "workload.0.range.size=16MiB",  "workload.0.pattern=sequential"};
// Requests of 64 KiB of which each sixteenth lies across the end of a zone.
const std::vector<std::string> readers = {"device/small", "workload/sequential-write"};
const std::vector<std::string> reader = {
    "host.nvme.zns.zone_size=1MiB", "data=none",
    "precondition.fill=0",          "run.requests=64",
    "workload.0.read_fraction=1",   "workload.0.block_size=64KiB",
    "workload.0.range.start=32KiB", "workload.0.range.size=16MiB"};

double closed(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->zones.closed);
}

double refused(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->zones.too_many_active);
}

double errors(const test::platform_run& r)
{
    return static_cast<double>(r.writes().errors);
}

double commands(const test::platform_run& r)
{
    return static_cast<double>(r.measured().nvme->commands);
}

double measured(const std::vector<std::string>& files, const std::vector<std::string>& common,
                std::vector<std::string> more, test::measure_fn measure)
{
    more.insert(more.begin(), common.begin(), common.end());
    return test::measure_apart(files, more, measure);
}

} // namespace

TEST_CASE("zones: the controller closes zones for a limit of open ones, and for no other")
{
    test::check_direction({"host.nvme.zns.max_open", "2", "1", closed, {}}, writers, two_writers);
    CHECK(measured(writers, two_writers, {"host.nvme.zns.max_open=2"}, closed) == 0.0);
    CHECK(measured(writers, two_writers, {"host.nvme.zns.max_open=1"}, errors) == 0.0);
}

TEST_CASE("zones: writes of one zone too many fail, by the limit of active ones")
{
    const char* const open = "host.nvme.zns.max_open=1";
    for (const test::measure_fn measure : {refused, errors}) {
        test::check_direction({"host.nvme.zns.max_active", "2", "1", measure, {open}}, writers,
                              two_writers);
        CHECK(measured(writers, two_writers, {open, "host.nvme.zns.max_active=2"}, measure) == 0.0);
    }
}

TEST_CASE("zones: a read across their end is one command where the drive takes it")
{
    test::check_direction({"host.nvme.zns.read_across", "true", "false", commands, {}}, readers,
                          reader);
    CHECK(measured(readers, reader, {"host.nvme.zns.read_across=true"}, commands) == 64.0);
    CHECK(measured(readers, reader, {"host.nvme.zns.read_across=false"}, commands) == 64.0 + 4.0);
    // A read that ends with its zone is one anyway, and one into what lies between zones is two.
    CHECK(measured(readers, reader,
                   {"host.nvme.zns.read_across=false", "workload.0.range.start=64KiB"},
                   commands) == 64.0);
    CHECK(measured(readers, reader,
                   {"host.nvme.zns.read_across=true", "host.nvme.zns.zone_capacity=512KiB",
                    "workload.0.range.start=32KiB"},
                   commands) == 64.0 + 8.0);
}

} // namespace zone_directions_test
