// SPDX-License-Identifier: Apache-2.0
//
// The SATA driver on adapter and link, against a drive at the level of frames.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/models/host_standin.h"
#include "tests/models/sata/ata_standin.h"

namespace driver_test {

using namespace ssdvp;
using namespace ssdvp::test;
using host::request_kind;

namespace {

struct sata_bench {
    host::driver_config drive;
    host::workload_config workload;
    sata::link_config wire;
    ata_standin::options device;
    fault_log faults;
    recorder done;
    std::unique_ptr<latency_ledger> ledger;
    std::unique_ptr<host::host_system> host;
    std::unique_ptr<sata::link> link;
    std::unique_ptr<ata_standin> drv;

    sata_bench()
    {
        drive.interface = host::interface_kind::sata;
        drive.submit_latency = 300_ns;
        drive.complete_latency = 700_ns;
        drive.data = drive.sata.hba.data = data_mode::full;
        drive.sata.hba.command_latency = 300_ns;
        drive.sata.hba.data_latency = 200_ns;
    }
    void build()
    {
        ledger = std::make_unique<latency_ledger>(host::host_system::ledger_commands(drive), 33);
        host = std::make_unique<host::host_system>(
            "host", drive, workload, host::environment{ledger.get(), &faults, &done, 1});
        link = std::make_unique<sata::link>("link", wire);
        drv = std::make_unique<ata_standin>("device", *link, device);
        host->adapter().link.bind(*link);
        link->attach(sata::side::host, host->adapter());
        link->attach(sata::side::device, *drv);
        link->device_power(true);
    }
    bool start()
    {
        bool ok = false;
        if (now() == sim_time()) {
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        }
        host->start([&](bool result) { ok = result; });
        sc_core::sc_start();
        return ok;
    }
    void go()
    {
        build();
        REQUIRE(start());
        drv->commands.clear();
    }
    void submit(hand& client, request_kind kind, std::uint64_t lba, std::uint32_t sectors,
                bool fua = false)
    {
        host::request r = make(kind, lba, sectors);
        r.fua = fua;
        REQUIRE(host->submit(r, nullptr, client, 0));
    }
    void run()
    {
        host->ring();
        sc_core::sc_start();
    }
    [[nodiscard]] std::vector<std::uint8_t> codes() const
    {
        std::vector<std::uint8_t> list;
        for (const auto& c : drv->commands) {
            list.push_back(c.command.command);
        }
        return list;
    }
    [[nodiscard]] std::string first_fault() const
    {
        return faults.faults().empty() ? std::string() : faults.faults().front().what;
    }
};

std::size_t good(const hand& client)
{
    return static_cast<std::size_t>(
        std::count_if(client.results.begin(), client.results.end(),
                      [](const host::request_result& r) { return r.status == 0; }));
}

/// An acknowledged one, by a power cut; words 82 and 85 of IDENTIFY tell of a write cache.
bool may_lose_a_write(bool there, bool on)
{
    sata_bench b;
    b.device.write_cache = there;
    b.device.cache_on = on;
    b.build();
    b.host->check().expect_power_cuts();
    REQUIRE(b.start());
    CHECK(b.host->drive().info().write_cache == (there || on));
    hand client;
    b.submit(client, request_kind::write, 0, 8);
    b.run();
    b.host->power_lost();
    return !b.host->check().uncertain(256).empty();
}

/// Of a drive that refuses this command; false: the host gave up.
bool shut_down_refused(sata_bench& b, std::uint8_t command)
{
    b.go();
    b.drv->fails = [command](const fis::register_h2d& f) {
        return f.command == command ? std::uint8_t{fis::ERROR_ABRT} : std::uint8_t{0};
    };
    b.drv->commands.clear();
    bool ok = false;
    b.host->shutdown([&](bool result) { ok = result; });
    sc_core::sc_start();
    return ok;
}

} // namespace

TEST_CASE("sata driver: the start sequence, and what IDENTIFY told")
{
    sata_bench b;
    b.build();
    REQUIRE(b.start());
    CHECK(b.codes() == std::vector<std::uint8_t>{ATA_IDENTIFY_DEVICE, ATA_SET_FEATURES,
                                                 ATA_SET_FEATURES, ATA_SET_FEATURES,
                                                 ATA_SET_FEATURES});
    const auto feature = [&b](std::size_t i) { return b.drv->commands[i].command.features; };
    CHECK(feature(1) == ATA_FEATURE_TRANSFER_MODE);
    CHECK(b.drv->commands[1].command.count == 0x46);
    CHECK(feature(2) == ATA_FEATURE_WRITE_CACHE);
    CHECK(feature(3) == ATA_FEATURE_LOOK_AHEAD);
    CHECK(feature(4) == ATA_FEATURE_SATA);
    CHECK(b.host->capacity() == b.device.capacity);
    CHECK(b.host->drive().info().model == "stand-in");
    CHECK(b.host->drive().info().deallocate);
    CHECK(b.host->sata_driver().queued());
    CHECK(b.link->stats().comresets == 2); // GHC.HR, PxSCTL.DET
    CHECK(b.faults.count() == 0);
}

TEST_CASE("sata driver: a drive that can have a write cache has one from the start sequence on")
{
    CHECK(may_lose_a_write(true, false));
}

TEST_CASE("sata driver: a write cache that is on already")
{
    CHECK(may_lose_a_write(false, true));
}

TEST_CASE("sata driver: without a write cache what is acknowledged survives a power cut")
{
    CHECK_FALSE(may_lose_a_write(false, false));
}

TEST_CASE("sata driver: a drive that says nothing, and one that is no disk")
{
    sata_bench b;
    b.device.silent = true;
    b.build();
    CHECK_FALSE(b.start());
    CHECK(b.first_fault().find("step \"signature\": not within 30000 ms") != std::string::npos);
    CHECK(now() >= 30_s);
    CHECK_FALSE(sc_core::sc_pending_activity());
}

TEST_CASE("sata driver: a device that is no disk is refused")
{
    sata_bench b;
    b.device.signature = 0x69;
    b.build();
    CHECK_FALSE(b.start());
    CHECK(b.first_fault().find("signature 0x6901: no ATA disk") != std::string::npos);
}

TEST_CASE("sata driver: 100 reads and writes over 32 tags, data checked, latencies sum")
{
    sata_bench b;
    b.go();
    hand client;
    for (std::uint32_t i = 0; i < 50; ++i) {
        b.submit(client, request_kind::write, i * 64, 8 + i % 30);
    }
    b.run();
    for (std::uint32_t i = 0; i < 50; ++i) {
        b.submit(client, request_kind::read, i * 64, 8);
    }
    b.run();
    CHECK(client.results.size() == 100);
    CHECK(good(client) == 100);
    CHECK(b.host->check().sectors_checked() == 400);
    CHECK(b.host->check().mismatches() == 0);
    CHECK(b.faults.count() == 0);
    for (const host::request_result& r : client.results) {
        CHECK(sum(r.parts) == r.latency());
    }
    std::uint32_t tags = 0;
    for (const auto& c : b.drv->commands) {
        tags |= 1u << (c.command.count >> 3);
        CHECK(c.slot == c.command.count >> 3);
    }
    CHECK(tags == ~0u);
    CHECK(b.host->drive().doorbells() < 100); // one for what one instant submits
}

TEST_CASE("sata driver: one command at a time without queue, and FUA in its own command")
{
    sata_bench b;
    b.drive.sata.queued = false;
    b.go();
    hand client;
    b.submit(client, request_kind::write, 0, 8);
    b.submit(client, request_kind::write, 8, 8, true);
    b.submit(client, request_kind::read, 0, 16);
    b.run();
    CHECK(good(client) == 3);
    CHECK(b.codes() ==
          std::vector<std::uint8_t>{ATA_WRITE_DMA_EXT, ATA_WRITE_DMA_FUA_EXT, ATA_READ_DMA_EXT});
    CHECK(b.host->check().mismatches() == 0);
    CHECK(b.host->check().sectors_checked() == 16);
}

TEST_CASE("sata driver: a long transfer is several commands, FUA is a bit of each")
{
    sata_bench b;
    b.drive.sata.max_transfer = 64 * 1024;
    b.go();
    hand client;
    b.submit(client, request_kind::write, 1000, 300, true);
    b.run();
    REQUIRE(b.drv->commands.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const fis::register_h2d& f = b.drv->commands[i].command;
        const std::uint8_t slot = b.drv->commands[i].slot;
        CHECK(f.command == ATA_WRITE_FPDMA_QUEUED);
        CHECK(fis::lba_of(f) == 1000u + slot * 128u);
        CHECK((f.features | f.features_high << 8) == (slot == 2 ? 44 : 128));
        CHECK(f.device == (ATA_DEVICE_LBA | ATA_DEVICE_FUA));
    }
    CHECK(good(client) == 1);
}

TEST_CASE("sata driver: flush and trim wait until they are alone, and others for them")
{
    sata_bench b;
    b.go();
    hand client;
    b.submit(client, request_kind::write, 0, 64);
    b.submit(client, request_kind::write, 64, 64);
    b.submit(client, request_kind::flush, 0, 0);
    b.submit(client, request_kind::trim, 32, 70000);
    b.submit(client, request_kind::read, 0, 64);
    b.run();
    CHECK(good(client) == 5);
    CHECK(b.codes() == std::vector<std::uint8_t>{ATA_WRITE_FPDMA_QUEUED, ATA_WRITE_FPDMA_QUEUED,
                                                 ATA_FLUSH_CACHE_EXT, ATA_DATA_SET_MANAGEMENT,
                                                 ATA_READ_FPDMA_QUEUED});
    using ranges = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
    CHECK(b.drv->trims == ranges{{32, 65535}, {32 + 65535, 70000 - 65535}});
    for (std::size_t i = 1; i < client.results.size(); ++i) {
        CHECK(client.results[i].completed >= client.results[i - 1].completed);
    }
    CHECK(b.host->check().trimmed_zeros() == 32);
    CHECK(b.host->check().mismatches() == 0);
}

TEST_CASE("sata driver: one tag fails, its 31 neighbours are issued again and none is lost")
{
    sata_bench b;
    b.go();
    b.drv->fails = [](const fis::register_h2d& f) {
        return fis::lba_of(f) == 17 * 8 ? std::uint8_t{fis::ERROR_UNC} : std::uint8_t{0};
    };
    hand client;
    for (std::uint32_t i = 0; i < 32; ++i) {
        b.submit(client, request_kind::read, i * 8, 8);
    }
    b.run();
    REQUIRE(client.results.size() == 32);
    CHECK(good(client) == 31);
    for (const host::request_result& r : client.results) {
        CHECK(r.status == (r.req.lba == 17 * 8 ? NVME_SC_UNRECOVERED_READ_ERROR : 0));
    }
    const host::ahci_driver& d = b.host->sata_driver();
    CHECK(d.recoveries() == 1);
    CHECK(d.link_resets() == 0);
    CHECK(d.retries() > 0);
    const std::vector<std::uint8_t> sent = b.codes();
    CHECK(std::count(sent.begin(), sent.end(), std::uint8_t{ATA_READ_LOG_EXT}) == 1);
    CHECK(b.faults.count() == 0);
}

TEST_CASE("sata driver: a command that is not queued fails alone")
{
    sata_bench b;
    b.go();
    b.drv->fails = [](const fis::register_h2d& f) {
        return f.command == ATA_FLUSH_CACHE_EXT ? std::uint8_t{fis::ERROR_ABRT} : std::uint8_t{0};
    };
    hand client;
    b.submit(client, request_kind::flush, 0, 0);
    b.submit(client, request_kind::read, 0, 8);
    b.run();
    REQUIRE(client.results.size() == 2);
    CHECK(client.results[0].status == NVME_SC_INTERNAL_ERROR);
    CHECK(client.results[1].status == 0);
    const std::vector<std::uint8_t> sent = b.codes();
    CHECK(std::count(sent.begin(), sent.end(), std::uint8_t{ATA_READ_LOG_EXT}) == 0);
}

TEST_CASE("sata driver: a link that damages frames costs resets and repeats, not data")
{
    sata_bench b;
    b.wire.crc_error_rate = 0.02;
    b.go();
    hand client;
    for (std::uint32_t round = 0; round < 4; ++round) {
        for (std::uint32_t i = 0; i < 32; ++i) {
            b.submit(client, round % 2 == 0 ? request_kind::write : request_kind::read, i * 8, 8);
        }
        b.run();
    }
    CHECK(client.results.size() == 128);
    CHECK(good(client) == 128);
    CHECK(b.host->check().mismatches() == 0);
    CHECK(b.host->check().sectors_checked() == 2 * 32 * 8);
    const host::ahci_driver& d = b.host->sata_driver();
    CHECK(d.recoveries() > 0);
    CHECK(d.link_resets() >= d.recoveries());
    CHECK(d.retries() >= d.recoveries());
    CHECK(b.faults.count() == 0);
}

TEST_CASE("sata driver: a second error at any moment of a recovery does not end in a wait")
{
    sata_bench b;
    b.go();
    b.drv->fails = [](const fis::register_h2d& f) {
        return fis::lba_of(f) == 17 * 8 ? std::uint8_t{fis::ERROR_UNC} : std::uint8_t{0};
    };
    hand client;
    for (std::uint32_t at = 1; at <= 40; ++at) {
        const std::uint64_t before = b.host->sata_driver().recoveries();
        b.submit(client, request_kind::read, 17 * 8, 8);
        b.submit(client, request_kind::read, 16 * 8, 8);
        b.host->ring();
        while (b.host->sata_driver().recoveries() == before) {
            sc_core::sc_start((100_ns).to_sc());
        }
        sc_core::sc_start((at * 1_us).to_sc());
        const fis::register_h2d wrong; // no device sends it
        sata::frame f;
        f.header = &wrong;
        f.header_length = sizeof wrong;
        b.link->send(sata::side::device, f, now());
        sc_core::sc_start();
        REQUIRE(client.results.size() == 2 * at);
    }
    CHECK(good(client) == 40);
    CHECK(b.host->sata_driver().link_resets() >= 20);
    CHECK(b.faults.count() == 0);
}

TEST_CASE("sata driver: an IDENTIFY that the link damages is asked for again after a COMRESET")
{
    std::uint64_t resets = 0, failed = 0;
    sata_bench b;
    b.wire.crc_error_rate = 0.3;
    b.build();
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t before = b.host->sata_driver().link_resets();
        const std::uint64_t comresets = b.link->stats().comresets;
        const bool ok = b.start();
        const std::uint64_t more = b.host->sata_driver().link_resets() - before;
        CHECK(b.link->stats().comresets - comresets == 2 + more);
        CHECK(more < host::ahci_driver::bring_ups);
        CHECK((ok || more == host::ahci_driver::bring_ups - 1));
        failed += ok ? 0 : 1;
        resets += more;
    }
    CHECK(resets > 50); // 0.3 + 0.09 + 0.027 + 0.0081 of each
    CHECK(resets < 130);
    CHECK(failed < 5); // 0.3 ^ 5
    CHECK(b.faults.count() == failed);
}

TEST_CASE("sata driver: a link that damages all data: the drive is given up, and it says why")
{
    sata_bench b;
    b.wire.crc_error_rate = 0.995;
    b.build();
    CHECK_FALSE(b.start());
    CHECK(b.host->sata_driver().link_resets() == host::ahci_driver::bring_ups - 1);
    CHECK(b.first_fault() ==
          "step \"IDENTIFY DEVICE\": the link damaged a frame in 5 attempts, each "
          "after a COMRESET: the host has given the drive up");
    CHECK_FALSE(b.host->drive().ready());
    CHECK_FALSE(b.host->drive().in_sequence());
}

TEST_CASE("sata driver: a page of the error log that is damaged: all are sent again")
{
    sata_bench b;
    b.wire.crc_error_rate = 0.2;
    b.build();
    for (int i = 0; !b.start(); ++i) {
        REQUIRE(i < 10);
    }
    b.drv->fails = [](const fis::register_h2d& f) {
        return fis::lba_of(f) == 17 * 8 ? std::uint8_t{fis::ERROR_UNC} : std::uint8_t{0};
    };
    hand client;
    for (std::uint32_t round = 0; round < 20; ++round) {
        b.submit(client, request_kind::read, 17 * 8, 8);
        b.submit(client, request_kind::read, 16 * 8, 8);
        b.run();
    }
    REQUIRE(client.results.size() == 40);
    for (const host::request_result& r : client.results) {
        CHECK((r.req.lba == 17 * 8) == (r.status == NVME_SC_UNRECOVERED_READ_ERROR));
    }
    CHECK(b.host->sata_driver().link_resets() > 5);
}

TEST_CASE("sata driver: reset, shutdown, power cut, and up again")
{
    sata_bench b;
    b.go();
    hand client;
    b.submit(client, request_kind::write, 0, 8);
    b.run();
    bool ok = false;
    b.host->restart([&](bool result) { ok = result; });
    sc_core::sc_start();
    CHECK(ok);
    CHECK(b.drv->commands[1].command.command == ATA_IDENTIFY_DEVICE);
    b.submit(client, request_kind::read, 0, 8);
    b.run();
    CHECK(good(client) == 2);

    b.submit(client, request_kind::read, 0, 8);
    b.host->ring();
    sc_core::sc_start((5_us).to_sc()); // with the drive
    b.host->power_lost();
    b.link->device_power(false);
    sc_core::sc_start((1_ms).to_sc());
    CHECK(b.host->drive().in_flight() == 0);
    CHECK(b.host->drive().lost() == 1);
    b.link->device_power(true);
    CHECK(b.start());
    b.submit(client, request_kind::read, 0, 8);
    b.run();
    CHECK(good(client) == 3);
    CHECK(b.host->check().mismatches() == 0);

    b.drv->commands.clear();
    ok = false;
    b.host->shutdown([&](bool result) { ok = result; });
    sc_core::sc_start();
    CHECK(ok);
    CHECK(b.codes() == std::vector<std::uint8_t>{ATA_FLUSH_CACHE_EXT, ATA_STANDBY_IMMEDIATE});
    CHECK(b.faults.count() == 0);
}

TEST_CASE("sata driver: a shutdown whose flush is refused goes on")
{
    sata_bench b;
    CHECK(shut_down_refused(b, ATA_FLUSH_CACHE_EXT));
    CHECK(b.codes() == std::vector<std::uint8_t>{ATA_FLUSH_CACHE_EXT, ATA_STANDBY_IMMEDIATE});
    CHECK(b.faults.count() == 0);
    CHECK_FALSE(b.host->ready());
}

TEST_CASE("sata driver: a shutdown that the drive does not obey fails")
{
    sata_bench b;
    CHECK_FALSE(shut_down_refused(b, ATA_STANDBY_IMMEDIATE));
    CHECK(b.codes() == std::vector<std::uint8_t>{ATA_FLUSH_CACHE_EXT, ATA_STANDBY_IMMEDIATE});
    CHECK(b.faults.count() == 1);
    CHECK_FALSE(b.host->ready());
}

TEST_CASE("sata driver: without auto-activate each Data FIS is asked for")
{
    sata_bench b;
    b.device.auto_activate = false;
    b.go();
    hand client;
    b.submit(client, request_kind::write, 0, 64); // 32 KiB
    b.submit(client, request_kind::read, 0, 64);
    b.run();
    CHECK(good(client) == 2);
    CHECK(b.host->check().mismatches() == 0);
    CHECK(b.link->stats().to_host.by_type[sata::type_index(fis::DMA_ACTIVATE)] == 4);
}

TEST_CASE("sata driver: a 4 KiB read at depth 1 takes its parts")
{
    sata_bench b;
    b.go();
    hand client;
    const sim_time asked = now();
    b.submit(client, request_kind::read, 0, 8);
    b.run();
    const sata::frame_time& t = b.link->times();
    const sim_time drive = b.device.latency;
    REQUIRE(client.results.size() == 1);
    // The drive's time runs from the command's arrival, beside its answer on the wire.
    CHECK(client.results[0].completed == asked + 300_ns + 300_ns + t.whole(20) - t.after() + drive +
                                             t.whole(28) + t.whole(4100) + t.whole(8) - t.after() +
                                             700_ns);
}

} // namespace driver_test
