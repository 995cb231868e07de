// SPDX-License-Identifier: Apache-2.0
//
// Keys of SATA, and which keys belong to which interface.
#include <catch2/catch.hpp>

#include "platform/config/derived.h"
#include "tests/unit/key_case.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using namespace ssdvp::literals;
using C = const ssd_config&;

namespace {

key_case sata_case(const char* name, const char* good, std::function<bool(C)> arrived,
                   const char* bad)
{
    return {
        std::string("host.sata.") + name, good, std::move(arrived), bad, {"host.interface=sata"}};
}

} // namespace

std::vector<key_case> sata_cases()
{
    return {
        {"host.interface",
         "sata",
         [](C c) { return c.driver.interface == host::interface_kind::sata; },
         "scsi",
         {}},
        sata_case(
            "rate", "1.5Gb/s", [](C c) { return c.sata.generation == 1; }, "2Gb/s"),
        sata_case(
            "latency", "70ns", [](C c) { return c.sata.latency == 70_ns; }, "70"),
        sata_case(
            "handshake", "20", [](C c) { return c.sata.handshake == 20; }, "1001"),
        sata_case(
            "crc_error_rate", "0.01", [](C c) { return c.sata.crc_error_rate == 0.01; }, "0.0101"),
        sata_case(
            "ncq", "false", [](C c) { return !c.driver.sata.queued; }, "maybe"),
        sata_case(
            "queue_depth", "8", [](C c) { return c.driver.sata.tags == 8; }, "33"),
        sata_case(
            "max_transfer_size", "64KiB",
            [](C c) { return c.driver.sata.max_transfer == 65536 && c.max_transfer == 65536; },
            "100KiB"),
        sata_case(
            "command_latency", "5ns", [](C c) { return c.driver.sata.hba.command_latency == 5_ns; },
            "5"),
        sata_case(
            "data_latency", "6ns", [](C c) { return c.driver.sata.hba.data_latency == 6_ns; }, "6"),
        sata_case(
            "decode_latency", "7ns", [](C c) { return c.sata_fe.decode_latency == 7_ns; }, "7"),
        sata_case(
            "move_latency", "8ns", [](C c) { return c.sata_fe.move_latency == 8_ns; }, "8"),
        sata_case(
            "reset_at", "[1ms, 2ms]",
            [](C c) { return c.reset_at.size() == 2 && c.reset_at.back() == 2_ms; }, "[1, 2]"),
    };
}

TEST_CASE("interfaces: keys of one are refused with the other, and said to be")
{
    for (const char* key : {"host.pcie.lanes=4", "host.nvme.slots=64", "host.nvme.reset_at=3ms",
                            "host.driver.queue_pairs=2", "host.driver.queue_entries=64"}) {
        INFO(key);
        CHECK(error_of(with_sets({key})).empty());
        CHECK_THAT(error_of(with_sets({"host.interface=sata", key})),
                   Contains(std::string("--set ") + key) &&
                       Contains("used only when host.interface is nvme") &&
                       Contains("remove it, or use host.interface: nvme"));
    }
    for (const char* key : {"host.sata.rate=3Gb/s", "host.sata.ncq=false"}) {
        CHECK_THAT(error_of(with_sets({key})), Contains("used only when host.interface is sata"));
    }
    config_sources preset = with_sets({"host.interface=sata"});
    preset.files = {"device/nvme-tlc"}; // its PCIe keys mean nothing then
    CHECK(error_of(preset).empty());
    CHECK_THAT(resolved_yaml(load(preset)), !Contains("pcie"));
    CHECK_THAT(error_of_text("host:\n  interface: sata\n  pcie:\n    lanes: 4\n"),
               Contains("c.yaml:4:12: host.pcie.lanes: has no effect"));
}

TEST_CASE("interfaces: the resolved configuration has the keys of its own one only")
{
    const std::string nvme = resolved_yaml(load_text("name: x"));
    const std::string sata = resolved_yaml(load_text("host: {interface: sata}"));
    CHECK_THAT(nvme, Contains("pcie:") && !Contains("sata"));
    CHECK_THAT(sata, Contains("rate: 6Gb/s") && !Contains("pcie:") && !Contains("queue_pairs"));
}

TEST_CASE("interfaces: 32 tags and one command more are in a SATA drive at a time")
{
    CHECK(front_end_slots(load_text("host: {interface: sata}")) == 33);
    CHECK(front_end_slots(load_text("host: {nvme: {slots: 64}}")) == 64);
}

} // namespace ssdvp::platform::test
