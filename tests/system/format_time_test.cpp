// SPDX-License-Identifier: Apache-2.0
//
// How long Format NVM takes, in simulated time with the instructions of the default core at 1 GHz:
// on the default drive as good as new, and on a full drive that was overwritten at random. Of the
// latter two drives of the default one's shape are measured, with a part of its pages per block: as
// many superblocks, and the rest in proportion. The line through both leads to the drive itself.
#include <catch2/catch.hpp>
#include <cstdio>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/control/precondition.h"
#include "tests/support/raw_host.h"

namespace format_time_test {

using namespace ssdvp;

namespace {

constexpr int pages_of_default = 2304; // per block, of device/nvme-tlc
constexpr double most_ms = 2000;

std::vector<std::string> drive(int pages, const std::vector<std::string>& more)
{
    std::vector<std::string> sets = {"nand.page_size=16KiB",
                                     "nand.oob_size=2208B",
                                     "nand.pages_per_block=" + std::to_string(pages),
                                     "nand.blocks_per_plane=504",
                                     "nand.planes=4",
                                     "flash.channels=8",
                                     "flash.luns_per_channel=4",
                                     "dram.capacity=4GiB",
                                     "ftl.over_provisioning=0.07",
                                     "cache.capacity=32MiB",
                                     "cpu.core=cortex-r82",
                                     "cpu.clock=1GHz",
                                     "data=none",
                                     "precondition.fill=1",
                                     "precondition.overwrite=0.5"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// `ses`: Secure Erase Settings, 0 none, 1 user data. Less than 0: it fails.
double format(test::raw_host& host, std::uint32_t ses)
{
    nvme_sqe q{};
    q.opcode = NVME_ADMIN_FORMAT;
    q.nsid = 1;
    q.cdw10 = ses << 9;
    const sc_core::sc_time begun = sc_core::sc_time_stamp();
    const bool done = host.command(0, q) == 0 && host.drive().firmware_telemetry().mapped == 0;
    return done && host.trouble().empty() ? (sc_core::sc_time_stamp() - begun).to_seconds() * 1e3
                                          : -1;
}

double milliseconds_of_format(int pages, const std::vector<std::string>& more)
{
    test::raw_host host(drive(pages, more));
    do {
        host.run(sim_time(10'000'000'000));
    } while (!host.drive().idle());
    platform::precondition(
        host.drive(), [](double) {}, [] { return false; }, [](std::uint64_t lba) { return lba; });
    return host.enable() ? format(host, 0) : -1;
}

/// In a process of its own, for a simulation cannot begin anew.
double measure(int pages, const std::vector<std::string>& more)
{
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        double ms = -1;
        try {
            ms = milliseconds_of_format(pages, more);
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
        }
        _exit(write(pipe_ends[1], &ms, sizeof ms) == sizeof ms ? 0 : 1);
    }
    close(pipe_ends[1]); // now the child alone has one: if it dies, reading ends
    double ms = -1;
    CHECK(read(pipe_ends[0], &ms, sizeof ms) == sizeof ms);
    waitpid(child, nullptr, 0);
    close(pipe_ends[0]);
    return ms;
}

} // namespace

TEST_CASE("format: a full drive of 2 TB is empty within two seconds")
{
    struct scheme {
        const char* name;
        std::vector<std::string> sets;
        int few, more; // pages per block that are measured
    };
    const scheme of =
        GENERATE(scheme{"page_map", {"ftl.scheme=page_map"}, 8, 32},
                 scheme{"fast",
                        {"ftl.scheme=fast", "ftl.stripe=block", "gc.copyback=false",
                         "ftl.map_unit=16KiB", "nand.page_order=any", "precondition.overwrite=0"},
                        64,
                        192});
    const double a = measure(of.few, of.sets);
    const double b = measure(of.more, of.sets);
    INFO(of.name << ": " << of.few << " pages per block " << a << " ms, " << of.more << " pages "
                 << b << " ms");
    REQUIRE(a > 0);
    REQUIRE(b > 0);
    const double all = a + (b - a) / (of.more - of.few) * (pages_of_default - of.few);
    CAPTURE(all);
    CHECK(all < most_ms);
}

TEST_CASE("format: the default drive of 2 TB, once written, is empty within two seconds")
{
    test::raw_host host(
        drive(pages_of_default, {"precondition.fill=0", "precondition.overwrite=0"}));
    REQUIRE(host.enable());
    REQUIRE(host.create_queues() == std::vector<std::uint32_t>{0, 0, 0, 0});
    for (const std::uint32_t ses : {0u, 1u}) {
        nvme_sqe q{};
        q.opcode = NVME_IO_WRITE;
        q.nsid = 1;
        q.prp1 = host.page(1);
        q.cdw12 = 7; // blocks, counted from 0
        REQUIRE(host.command(1, q) == 0);
        q.opcode = NVME_IO_FLUSH;
        REQUIRE(host.command(1, q) == 0);
        REQUIRE(host.drive().firmware_telemetry().mapped != 0);
        const double ms = format(host, ses);
        CAPTURE(ses, ms);
        CHECK(ms > 0);
        CHECK(ms < most_ms);
    }
}

} // namespace format_time_test
