// SPDX-License-Identifier: Apache-2.0
//
// Throughput against closed formulas.
//
// Sequential read of k LUNs on one channel: each page takes tR plus its bus time, LUNs overlap, the
// bus does not: min(k * page / (tR + bus), page / bus), with bus = 175 ns of command cycles, tRR 20
// ns and 8192 cycles of 3 ns; tWB 100 ns belongs to the LUN. Tolerance 1 %.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace bandwidth_test {

using namespace ssdvp;

namespace {

const std::vector<std::string> files = {"device/small", "workload/sequential-read"};

std::vector<std::string> sets_for(unsigned luns)
{
    return {"flash.channels=1",
            "flash.luns_per_channel=" + std::to_string(luns),
            "nand.planes=1",
            "nand.tR=74us",
            "nand.interface.mode=nv_ddr3",
            "nand.interface.rate=667MT/s",
            "cpu.instructions_per_call=20",
            "host.pcie.generation=4",
            "host.pcie.lanes=4",
            "workload.0.block_size=128KiB",
            "workload.0.queue_depth=16",
            "precondition.fill=1",
            "run.requests=1200",
            "run.warmup=200"};
}

double bandwidth(const test::platform_run& r)
{
    return r.bytes_per_second();
}

/// Two bytes of data and parity per cycle of 3 ns.
double formula(unsigned luns, unsigned parity = 2168)
{
    constexpr double page = 16384;
    const double bus = 175e-9 + 20e-9 + (page + parity) / 2 * 3e-9;
    const double lun = 74e-6 + 100e-9 + bus;
    return std::min(luns * page / lun, page / bus);
}

} // namespace

TEST_CASE("sequential reads of k LUNs reach the formula within 1 %")
{
    for (const unsigned luns : {1u, 2u, 3u, 4u, 8u}) {
        const double measured = test::measure_apart(files, sets_for(luns), bandwidth);
        INFO(luns << " LUNs: " << measured * 1e-6 << " MB/s, formula " << formula(luns) * 1e-6);
        WARN(luns << " LUNs: " << measured * 1e-6 << " MB/s, formula " << formula(luns) * 1e-6);
        CHECK(measured == Approx(formula(luns)).epsilon(0.01));
    }
}

TEST_CASE("parity takes 11.6 % of the bandwidth of a channel whose bus is the bottleneck")
{
    std::vector<std::string> sets = sets_for(8);
    const double with = test::measure_apart(files, sets, bandwidth);
    sets.emplace_back("flash.ecc_parity=false");
    const double without = test::measure_apart(files, sets, bandwidth);
    CHECK(without == Approx(formula(8, 0)).epsilon(0.01));
    CHECK(with / without == Approx(formula(8) / formula(8, 0)).epsilon(0.002));
    CHECK(formula(8) / formula(8, 0) == Approx(0.884).epsilon(0.001));
}

TEST_CASE("the drive never exceeds the link, and comes close when the flash could do more")
{
    // PCIe 1.0 x1: 250 MB/s less 24 of 280 bytes per TLP, CQEs and interrupts of 128 KiB requests.
    const double link = 250e6 * 256 / 280;
    const double measured = test::measure_apart({"device/nvme-tlc", "workload/sequential-read"},
                                                {"host.pcie.generation=1", "host.pcie.lanes=1",
                                                 "nand.blocks_per_plane=32",
                                                 "nand.pages_per_block=24", "precondition.fill=1",
                                                 "run.requests=1000", "ftl.over_provisioning=0.3"},
                                                bandwidth);
    CHECK(measured <= link);
    CHECK(measured >= link * 0.98);
}

TEST_CASE("sequential writes without collection reach the program rate of the LUNs")
{
    // 2 channels x 2 LUNs x 2 planes of 16 KiB per 700 us and its transfers, one program at a time
    // per LUN.
    const double measured = test::measure_apart(
        {"device/small", "workload/sequential-write"},
        {"nand.tPROG=700us", "run.requests=1000", "run.warmup=200", "cpu.instructions_per_call=20"},
        bandwidth);
    const double transfer = 2 * (9296 * 3e-9 + 70e-9 + 6 * 25e-9) + 600e-9;
    const double bound = 4 * 2 * 16384 / (700e-6 + transfer);
    CHECK(measured <= bound * 1.01);
    CHECK(measured >= bound * 0.93);
}

} // namespace bandwidth_test
