// SPDX-License-Identifier: Apache-2.0
//
// Sequential writes to a drive of the shape of device/nvme-tlc (8 channels x 4 LUNs x 4 planes of
// 16 KiB) are as fast as its arrays: nothing else keeps a LUN waiting.
//
// A write unit is 64 KiB in 1900 us, the mean of the page types. With cache programs its transfer
// is hidden, and tCBSY (3 us) is not. Without them transfer and program follow each other in a LUN:
// the 4 x (16,384 + 2,208) bytes at 667 MT/s take 111.5 us, and 113.7 with commands and status. A
// part that programs word lines in one pass takes 5.7 ms for three units and their three transfers.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace saturation_test {

using namespace ssdvp;
using test::platform_run;
using texts = std::vector<std::string>;

namespace {

const texts files = {"device/nvme-tlc", "workload/sequential-write"};
constexpr double drive_luns = 32;
constexpr double unit = 65536;
constexpr double tPROG = 1900e-6;
constexpr double tCBSY = 3e-6;
constexpr double transfer = 113.7e-6;

texts with(const texts& more)
{
    // 32 MiB of buffer are full after 256 requests.
    texts sets = {"nand.blocks_per_plane=64", "ftl.over_provisioning=0.25", "dram.capacity=1GiB",
                  "run.warmup=2000", "run.requests=8000"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// The least of all LUNs.
double busy(const platform_run& r)
{
    double least = 1.0;
    for (const auto& channel : r.measured().channels) {
        for (const auto& lun : channel.luns) {
            least = std::min(least, static_cast<double>(lun.busy.ps()) /
                                        static_cast<double>(r.measured().when.ps()));
        }
    }
    return least;
}
double bandwidth(const platform_run& r)
{
    return r.bytes_per_second();
}
double collected(const platform_run& r)
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_GC].programs);
}

double measured(const texts& more, test::measure_fn measure)
{
    return test::measure_apart(files, with(more), measure);
}

} // namespace

TEST_CASE("saturation: sequential writes keep every LUN of the drive at work")
{
    REQUIRE(measured({}, collected) == 0.0);
    CHECK(measured({}, busy) >= 0.97);
    CHECK(measured({}, bandwidth) == Approx(drive_luns * unit / (tPROG + tCBSY)).epsilon(0.02));
}

TEST_CASE("saturation: without cache programs LUNs wait for transfers and for the core")
{
    const texts plain = {"flash.use_cache=false"};
    CHECK(measured(plain, bandwidth) < drive_luns * unit / (tPROG + transfer));
    CHECK(measured(plain, busy) < 0.95);
}

TEST_CASE("saturation: in one pass a LUN waits for its transfers, not for a core")
{
    const texts one_pass = {"nand.one_pass=true"}; // it has no cache programs
    CHECK(measured(one_pass, bandwidth) ==
          Approx(drive_luns * unit / (tPROG + transfer)).epsilon(0.04));
}

} // namespace saturation_test
