// SPDX-License-Identifier: Apache-2.0
//
// ATA commands in firmware: what they return about the drive, and those that it does not know.
#include <set>

#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/ata_bench.h"

namespace ssdvp::test::ata_pages_test {
namespace {

std::string text(const std::vector<std::uint8_t>& page, std::size_t first, std::size_t words)
{
    std::string s;
    for (std::size_t i = first; i < first + words; ++i) {
        s += static_cast<char>(page[2 * i + 1]);
        s += static_cast<char>(page[2 * i]);
    }
    return s.substr(0, s.find_last_not_of(' ') + 1);
}

std::uint64_t raw(const std::vector<std::uint8_t>& smart_page, std::uint8_t id)
{
    for (std::size_t at = 2; at < 362; at += 12) {
        if (smart_page[at] == id) {
            return number(smart_page, at + 5, 6);
        }
    }
    FAIL("no attribute " << int{id});
    return 0;
}

} // namespace

TEST_CASE("IDENTIFY DEVICE: the words that a driver reads")
{
    ata_drive d;
    const auto id = d.identify();
    CHECK(word(id, 0) == 0x0040);
    CHECK(text(id, 10, 10) == "SSDVP0001");
    CHECK(text(id, 23, 4) == "0.1");
    CHECK(text(id, 27, 20) == "ssdvp");
    CHECK((word(id, 49) & 0x0300) == 0x0300); // LBA, DMA
    CHECK((word(id, 53) & 6) == 6);
    CHECK(number(id, 120, 4) == d.sectors());
    CHECK(word(id, 63) == 0x0007);
    CHECK(word(id, 64) == 3);
    CHECK(word(id, 69) == 0x4020);
    CHECK(word(id, 75) == 31);
    CHECK(word(id, 76) == 0x810E); // NCQ, 1.5, 3 and 6 Gb/s, logs by DMA
    CHECK(word(id, 77) == 3 << 1);
    CHECK(word(id, 78) == 0x44);
    CHECK(word(id, 79) == 0x40);
    CHECK(word(id, 80) == 0x3F0);
    CHECK(word(id, 82) == 0x29); // SMART, power, write cache
    CHECK(word(id, 83) == 0x7400);
    CHECK(word(id, 84) == 0x4160);
    CHECK(word(id, 85) == 0x29);
    CHECK(word(id, 86) == 0xB400);
    CHECK(word(id, 87) == 0x4160);
    CHECK(word(id, 88) == 0x407F); // Ultra DMA 6
    CHECK(number(id, 200, 8) == d.sectors());
    CHECK(word(id, 105) == 4);
    CHECK(word(id, 106) == 0x6003); // 4 KiB inside
    CHECK(word(id, 119) == 0x4008);
    CHECK(word(id, 169) == 1);
    CHECK(word(id, 217) == 1);
    CHECK(int{id[510]} == 0xA5);
    CHECK(sum(id) == 0);
}

TEST_CASE("IDENTIFY DEVICE without a cache, of the slowest link, and of a larger drive")
{
    ram_config c = sata_drive();
    c.params.cache.policy = CACHE_POLICY_NONE;
    ata_drive d(c);
    d.nand.set_fe_register(SFE_REG_SPEED, 1);
    const auto id = d.identify();
    CHECK((word(id, 82) & 0x20) == 0);
    CHECK((word(id, 85) & 0x20) == 0);
    CHECK((word(id, 76) & 0xE) == 2);
    CHECK(word(id, 77) == 2);
    CHECK(sum(id) == 0);
}

TEST_CASE("SET FEATURES: what it takes shows in IDENTIFY DEVICE, the rest is aborted")
{
    ata_drive d;
    const auto at = [&d](std::size_t i) { return word(d.identify(), i); };
    CHECK(d.feature(ATA_FEATURE_NO_WRITE_CACHE) == ata_good);
    CHECK((at(85) & 0x20) == 0);
    CHECK(d.feature(ATA_FEATURE_WRITE_CACHE) == ata_good);
    CHECK((at(85) & 0x20) == 0x20);
    CHECK(d.feature(ATA_FEATURE_TRANSFER_MODE, 0x45) == ata_good);
    CHECK(at(88) == 0x207F);
    CHECK(at(63) == 0x0007);
    CHECK(d.feature(ATA_FEATURE_TRANSFER_MODE, 0x22) == ata_good);
    CHECK(at(88) == 0x007F);
    CHECK(at(63) == 0x0407);
    for (const std::uint32_t mode : {0x00, 0x01, 0x08, 0x0C, 0x20, 0x40, 0x46}) {
        CHECK(d.feature(ATA_FEATURE_TRANSFER_MODE, mode) == ata_good);
    }
    for (const std::uint32_t mode : {0x02, 0x07, 0x0D, 0x1F, 0x23, 0x3F, 0x47, 0xFF}) {
        CHECK(d.feature(ATA_FEATURE_TRANSFER_MODE, mode) == ata_bad(ATA_ERROR_ABRT));
    }
    CHECK(at(88) == 0x407F);
    CHECK(d.feature(ATA_FEATURE_SATA, ATA_SATA_AUTO_ACTIVATE) == ata_good);
    CHECK(d.nand.get_fe_register(SFE_REG_OPTIONS) == SFE_OPTIONS_AUTO_ACTIVATE);
    CHECK(at(79) == 0x44);
    CHECK(d.feature(ATA_FEATURE_NO_SATA, ATA_SATA_AUTO_ACTIVATE) == ata_good);
    CHECK(d.nand.get_fe_register(SFE_REG_OPTIONS) == 0);
    for (const std::uint32_t which : {0x00, 0x01, 0x03, 0x04, 0x05, 0x07, 0x09}) {
        CHECK(d.feature(ATA_FEATURE_SATA, which) == ata_bad(ATA_ERROR_ABRT));
        CHECK(d.feature(ATA_FEATURE_NO_SATA, which) == ata_bad(ATA_ERROR_ABRT));
    }
    const std::set<std::uint32_t> known = {0x02, 0x03, 0x10, 0x55, 0x82, 0x90, 0xAA};
    for (std::uint32_t what = 0; what < 256; ++what) {
        if (known.count(what) == 0) {
            CHECK(d.feature(what) == ata_bad(ATA_ERROR_ABRT));
        }
    }
}

TEST_CASE("look-ahead can be turned off and on where the drive has it")
{
    ram_config c = sata_drive();
    c.params.cache.policy = CACHE_POLICY_RW_LRU;
    c.params.cache.ahead_units = 16;
    ata_drive d(c);
    const auto ahead = [&d] {
        const std::uint64_t before = d.nand.counters().cache_ahead_units;
        std::vector<std::uint8_t> data(4096);
        for (std::uint64_t lba = 2048; lba < 2048 + 256; lba += 8) {
            REQUIRE(d.run(ata(ATA_READ_DMA_EXT, lba, 8), &data).status == ata_good);
        }
        d.nand.settle();
        return d.nand.counters().cache_ahead_units - before;
    };
    for (std::uint64_t lba = 2048; lba < 2048 + 512; lba += 64) {
        d.write(lba, 64, lba);
    }
    for (std::uint64_t lba = 0; lba < 2048; lba += 64) { // the buffer holds others
        d.write(lba, 64, lba);
    }
    CHECK((word(d.identify(), 85) & 0x40) == 0x40);
    CHECK(d.feature(ATA_FEATURE_NO_LOOK_AHEAD) == ata_good);
    CHECK((word(d.identify(), 82) & 0x40) == 0x40);
    CHECK((word(d.identify(), 85) & 0x40) == 0);
    CHECK(ahead() == 0);
    for (std::uint64_t lba = 0; lba < 2048; lba += 64) {
        d.write(lba, 64, lba);
    }
    CHECK(d.feature(ATA_FEATURE_LOOK_AHEAD) == ata_good);
    CHECK(ahead() > 0);
}

TEST_CASE("SMART: attributes are our counters, with checksums")
{
    ata_drive d;
    const auto before = d.page(smart(ATA_SMART_READ_DATA));
    CHECK(sum(before) == 0);
    CHECK(number(before, 0, 2) == 0x10);
    d.write(0, 64, 1);
    d.write(64, 32, 1);
    (void)d.tag_at(5);
    (void)d.tag_at(6);
    const auto after = d.page(smart(ATA_SMART_READ_DATA));
    CHECK(sum(after) == 0);
    CHECK(raw(after, 241) == 96);
    CHECK(raw(after, 242) == 2);
    CHECK(raw(after, 232) == 100);
    CHECK(raw(after, 5) == d.nand.counters().bad_blocks);
    CHECK(raw(after, 12) == 1);
    CHECK(raw(after, 187) == 0);
    const auto limits = d.page(smart(ATA_SMART_READ_THRESHOLDS));
    CHECK(sum(limits) == 0);
    for (std::size_t at = 2; at < 362; at += 12) {
        CHECK(limits[at] == after[at]); // the same attributes at the same places
        if (after[at] != 0) {
            CHECK(after[at + 3] > limits[at + 1]); // and a new drive is above all of them
        }
    }
    const host_completion c = d.run(smart(ATA_SMART_RETURN_STATUS));
    CHECK(c.status == ata_good);
    CHECK((c.result >> 8 & 0xFFFF) == 0xC24F);
    CHECK(d.run(smart(ATA_SMART_AUTOSAVE)).status == ata_good);
}

TEST_CASE("SMART: the drive's life goes on over losses of power")
{
    ata_drive d;
    const auto power = [&d] {
        d.nand.power_cut();
        d.nand.power_on();
        d.nand.set_fe_register(SFE_REG_SPEED, 3);
        REQUIRE(d.nand.enable());
        return d.page(smart(ATA_SMART_READ_DATA));
    };
    d.write(0, 64, 1);
    REQUIRE(d.run(ata(ATA_STANDBY_IMMEDIATE)).status == ata_good);
    const auto stopped = power();
    CHECK(raw(stopped, 12) == 2);
    CHECK(raw(stopped, 174) == 0);
    CHECK(raw(stopped, 241) == 64);
    d.write(64, 64, 1);
    REQUIRE(d.run(ata(ATA_FLUSH_CACHE_EXT)).status == ata_good);
    const auto cut = power();
    CHECK(raw(cut, 12) == 3);
    CHECK(raw(cut, 174) == 1);
    CHECK(raw(cut, 241) >= 64); // counted with the last record
}

TEST_CASE("SMART: the key, disabled, and what there is not")
{
    ata_drive d;
    sata_fe_request wrong = smart(ATA_SMART_READ_DATA);
    wrong.fis[5] = 0x4E;
    CHECK(d.run(wrong).status == ata_bad(ATA_ERROR_ABRT));
    wrong.fis[5] = 0x4F;
    wrong.fis[6] = 0xC3;
    CHECK(d.run(wrong).status == ata_bad(ATA_ERROR_ABRT));
    CHECK(d.run(smart(ATA_SMART_DISABLE)).status == ata_good);
    CHECK((word(d.identify(), 85) & 1) == 0);
    for (const std::uint32_t what : {0xD0, 0xD1, 0xD2, 0xD9, 0xDA}) {
        CHECK(d.run(smart(what)).status == ata_bad(ATA_ERROR_ABRT));
    }
    CHECK(d.run(smart(ATA_SMART_ENABLE)).status == ata_good);
    CHECK((word(d.identify(), 85) & 1) == 1);
    for (const std::uint32_t what : {0x00, 0xCF, 0xD3, 0xD4, 0xD5, 0xD6, 0xDB, 0xFF}) {
        CHECK(d.run(smart(what)).status == ata_bad(ATA_ERROR_ABRT));
    }
}

TEST_CASE("SMART says that a threshold is exceeded when the spare blocks are gone")
{
    ram_config c = sata_drive();
    bool worn = false;
    c.on_erase = [&worn](const nand_place&, const flash_desc&) { return worn; };
    c.on_program = [&worn](const nand_place&, const flash_desc&) { return worn; };
    ata_drive d(c);
    worn = true;
    std::uint16_t status = ata_good;
    for (int i = 0; i < 2000 && status == ata_good; ++i) {
        status = d.write(queued(ATA_WRITE_FPDMA_QUEUED, 0, i % 200 * 64, 64), 1, 64);
    }
    CHECK(status == (ATA_STATUS_GOOD | ATA_STATUS_ERR | ATA_STATUS_DF | ATA_ERROR_ABRT << 8));
    const host_completion r = d.run(smart(ATA_SMART_RETURN_STATUS));
    CHECK((r.result >> 8 & 0xFFFF) == 0x2CF4);
}

TEST_CASE("logs: directory, IDENTIFY DEVICE data, and pages that there are not")
{
    ata_drive d;
    const auto directory = d.page(ata(ATA_READ_LOG_EXT, ATA_LOG_DIRECTORY, 1));
    CHECK(word(directory, 0) == 1);
    for (std::size_t log = 1; log < 256; ++log) {
        CHECK(word(directory, log) == (log == 0x10 ? 1 : log == 0x30 ? 3 : 0));
    }
    CHECK(d.page(ata(ATA_READ_LOG_DMA_EXT, ATA_LOG_DIRECTORY, 1)) == directory);
    const auto all = d.page(ata(ATA_READ_LOG_EXT, ATA_LOG_IDENTIFY, 3), 3);
    CHECK(int{all[8]} == 3);
    CHECK(std::vector<std::uint8_t>(all.begin() + 512, all.begin() + 1024) == d.identify());
    CHECK(number(all, 1024, 8) == (1ull << 63 | 2u << 16 | 1));
    CHECK(number(all, 1032, 8) == (1ull << 63 | d.sectors()));
    const auto second = d.page(ata(ATA_READ_LOG_EXT, ATA_LOG_IDENTIFY | 2u << 8, 1));
    CHECK(second == std::vector<std::uint8_t>(all.begin() + 1024, all.end()));
    const auto status = [&d](std::uint64_t lba, std::uint32_t pages) {
        return d.run(ata(ATA_READ_LOG_EXT, lba, pages)).status;
    };
    CHECK(status(ATA_LOG_IDENTIFY, 4) == ata_bad(ATA_ERROR_ABRT));
    CHECK(status(ATA_LOG_IDENTIFY | 3u << 8, 1) == ata_bad(ATA_ERROR_ABRT));
    CHECK(status(ATA_LOG_IDENTIFY | std::uint64_t{1} << 32, 1) == ata_bad(ATA_ERROR_ABRT));
    CHECK(status(ATA_LOG_DIRECTORY, 2) == ata_bad(ATA_ERROR_ABRT));
    CHECK(status(ATA_LOG_QUEUE_ERROR | 1u << 8, 1) == ata_bad(ATA_ERROR_ABRT));
    CHECK(status(0x03, 1) == ata_bad(ATA_ERROR_ABRT));
    CHECK(status(ATA_LOG_DIRECTORY, 0) == ata_bad(ATA_ERROR_ABRT));
    for (int i = 0; i < 100; ++i) { // the buffers come back
        (void)d.page(ata(ATA_READ_LOG_EXT, ATA_LOG_IDENTIFY, 3), 3);
        CHECK(status(0x03, 1) == ata_bad(ATA_ERROR_ABRT));
    }
}

TEST_CASE("EXECUTE DEVICE DIAGNOSTIC returns the signature")
{
    ata_drive d;
    const host_completion c = d.run(ata(ATA_EXECUTE_DEVICE_DIAGNOSTIC));
    CHECK(c.status == (ATA_STATUS_GOOD | ATA_DIAGNOSTIC_PASSED << 8));
    CHECK(c.result == SFE_RESULT(1, 1));
    CHECK(d.run(ata(ATA_FLUSH_CACHE)).status == ata_good); // and only once
}

TEST_CASE("every other code is aborted, and the drive goes on")
{
    ata_drive d;
    const std::set<int> known = {0x06, 0x20, 0x24, 0x25, 0x2F, 0x30, 0x34, 0x35, 0x3D,
                                 0x40, 0x42, 0x47, 0x60, 0x61, 0x90, 0xB0, 0xC8, 0xCA,
                                 0xE0, 0xE1, 0xE2, 0xE3, 0xE5, 0xE7, 0xEA, 0xEC, 0xEF};
    for (int code = 0; code < 256; ++code) {
        if (known.count(code) == 0) {
            CAPTURE(code);
            CHECK(d.run(ata(static_cast<std::uint8_t>(code), 0, 1)).status ==
                  ata_bad(ATA_ERROR_ABRT));
        }
    }
    d.write(0, 8, 1);
    CHECK(d.tag_at(7) == 8);
}

} // namespace ssdvp::test::ata_pages_test
