// SPDX-License-Identifier: Apache-2.0
//
// Runs until the steady state, and drives that were overwritten as a stream writes.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "platform/config/derived.h"
#include "platform/config/loader.h"
#include "platform/control/load_writes.h"
#include "platform/control/steady_rounds.h"
#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace steady_test {

using namespace ssdvp;
using test::iops;

namespace {

/// Random writes to 50 MiB of flash that collect from the first superblock on.
const std::vector<std::string> files = {"device/small", "workload/random-write"};
const std::vector<std::string> base = {"nand.blocks_per_plane=32",  "nand.pages_per_block=16",
                                       "ftl.over_provisioning=0.3", "cache.capacity=512KiB",
                                       "workload.0.queue_depth=16", "workload.0.block_size=4KiB"};

std::vector<std::string> sets(std::vector<std::string> more)
{
    more.insert(more.begin(), base.begin(), base.end());
    return more;
}

double measured_requests(const test::platform_run& r)
{
    return static_cast<double>(r.sim->requests().requests());
}
double all_requests(const test::platform_run& r)
{
    return static_cast<double>(r.sim->requests().lifetime_requests());
}
double preconditioned_pages(const test::platform_run& r)
{
    return static_cast<double>(r.sim->preconditioned_pages());
}
double amplification(const test::platform_run& r)
{
    return platform::write_amplification(r.measured().flash, r.writes().bytes).value();
}

const std::vector<std::string> fresh = {"precondition.fill=1", "precondition.overwrite=0"};
const std::vector<std::string> until_steady = {"precondition.fill=1", "precondition.overwrite=0",
                                               "run.until=steady", "run.requests=0"};

} // namespace

TEST_CASE("steady: a fresh drive's rate is that of a run ten times as long", "[steady]")
{
    double reference = 0.0;
    double steady = 0.0; // of drives so small that each run by itself varies by 3 %
    for (const char* seed : {"1", "2", "3", "4"}) {
        std::vector<std::string> one = until_steady;
        one.push_back(std::string("run.seed=") + seed);
        std::vector<std::string> longer = one;
        longer.emplace_back("run.steady.round=20480"); // of four superblocks it has 2,048
        steady += test::measure_apart(files, sets(one), iops) / 4.0;
        reference += test::measure_apart(files, sets(longer), iops) / 4.0;
    }
    std::vector<std::string> naive = fresh;
    naive.emplace_back("run.requests=1000");
    const double fast = test::measure_apart(files, sets(naive), iops);
    INFO("naive " << fast << ", steady " << steady << ", reference " << reference);
    CHECK(steady == Approx(reference).epsilon(0.03));
    CHECK(fast > 1.5 * reference);
}

namespace {

/// A drive of 120 superblocks, and what its load says of addresses.
std::vector<std::string> settling_drive(std::vector<std::string> more)
{
    more.insert(more.begin(), {"nand.blocks_per_plane=128", "ftl.over_provisioning=0.2",
                               "precondition.fill=1", "run.until=steady"});
    return sets(std::move(more));
}

/// The run as far as one of a tenth of its requests would go: until that is enough, both are the
/// same.
platform::run_sample short_run(const test::platform_run& r)
{
    const std::vector<platform::run_sample>& s = r.result.measured.samples;
    const auto end = std::find_if(s.begin(), s.end(), [&s](const platform::run_sample& at) {
        return at.requests() >= s.back().requests() / 10;
    });
    return platform::difference(*end, s.front());
}
double short_iops(const test::platform_run& r)
{
    const platform::run_sample s = short_run(r);
    return static_cast<double>(s.requests()) * 1e12 / static_cast<double>(s.when.ps());
}
double short_amplification(const test::platform_run& r)
{
    const platform::run_sample s = short_run(r);
    return static_cast<double>(s.flash.bytes_programmed) /
           static_cast<double>(s.of(host::request_kind::write).bytes);
}

const std::vector<std::vector<std::string>> patterns = {
    {"workload.0.pattern=uniform"},
    {"workload.0.pattern=zipf", "workload.0.zipf_theta=0.99"},
    {"workload.0.pattern=hot_cold", "workload.0.hot_fraction=0.1",
     "workload.0.hot_probability=0.9"}};

} // namespace

TEST_CASE("steady: a drive that has settled is as a run ten times as long finds it", "[steady]")
{
    const std::vector<std::string> pattern = GENERATE(from_range(patterns));
    struct figure {
        test::measure_fn of_short, of_long;
        double measured = 0.0; // of drives so small that each run by itself varies by 2 %
        double longer = 0.0;
    };
    std::array<figure, 2> figures = {
        {{&short_amplification, &amplification}, {&short_iops, &iops}}};
    for (const char* seed : {"1", "2", "3"}) {
        std::vector<std::string> more = settling_drive(pattern);
        more.insert(more.end(), {std::string("run.seed=") + seed, "run.requests=200000"});
        for (figure& f : figures) {
            f.measured += test::measure_apart(files, more, f.of_short) / 3.0;
            f.longer += test::measure_apart(files, more, f.of_long) / 3.0;
        }
    }
    for (const figure& f : figures) {
        INFO(pattern[0] << ": " << f.measured << ", longer " << f.longer);
        CHECK(f.measured == Approx(f.longer).epsilon(0.02));
    }
}

TEST_CASE("steady: a reduced drive is off by no more than it says", "[steady]")
{
    const std::vector<std::string> whole =
        sets({"nand.blocks_per_plane=512", "ftl.over_provisioning=0.2", "precondition.fill=1",
              "run.until=steady", "run.requests=60000", "workload.0.read_fraction=0.5"});
    std::vector<std::string> reduced = whole;
    reduced.emplace_back("run.reduced=4");
    const double rate = test::measure_apart(files, whole, iops);
    const double waf = test::measure_apart(files, whole, amplification);
    const auto r = test::run(files, reduced);
    const auto& told = r.result.measured.drive.reduced;
    REQUIRE(told);
    CHECK(told->to == 4);
    CHECK(iops(r) == Approx(rate).epsilon(told->iops_error));
    CHECK(amplification(r) == Approx(waf).epsilon(told->write_amplification_error));
    // It fills and settles as much faster.
    CHECK(r.result.measured.drive.precondition->settled_bytes.value() <
          8 * r.result.measured.drive.precondition->filled_bytes); // six turns
    CHECK(r.result.measured.drive.geometry.blocks_per_plane < 512 / 3);
}

TEST_CASE("steady: a drive filled in order is mixed before popular data settle on it", "[steady]")
{
    const auto mixed_first = [](const std::vector<std::string>& more) {
        return test::measure_apart(files, settling_drive(more), [](const test::platform_run& r) {
            const auto& f = r.result.measured.drive.precondition;
            return static_cast<double>(f->overwritten_bytes - f->settled_bytes.value()) /
                   static_cast<double>(f->filled_bytes);
        });
    };
    const std::vector<std::string> hot = {"workload.0.pattern=hot_cold", "run.requests=1000",
                                          "workload.0.hot_fraction=0.1"};
    CHECK(mixed_first(hot) == Approx(0.75 * 1.25).epsilon(0.05)); // of what it fills and the spare
    std::vector<std::string> mixed = hot;
    mixed.emplace_back("precondition.overwrite=1"); // random: that is enough
    CHECK(mixed_first(mixed) == Approx(1.0));
    CHECK(mixed_first({"run.requests=1000"}) == Approx(0.0).margin(1e-9)); // random itself
}

TEST_CASE("steady: while a drive settles, reads keep what is popular in the buffer", "[steady]")
{
    const auto leaves = [](const char* others) { // of 200,000 units, how often the first one
        platform::config_sources sources;
        sources.files = {"device/small"};
        sources.sets = {"nand.blocks_per_plane=32", "nand.pages_per_block=16",
                        "ftl.over_provisioning=0.3", "cache.capacity=512KiB",
                        std::string("workload=[{pattern: hot_cold, read_fraction: 0}") + others +
                            "]"};
        const platform::ssd_config config = platform::load(sources);
        platform::load_writes load(config, platform::user_units(config));
        int n = 0;
        for (int i = 0; i < 200000; ++i) {
            n += load.next() == 0 ? 1 : 0;
        }
        return n;
    };
    CHECK(leaves("") > 0);
    CHECK(leaves(", {read_fraction: 1, range: {start: 0B, size: 4KiB}}") == 0);
}

TEST_CASE("steady: what has settled is told, and rounds begin with it", "[steady]")
{
    const auto r = test::run(files, settling_drive({"run.requests=1000"}));
    const auto& filled = r.result.measured.drive.precondition;
    REQUIRE(filled);
    CHECK(filled->method == "counts");
    CHECK(filled->steady.value());
    CHECK(filled->settled_bytes == filled->overwritten_bytes);
    CHECK(filled->settled_bytes.value() > 6 * filled->filled_bytes); // a small drive: six turns
    CHECK(r.result.measured.never_steady.empty());
    // Five rounds, and five that are measured: fewer than the drive has units.
    CHECK(r.sim->requests().lifetime_requests() < filled->filled_bytes / 4096);
}

namespace {

/// Rounds of this drive's length, with such write amplification and as many erases.
class told_load {
public:
    explicit told_load(platform::steady_rounds& rounds) : m_rounds(rounds) {}
    /// Units that had to be written until it was a round.
    std::uint64_t round(double waf)
    {
        constexpr std::uint64_t step = 1024; // units
        std::uint64_t units = 0;
        bool over = false;
        while (!over) {
            units += step;
            auto& writes = m_now.kinds[static_cast<std::size_t>(host::request_kind::write)];
            writes.requests += step;
            writes.bytes += step * 4096;
            const auto pages = static_cast<std::uint64_t>(waf * step / 4);
            m_now.flash.bytes_programmed += pages * 16384;
            m_now.flash.programs += pages;
            m_now.flash.erases += pages / 8;
            m_now.when += sim_time(step * 1000000);
            over = m_rounds.look(m_now);
        }
        m_rounds.next(m_now);
        return units;
    }

private:
    platform::steady_rounds& m_rounds;
    platform::run_sample m_now;
};

platform::ssd_config large_drive(std::vector<std::string> more)
{
    platform::config_sources sources;
    sources.files = {"device/nvme-tlc"};
    sources.sets = {"nand.pages_per_block=144",  "ftl.over_provisioning=0.16",
                    "dram.capacity=512MiB",      "precondition.fill=1",
                    "run.until=steady",          "workload.read_fraction=0",
                    "workload.pattern=hot_cold", "run.requests=0"};
    sources.sets.insert(sources.sets.end(), more.begin(), more.end());
    return platform::load(sources);
}

// Collection of whole superblocks: 24 % between the largest and the smallest.
constexpr double uneven[] = {4.0, 5.0, 4.2, 4.1, 4.9, 4.0, 4.8, 4.1, 4.2, 4.9};

} // namespace

TEST_CASE("steady: short rounds differ by chance, three are compared, and eight measured",
          "[steady]")
{
    const platform::ssd_config config = large_drive({});
    platform::steady_rounds rounds(config);
    rounds.state_is_steady();
    rounds.begin({});
    told_load load(rounds);
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(rounds.over());
        CHECK(load.round(uneven[i]) == 2 * platform::superblock_units(config));
    }
    CHECK(rounds.over());
    CHECK_FALSE(rounds.measured());
    for (int i = 3; i < 7; ++i) {
        load.round(uneven[i]);
        CHECK_FALSE(rounds.measured());
    }
    load.round(uneven[7]);
    CHECK(rounds.measured());
}

TEST_CASE("steady: other rounds are judged and measured as asked for", "[steady]")
{
    const bool settled = GENERATE(false, true);
    const platform::ssd_config config = large_drive(
        settled ? std::vector<std::string>{"run.steady.round=200000"} : std::vector<std::string>{});
    platform::steady_rounds rounds(config);
    if (settled) {
        rounds.state_is_steady();
    }
    rounds.begin({});
    told_load load(rounds);
    for (const double waf : uneven) {
        load.round(waf);
        CHECK_FALSE(rounds.over());
    }
    CHECK(rounds.why_not().find("rounds differ by") != std::string::npos);
    CHECK(rounds.measured());
}

TEST_CASE("steady: overwrites as the load writes have settled already", "[steady]")
{
    const auto r =
        test::run(files, settling_drive({"precondition.overwrite=8", "run.requests=1000"}));
    const auto& filled = r.result.measured.drive.precondition;
    REQUIRE(filled);
    CHECK(filled->steady.value());
    CHECK(filled->settled_bytes.value() <= filled->filled_bytes);
}

TEST_CASE("steady: the measured part is as many rounds as were compared", "[steady]")
{
    const auto r =
        test::run(files, sets({"precondition.fill=1", "precondition.overwrite=1",
                               "run.until=steady", "run.steady.round=1024", "run.requests=0"}));
    CHECK(r.result.measured.never_steady.empty());
    const std::uint64_t measured = r.sim->requests().requests();
    CHECK(measured >= 5 * 1024);
    CHECK(measured <= 5 * 1024 + 16); // and what was in flight then
    CHECK(r.sim->requests().lifetime_requests() >= 2 * 5 * 1024);
}

TEST_CASE("steady: run.requests and run.duration make it longer, never shorter", "[steady]")
{
    const std::vector<std::string> common =
        sets({"precondition.fill=1", "run.until=steady", "precondition.overwrite=1",
              "run.steady.round=512"});
    test::check_direction({"run.requests", "1000", "6000", measured_requests, {}}, files, common);
    test::check_direction({"run.duration", "1ms", "2s", measured_requests, {}}, files, common);
}

TEST_CASE("steady: each key of the rule acts", "[steady]")
{
    const std::vector<test::direction> table = {
        {"run.steady.round", "512", "2048", measured_requests, {}},
        {"run.steady.round", "10ms", "100ms", measured_requests, {}},
        {"run.steady.rounds", "3", "6", measured_requests, {"run.steady.round=512"}},
        {"run.steady.limit",
         "6",
         "12",
         all_requests,
         {"run.steady.round=512", "run.steady.range=0.0001"}},
        {"run.steady.range",
         "0.9",
         "0.0001",
         all_requests,
         {"run.steady.round=512", "run.steady.limit=100", "run.steady.slope=1"}},
        {"run.steady.slope",
         "0.9",
         "0.00001",
         all_requests,
         {"run.steady.round=512", "run.steady.limit=100", "run.steady.range=1"}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, files, sets(until_steady));
    }
}

TEST_CASE("steady: a run that was given up says so", "[steady]")
{
    const auto r =
        test::run(files, sets({"precondition.fill=1", "precondition.overwrite=0",
                               "run.until=steady", "run.requests=0", "run.steady.round=512",
                               "run.steady.limit=5", "run.steady.range=0.0001"}));
    CHECK_FALSE(r.result.measured.never_steady.empty());
}

TEST_CASE("steady: reads alone need no writes to be steady", "[steady]")
{
    const auto r = test::run({"device/small", "workload/random-read"},
                             {"precondition.fill=1", "run.until=steady", "run.requests=0"});
    CHECK(r.result.measured.never_steady.empty());
    CHECK(r.sim->requests().requests() >= 5 * 16384);
}

TEST_CASE("steady: overwrites end when write amplification is steady", "[steady]")
{
    const std::vector<std::string> common =
        sets({"precondition.fill=1", "precondition.overwrite=20", "run.requests=100"});
    test::check_direction({"precondition.until", "steady", "amount", preconditioned_pages, {}},
                          files, common);
}

TEST_CASE("steady: a drive is overwritten where a stream of its own writes", "[steady]")
{
    // What the load writes is what was overwritten: only its superblocks are worth collecting.
    const std::vector<std::string> common =
        sets({"precondition.fill=1", "precondition.overwrite=2", "run.requests=4000",
              "workload.0.pattern=hot_cold", "workload.0.hot_fraction=0.1",
              "workload.0.hot_probability=0.95"});
    const std::vector<std::string> hot = {"precondition.workload.pattern=hot_cold",
                                          "precondition.workload.hot_fraction=0.1",
                                          "precondition.workload.hot_probability=0.95"};
    std::vector<std::string> as_stream = common;
    as_stream.insert(as_stream.end(), hot.begin(), hot.end());
    std::vector<std::string> own = common;
    own.emplace_back("precondition.workload.source=own");
    const double uniform = test::measure_apart(files, common, amplification);
    const double described = test::measure_apart(files, as_stream, amplification);
    INFO("uniform " << uniform << ", described " << described);
    CHECK(described != Approx(uniform).epsilon(0.02));
    CHECK(test::measure_apart(files, own, amplification) == Approx(described).epsilon(0.02));
}

TEST_CASE("steady: what a stream overwrites is what collection finds", "[steady]")
{
    const std::vector<std::string> common =
        sets({"precondition.fill=1", "precondition.overwrite=2", "run.requests=100"});
    const std::vector<test::direction> table = {
        // Blocks of neighbours become free as a whole.
        {"precondition.workload.pattern", "sequential", "uniform", preconditioned_pages, {}},
        {"precondition.workload.block_size", "1MiB", "4KiB", preconditioned_pages, {}},
        {"precondition.workload.range.size", "4MiB", "all", preconditioned_pages, {}},
        {"precondition.workload.range.start", "20MiB", "0B", preconditioned_pages, {}},
        {"precondition.workload.zipf_theta",
         "2",
         "0.2",
         preconditioned_pages,
         {"precondition.workload.pattern=zipf"}},
        {"precondition.workload.hot_fraction",
         "0.05",
         "0.5",
         preconditioned_pages,
         {"precondition.workload.pattern=hot_cold"}},
        {"precondition.workload.hot_probability",
         "0.99",
         "0.3",
         preconditioned_pages,
         {"precondition.workload.pattern=hot_cold"}},
        {"precondition.workload.lru_exponent",
         "3",
         "0.5",
         preconditioned_pages,
         {"precondition.workload.pattern=lru"}},
        {"precondition.workload.lru_mean_depth",
         "4",
         "4000",
         preconditioned_pages,
         {"precondition.workload.pattern=lru", "precondition.workload.lru_law=geometric"}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, files, common);
    }
}

TEST_CASE("steady: rounds go on across power cuts", "[steady]")
{
    std::vector<std::string> cut = until_steady;
    cut.insert(cut.end(), {"run.steady.round=256", "run.steady.limit=5", "power.cut.every=100"});
    const double measured = test::measure_apart(files, sets(cut), measured_requests);
    CHECK(measured >= 5 * 256); // as many as were compared
    CHECK(measured < 6 * 256);
}

} // namespace steady_test
