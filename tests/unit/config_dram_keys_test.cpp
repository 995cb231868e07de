// SPDX-License-Identifier: Apache-2.0
//
// Keys of the DRAM's banks, and the rules between them.
#include "models/dram/standards.h"
#include "tests/unit/key_case.h"

#include <catch2/catch.hpp>

namespace ssdvp::platform::test {

using namespace ssdvp::literals;
using C = const ssd_config&;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> bank = {"dram.model=bank"};

} // namespace

std::vector<key_case> dram_cases()
{
    std::vector<key_case> cases = {
        {"dram.model",
         "bank",
         [](C c) { return c.dram.model == dram::dram_model::bank; },
         "cycle",
         {}},
        {"dram.standard",
         "lpddr4",
         [](C c) {
             return c.dram.standard == dram::dram_standard::lpddr4 &&
                    c.dram.transfers == rate(4266000000);
         },
         "ddr5",
         {}},
        {"dram.banks", "8", [](C c) { return c.dram.banks == 8; }, "12", bank},
        {"dram.row_size", "8KiB", [](C c) { return c.dram.row_size == 8192; }, "3KiB", bank},
        {"dram.page_policy", "closed",
         [](C c) { return c.dram.policy == dram::page_policy::closed; }, "shut", bank},
        {"dram.mapping", "bank_interleaved",
         [](C c) { return c.dram.mapping == dram::address_mapping::bank_interleaved; }, "bank",
         bank},
        {"dram.interleave",
         "1KiB",
         [](C c) { return c.dram.interleave == 1024; },
         "100",
         {"dram.model=bank", "dram.mapping=bank_interleaved"}},
        {"dram.refresh_group", "8", [](C c) { return c.dram.refresh_group == 8; }, "9", bank},
        {"dram.controller_latency", "5ns", [](C c) { return c.dram.controller_latency == 5_ns; },
         "5", bank},
    };
    for (const dram::figure_name& f : dram::figures()) {
        const auto member = f.member;
        cases.push_back({std::string("dram.timing.") + f.name, "60ns",
                         [member](C c) { return c.dram.timing.*member == 60_ns; }, "60", bank});
        if (std::string(f.name) == "tREFI") { // must be longer than tRFC
            cases.back().good = "3us";
            cases.back().arrived = [](C c) { return c.dram.timing.tREFI == 3_us; };
        }
    }
    return cases;
}

TEST_CASE("config dram: a standard gives rate, organisation and times")
{
    struct row {
        const char* name;
        std::uint64_t rate;
        std::uint32_t banks;
        sim_time tRCD, tRFC;
    };
    for (const row& r :
         {row{"ddr3", 1600, 8, 13750_ps, 260_ns}, row{"ddr4", 3200, 16, 13750_ps, 350_ns},
          row{"lpddr4", 4266, 8, 18_ns, 280_ns}, row{"lpddr5", 6400, 16, 18_ns, 210_ns}}) {
        const ssd_config c =
            load(with_sets({"dram.model=bank", std::string("dram.standard=") + r.name}));
        INFO(r.name);
        CHECK(c.dram.transfers == rate(r.rate * 1000000));
        CHECK(c.dram.bandwidth == rate(r.rate * 1000000 * 4));
        CHECK(c.dram.banks == r.banks);
        CHECK(c.dram.row_size == 4096);
        CHECK(c.dram.timing.tRCD == r.tRCD);
        CHECK(c.dram.timing.tRFC == r.tRFC);
    }
    // Clocks follow the rate: tCCD of DDR4 is 4 of them.
    CHECK(load(with_sets({"dram.rate=2400MT/s"})).dram.timing.tCCD == 4 * 834_ps);
    CHECK(load(with_sets({"dram.width=64"})).dram.row_size == 8192);
    // Sums follow what they are made of.
    const ssd_config c = load(with_sets({"dram.model=bank", "dram.timing.tRAS=60ns"}));
    CHECK(c.dram.timing.tRC == 73750_ps);
    CHECK(load({}).dram.transfers == rate(3200000000));
    CHECK(load({}).dram.model == dram::dram_model::bandwidth);
}

TEST_CASE("config dram: what cannot be honoured is refused with a remedy")
{
    const auto but = [](std::vector<std::string> sets, bool banks = true) {
        if (banks) {
            sets.insert(sets.begin(), "dram.model=bank");
        }
        return error_of(with_sets(sets));
    };
    CHECK_THAT(but({"dram.latency=30ns"}), Contains("only when dram.model is bandwidth"));
    CHECK_THAT(but({"dram.efficiency=0.5"}), Contains("only when dram.model is bandwidth"));
    CHECK_THAT(but({"dram.banks=8"}, false), Contains("only when dram.model is bank"));
    CHECK_THAT(but({"dram.timing.tRCD=8ns"}, false), Contains("only when dram.model is bank"));
    CHECK_THAT(but({"dram.interleave=1KiB"}), Contains("dram.mapping is bank_interleaved"));
    CHECK_THAT(but({"dram.standard=ddr3", "dram.timing.tCCD_L=20ns"}),
               Contains("bank groups: ddr4, lpddr5"));
    CHECK_THAT(but({"dram.standard=lpddr4", "dram.width=8"}),
               Contains("dram.width: 8 bits, but parts of lpddr4 have 16; use 16 or more"));
    CHECK(but({"dram.standard=lpddr4", "dram.width=16"}).empty());
    CHECK_THAT(but({"dram.mapping=bank_interleaved", "dram.width=64", "dram.interleave=64B"}),
               Contains("use 128B to 16KiB"));
    CHECK(but({"dram.mapping=bank_interleaved", "dram.width=64", "dram.interleave=128B"}).empty());
    CHECK_THAT(but({"dram.mapping=bank_interleaved", "dram.interleave=16KiB"}),
               Contains("use 64B to 8KiB"));
    CHECK_THAT(but({"dram.timing.tRC=45ns"}),
               Contains("45ns has no effect: dram.timing.tRAS and tRP take longer; use 45750ps"));
    CHECK(but({"dram.timing.tRC=45750ps"}).empty());
    CHECK_THAT(but({"dram.timing.tCCD=2ns"}), Contains("use 2500ps or more"));
    CHECK_THAT(but({"dram.timing.tCCD_L=2ns"}), Contains("dram.timing.tCCD is longer"));
    CHECK_THAT(but({"dram.timing.tRRD_L=2ns"}), Contains("dram.timing.tRRD is longer"));
    CHECK_THAT(but({"dram.timing.tREFI=400ns"}), Contains("use a longer dram.timing.tREFI"));
    CHECK_THAT(but({"dram.timing.tRFC=8us"}),
               Contains("dram.timing.tRFC: dram.timing.tREFI 7800ns leaves no time"));
    CHECK_THAT(but({"dram.rate=1MT/s"}), Contains("or a faster dram.rate"));
}

} // namespace ssdvp::platform::test
