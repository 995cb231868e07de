// SPDX-License-Identifier: Apache-2.0
//
// Keys of the PCIe link beyond its size, and the rules between them.
#include <catch2/catch.hpp>

#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using namespace ssdvp::literals;
using C = const ssd_config&;

namespace {

#define CREDITS(receiver, name, bad)                                                               \
    {                                                                                              \
        "host.pcie." #receiver "." #name, "77", [](C c) { return c.pcie.receiver.name == 77; },    \
            bad,                                                                                   \
        {}                                                                                         \
    }

std::vector<key_case> credit_cases()
{
    return {
        CREDITS(host_credits, posted_headers, "2033"),
        CREDITS(host_credits, posted_data, "32753"),
        CREDITS(host_credits, nonposted_headers, "2033"),
        CREDITS(device_credits, posted_headers, "2033"),
        CREDITS(device_credits, posted_data, "32753"),
        CREDITS(device_credits, completion_headers, "2033"),
        CREDITS(device_credits, completion_data, "32753"),
    };
}

#undef CREDITS

} // namespace

std::vector<key_case> pcie_cases()
{
    std::vector<key_case> cases = credit_cases();
    const std::vector<key_case> others = {
        {"host.pcie.ecrc", "true", [](C c) { return c.pcie.ecrc; }, "2", {}},
        {"host.pcie.tags", "5", [](C c) { return c.pcie.tags == 5; }, "1025", {}},
        {"host.pcie.ack_factor", "9", [](C c) { return c.pcie.ack_factor == 9; }, "65", {}},
        {"host.pcie.bit_error_rate",
         "0.000000001",
         [](C c) { return c.pcie.bit_error_rate == 1e-9; },
         "0.00002",
         {}},
        {"host.pcie.update_factor",
         "9",
         [](C c) { return c.pcie.update_factor == 9; },
         "65",
         {"host.pcie.host_credits.posted_headers=8"}},
        {"host.pcie.credit_latency",
         "6ns",
         [](C c) { return c.pcie.credit_latency == 6_ns; },
         "6",
         {"host.pcie.host_credits.posted_headers=8"}},
        {"host.pcie.skip_fraction",
         "0.27%",
         [](C c) { return c.pcie.skip_fraction == 0.0027; },
         "0.06",
         {}},
    };
    cases.insert(cases.end(), others.begin(), others.end());
    return cases;
}

TEST_CASE("PCIe: all payloads and requests of the standard, and no others")
{
    for (const std::uint32_t size : {128u, 256u, 512u, 1024u, 2048u, 4096u}) {
        const std::string text = std::to_string(size) + "B";
        CHECK(accepted({"host.pcie.max_payload_size=" + text}).pcie.max_payload_size == size);
        CHECK(accepted({"host.pcie.max_read_request_size=" + text}).pcie.max_read_request_size ==
              size);
    }
    for (const char* size : {"64B", "384B", "8KiB"}) {
        CHECK_FALSE(refused({std::string("host.pcie.max_payload_size=") + size}).empty());
    }
}

TEST_CASE("PCIe: tags follow the generation unless they are given")
{
    CHECK(accepted({}).pcie.tags == 768);
    CHECK(accepted({"host.pcie.generation=1"}).pcie.tags == 32);
    CHECK(accepted({"host.pcie.generation=3"}).pcie.tags == 256);
    CHECK(accepted({"host.pcie.generation=3", "host.pcie.tags=7"}).pcie.tags == 7);
    CHECK_FALSE(refused({"host.pcie.tags=0"}).empty());
}

TEST_CASE("PCIe: data credits hold one payload, or there are infinitely many")
{
    for (const char* key :
         {"host.pcie.host_credits.posted_data", "host.pcie.device_credits.completion_data"}) {
        const std::string set = std::string(key) + "=";
        CHECK(refused({set + "16"}).empty());
        CHECK(refused({set + "0"}).empty());
        CHECK(refused({set + "15"}) ==
              "--set " + set + "15: " + key +
                  ": 15 units of 16 B do not hold one payload of host.pcie.max_payload_size 256B; "
                  "use 16 or more, 0 for infinite, or a smaller host.pcie.max_payload_size");
        CHECK(refused({set + "15", "host.pcie.max_payload_size=128B"}).empty());
        CHECK_THAT(refused({set + "255", "host.pcie.max_payload_size=4KiB"}),
                   Contains("use 256 or more"));
    }
    // Registers have 8 bytes at most.
    CHECK(refused({"host.pcie.device_credits.posted_data=1"}).empty());
}

TEST_CASE("PCIe: a key without effect is refused")
{
    for (const char* set : {"host.pcie.update_factor=2", "host.pcie.credit_latency=1us"}) {
        CHECK_THAT(refused({set}), Contains("has no effect") && Contains("is not 0"));
        CHECK(refused({set, "host.pcie.device_credits.posted_headers=4"}).empty());
    }
    CHECK(refused({"host.pcie.ack_factor=2", "host.pcie.generation=5"}).empty());
    CHECK_THAT(refused({"host.pcie.ack_factor=2", "host.pcie.generation=6"}),
               Contains("has no effect") && Contains("5 or less"));
}

} // namespace ssdvp::platform::test
