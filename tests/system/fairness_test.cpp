// SPDX-License-Identifier: Apache-2.0
//
// How many younger reads overtake a read when the drive holds more commands than firmware has
// flash reads (1,024): nobody gets a flash read before an older command does, so only reads that
// are on the flash at the same time can pass each other. A LUN serves its own in order. While a
// read stands behind k others of its LUN, each other LUN ends at most k + 1 younger ones, and one
// more that had begun. So with L LUNs at most (1024 + 1) (L - 1) younger reads overtake it, and
// with one LUN none.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/platform_run.h"

namespace fairness_test {

using namespace ssdvp;

namespace {

constexpr std::size_t flash_reads = 1024; // firmware/run/boot.c: read_buffers()
constexpr std::size_t depth = 4096;       // commands in the drive
const char* const one_core = "policy/no-cache";

/// Keeps when each read was submitted, in order of completion.
class completions final : public host::request_observer {
public:
    void on_complete(const host::request_result& r) override { m_submitted.push_back(r.submitted); }

    [[nodiscard]] std::size_t count() const { return m_submitted.size(); }
    /// The most younger reads that have completed before one of them.
    [[nodiscard]] std::size_t most_overtaken() const
    {
        std::vector<sim_time> sorted; // of those that have completed
        std::size_t most = 0;
        for (const sim_time t : m_submitted) {
            const auto at = std::upper_bound(sorted.begin(), sorted.end(), t);
            most = std::max(most, static_cast<std::size_t>(sorted.end() - at));
            sorted.insert(at, t);
        }
        return most;
    }

private:
    std::vector<sim_time> m_submitted;
};

std::vector<std::string> with(std::vector<std::string> more)
{
    std::vector<std::string> sets = {"precondition.fill=1",      "cpu.instructions_per_call=2000",
                                     "dram.capacity=256MiB",     "cache.policy=none",
                                     "host.nvme.slots=4096",     "host.nvme.queue_entries=2048",
                                     "host.nvme.queue_pairs=4",  "host.driver.queue_pairs=4",
                                     "flash.queue_entries=4096", "workload.0.queue_depth=4096",
                                     "run.requests=16384"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

std::size_t most_overtaken(const std::vector<std::string>& sets, const char* roles)
{
    const std::vector<std::string> files = {"device/small", "workload/random-read", roles};
    completions log;
    test::run_options o;
    o.log = &log;
    const auto r = test::run(files, with(sets), o);
    CHECK(r.reads().requests == 4 * depth);
    CHECK(log.count() == 4 * depth);
    return log.most_overtaken();
}

} // namespace

TEST_CASE("on one LUN reads complete in the order in which they were submitted")
{
    CHECK(most_overtaken({"flash.channels=1", "flash.luns_per_channel=1", "nand.planes=1"},
                         one_core) == 0);
}

TEST_CASE("a read is overtaken only by those that are on the flash with it")
{
    constexpr std::size_t luns = 4;
    const std::size_t most =
        most_overtaken({"flash.channels=2", "flash.luns_per_channel=2"}, one_core);
    CHECK(most > 0); // LUNs owe each other nothing
    CHECK(most <= (flash_reads + 1) * (luns - 1));
}

TEST_CASE("likewise when the roles of firmware have cores of their own")
{
    constexpr std::size_t luns = 4;
    CHECK(most_overtaken({"flash.channels=2", "flash.luns_per_channel=2"}, "policy/three-cores") <=
          (flash_reads + 1) * (luns - 1));
}

} // namespace fairness_test
