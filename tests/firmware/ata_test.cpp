// SPDX-License-Identifier: Apache-2.0
//
// ATA commands in firmware: data, errors, features, power. ACS-2; Serial ATA 3.x section 13.6.
#include <set>

#include "tests/firmware/ata_bench.h"

namespace ssdvp::test::ata_test {
namespace {

std::vector<std::uint8_t> ranges(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& list,
                                 std::uint32_t blocks = 1)
{
    std::vector<std::uint8_t> bytes(std::size_t{blocks} * 512);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::uint64_t entry = list[i].first | std::uint64_t{list[i].second} << 48;
        std::memcpy(bytes.data() + 8 * i, &entry, sizeof entry);
    }
    return bytes;
}

std::uint16_t trim(ata_drive& d, std::vector<std::uint8_t> bytes)
{
    const auto blocks = static_cast<std::uint32_t>(bytes.size() / 512);
    return d.run(ata(ATA_DATA_SET_MANAGEMENT, 0, blocks, ATA_DSM_TRIM), &bytes).status;
}

std::uint32_t power_mode(ata_drive& d)
{
    const host_completion c = d.run(ata(ATA_CHECK_POWER_MODE));
    REQUIRE(c.status == ata_good);
    return static_cast<std::uint32_t>(c.result >> 48);
}

} // namespace

TEST_CASE("every command that writes, and every one that reads, finds the same sectors")
{
    ata_drive d;
    const std::vector<sata_fe_request> writes = {queued(ATA_WRITE_FPDMA_QUEUED, 31, 64, 16),
                                                 queued(ATA_WRITE_FPDMA_QUEUED, 5, 64, 16, true),
                                                 ata(ATA_WRITE_DMA_EXT, 64, 16),
                                                 ata(ATA_WRITE_DMA_FUA_EXT, 64, 16),
                                                 ata(ATA_WRITE_SECTORS_EXT, 64, 16),
                                                 with_lba28(ATA_WRITE_DMA, 64, 16),
                                                 with_lba28(ATA_WRITE_SECTORS, 64, 16)};
    const std::vector<sata_fe_request> reads = {
        queued(ATA_READ_FPDMA_QUEUED, 31, 61, 21), ata(ATA_READ_DMA_EXT, 61, 21),
        ata(ATA_READ_SECTORS_EXT, 61, 21), with_lba28(ATA_READ_DMA, 61, 21),
        with_lba28(ATA_READ_SECTORS, 61, 21)};
    std::uint64_t tag = 1000;
    for (const sata_fe_request& w : writes) {
        CAPTURE(int{w.fis[2]});
        tag += 100;
        REQUIRE(d.write(w, tag, 16) == ata_good);
        std::vector<std::uint8_t> expected(21 * 512);
        const std::vector<std::uint8_t> written = ata_drive::tagged(tag, 16);
        std::copy(written.begin(), written.end(), expected.begin() + 3 * 512);
        for (const sata_fe_request& r : reads) {
            std::vector<std::uint8_t> data(21 * 512);
            REQUIRE(d.run(r, &data).status == ata_good);
            CHECK(data == expected);
        }
    }
    CHECK(d.nand.counters().host_units_written != 0);
}

TEST_CASE("28 bits of address and a count of 0 mean what they should")
{
    ram_config c = sata_drive();
    c.params.host.mdts = 131072;
    ata_drive d(c);
    std::vector<std::uint8_t> data = ata_drive::tagged(5000, 256);
    REQUIRE(d.run(with_lba28(ATA_WRITE_DMA, 512, 0), &data).status == ata_good); // 256 sectors
    CHECK(d.tag_at(512) == 5000);
    CHECK(d.tag_at(767) == 5255);
    CHECK(d.tag_at(768) == 0);
    // Bits 27..24 stand in the device field, bits 47..24 do not count.
    sata_fe_request r = with_lba28(ATA_READ_DMA, 512, 1);
    r.fis[8] = 0x12;
    data.resize(512);
    CHECK(d.run(r, &data).status == ata_good);
    CHECK(number(data, 0, 8) == 5000);
    CHECK(d.run(with_lba28(ATA_READ_DMA, 0x1000000, 1)).status == ata_bad(ATA_ERROR_IDNF));
}

TEST_CASE("what a range may not be: beyond the end, too long, by cylinders")
{
    ata_drive d;
    const std::uint64_t end = d.sectors();
    std::vector<std::uint8_t> data(65536);
    for (const std::uint8_t code :
         {std::uint8_t{ATA_READ_FPDMA_QUEUED}, std::uint8_t{ATA_WRITE_FPDMA_QUEUED}}) {
        CHECK(d.run(queued(code, 2, end - 1, 1), &data).status == ata_good);
        CHECK(d.run(queued(code, 2, end, 1)).status == ata_bad(ATA_ERROR_IDNF));
        CHECK(d.run(queued(code, 2, end - 1, 2)).status == ata_bad(ATA_ERROR_IDNF));
        CHECK(d.run(queued(code, 2, 0xFFFFFFFFFFFF, 8)).status == ata_bad(ATA_ERROR_IDNF));
        CHECK(d.run(queued(code, 2, 0, 128), &data).status == ata_good); // the largest transfer
        CHECK(d.run(queued(code, 2, 0, 129)).status == ata_bad(ATA_ERROR_ABRT));
        CHECK(d.run(queued(code, 2, 0, 0)).status == ata_bad(ATA_ERROR_ABRT)); // 65536
    }
    sata_fe_request chs = ata(ATA_READ_DMA_EXT, 0, 1);
    chs.fis[7] = 0;
    CHECK(d.run(chs).status == ata_bad(ATA_ERROR_ABRT));
    CHECK(d.run(ata(ATA_READ_VERIFY_EXT, end, 1)).status == ata_bad(ATA_ERROR_IDNF));
    CHECK(d.nand.broken().empty());
}

TEST_CASE("a sector that cannot be read: UNC, and the address of the first one")
{
    ram_config c = sata_drive();
    std::uint32_t wrong = ~0u; // page
    c.on_read = [&wrong](const nand_place&, const flash_desc& r) {
        return ram_config::read_result{r.page == wrong && r.op == FLASH_OP_READ, 0, false};
    };
    ata_drive d(c);
    for (std::uint64_t lba = 0; lba < 1024; lba += 64) {
        d.write(lba, 64, 10 + lba);
    }
    REQUIRE(d.run(ata(ATA_FLUSH_CACHE_EXT)).status == ata_good);
    std::set<std::uint64_t> lost;
    wrong = 0;
    std::vector<std::uint8_t> data(512);
    for (std::uint64_t lba = 0; lba < 1024; ++lba) {
        const host_completion r = d.run(queued(ATA_READ_FPDMA_QUEUED, 9, lba, 1), &data);
        if (r.status != ata_good) {
            CHECK(r.status == ata_bad(ATA_ERROR_UNC));
            CHECK((r.result & SFE_RESULT_LBA) == lba);
            lost.insert(lba);
        }
    }
    REQUIRE(lost.size() >= 16);
    REQUIRE(lost.size() < 1024);
    data.resize(65536);
    for (std::uint64_t lba = 0; lba < 1024; lba += 128) {
        const auto first = lost.lower_bound(lba);
        const bool hit = first != lost.end() && *first < lba + 128;
        for (const sata_fe_request& q :
             {ata(ATA_READ_DMA_EXT, lba, 128), ata(ATA_READ_VERIFY_EXT, lba, 128)}) {
            const host_completion r = d.run(q, &data);
            CHECK(r.status == (hit ? ata_bad(ATA_ERROR_UNC) : ata_good));
            CHECK((r.result & SFE_RESULT_LBA) == (hit ? *first : 0));
        }
    }
    CHECK((d.nand.panicked() ? d.nand.panic_text() : "") == "");
}

TEST_CASE("TRIM: ranges of 8 bytes, fillers, blocks, and what is wrong with them")
{
    ata_drive d;
    d.write(0, 128, 100);
    d.write(128, 128, 300);
    CHECK(trim(d, ranges({{8, 8}, {0, 0}, {64, 16}, {136, 8}})) == ata_good);
    for (const auto& [lba, tag] :
         std::vector<std::pair<std::uint64_t, std::uint64_t>>{{7, 107},
                                                              {8, 0},
                                                              {15, 0},
                                                              {16, 116},
                                                              {63, 163},
                                                              {64, 0},
                                                              {79, 0},
                                                              {80, 180},
                                                              {135, 307},
                                                              {136, 0},
                                                              {143, 0},
                                                              {144, 316}}) {
        CAPTURE(lba);
        CHECK(d.tag_at(lba) == tag);
    }
    // All 256 places of four blocks.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> many;
    for (std::uint32_t i = 0; i < 256; ++i) {
        many.emplace_back(255 - i, 1);
    }
    CHECK(trim(d, ranges(many, 4)) == ata_good);
    CHECK(d.tag_at(0) == 0);
    CHECK(d.tag_at(255) == 0);
    d.write(0, 8, 500);
    CHECK(trim(d, ranges({{d.sectors(), 1}})) == ata_bad(ATA_ERROR_IDNF));
    CHECK(trim(d, ranges({{0, 8}, {d.sectors() - 1, 2}})) == ata_bad(ATA_ERROR_IDNF));
    CHECK(d.tag_at(0) == 500); // nothing of it
    CHECK(trim(d, ranges({{d.sectors() - 8, 8}})) == ata_good);
    CHECK(d.run(ata(ATA_DATA_SET_MANAGEMENT, 0, 1, 0)).status == ata_bad(ATA_ERROR_ABRT));
    CHECK(d.run(ata(ATA_DATA_SET_MANAGEMENT, 0, 0, 1)).status == ata_bad(ATA_ERROR_ABRT));
    CHECK(d.run(ata(ATA_DATA_SET_MANAGEMENT, 0, 5, 1)).status == ata_bad(ATA_ERROR_ABRT));
}

TEST_CASE("a drive without trim refuses it, and says so")
{
    ram_config c = sata_drive();
    c.params.host.trim = 0;
    ata_drive d(c);
    CHECK(trim(d, ranges({{0, 8}})) == ata_bad(ATA_ERROR_ABRT));
    const auto id = d.identify();
    CHECK(word(id, 169) == 0);
    CHECK(word(id, 69) == 0);
    CHECK(word(id, 105) == 0);
}

TEST_CASE("what was flushed, or written through, outlives a power cut")
{
    ata_drive d;
    d.write(0, 64, 700);
    REQUIRE(d.run(ata(ATA_FLUSH_CACHE_EXT)).status == ata_good);
    d.write(64, 8, 800, true);
    REQUIRE(d.write(ata(ATA_WRITE_DMA_FUA_EXT, 72, 8), 808, 8) == ata_good);
    d.nand.power_cut();
    d.nand.power_on();
    d.nand.enable();
    for (std::uint64_t lba = 0; lba < 64; ++lba) {
        CHECK(d.tag_at(lba) == 700 + lba);
    }
    CHECK(d.tag_at(64) == 800);
    CHECK(d.tag_at(79) == 815);
    // Without the cache every write is.
    CHECK(d.feature(ATA_FEATURE_NO_WRITE_CACHE) == ata_good);
    d.write(200, 8, 900);
    d.nand.power_cut();
    d.nand.power_on();
    d.nand.enable();
    CHECK(d.tag_at(207) == 907);
    CHECK(d.nand.broken().empty());
}

TEST_CASE("disabling the write cache flushes it first")
{
    ata_drive d;
    d.write(0, 64, 700);
    CHECK(d.feature(ATA_FEATURE_NO_WRITE_CACHE) == ata_good);
    d.nand.power_cut();
    d.nand.power_on();
    d.nand.enable();
    CHECK(d.tag_at(0) == 700);
    CHECK(d.tag_at(63) == 763);
}

TEST_CASE("STANDBY IMMEDIATE: power-up has nothing to look for, and any access wakes")
{
    ata_drive d;
    for (std::uint64_t lba = 0; lba < 4096; lba += 64) {
        d.write(lba, 64, 10000 + lba);
    }
    CHECK(power_mode(d) == 0xFF);
    REQUIRE(d.run(ata(ATA_FLUSH_CACHE_EXT)).status == ata_good);
    const ram_image dirty = d.nand.image();
    REQUIRE(d.run(ata(ATA_STANDBY_IMMEDIATE)).status == ata_good);
    CHECK(power_mode(d) == 0x00);
    REQUIRE(d.run(ata(ATA_STANDBY_IMMEDIATE)).status == ata_good); // again
    const ram_image clean = d.nand.image();
    d.nand.power_cut();
    d.nand.power_on();
    d.nand.enable();
    const std::uint64_t reads_clean = d.nand.boot_reads();
    CHECK(d.tag_at(4095) == 14095);
    d.nand.power_cut();
    d.nand.insert(dirty);
    d.nand.power_on();
    d.nand.enable();
    CHECK(d.nand.boot_reads() > reads_clean);
    CHECK(d.tag_at(4095) == 14095);
    // Work after the stop takes its promise back.
    REQUIRE(d.run(ata(ATA_STANDBY)).status == ata_good);
    d.write(0, 64, 50);
    CHECK(power_mode(d) == 0xFF);
    REQUIRE(d.run(ata(ATA_FLUSH_CACHE)).status == ata_good);
    d.nand.power_cut();
    d.nand.power_on();
    d.nand.enable();
    CHECK(d.tag_at(63) == 113);
    CHECK(d.run(ata(ATA_IDLE_IMMEDIATE)).status == ata_good);
    CHECK(d.run(ata(ATA_IDLE)).status == ata_good);
    CHECK(power_mode(d) == 0xFF);
    CHECK(d.nand.broken().empty());
}

TEST_CASE("commands with a note are refused, log page 10h opens a stopped queue")
{
    ata_drive d;
    std::vector<std::uint8_t> data(512, 0xEE);
    for (const std::uint32_t note : {SFE_NOTE_MIXED, SFE_NOTE_TAG, SFE_NOTE_STOPPED}) {
        for (sata_fe_request r :
             {ata(ATA_FLUSH_CACHE_EXT), queued(ATA_READ_FPDMA_QUEUED, 0, 0, 1),
              ata(ATA_IDENTIFY_DEVICE), ata(ATA_READ_LOG_EXT, ATA_LOG_DIRECTORY, 1)}) {
            r.notes = note;
            CHECK(d.run(r, &data).status == ata_bad(ATA_ERROR_ABRT));
        }
    }
    CHECK(data[0] == 0xEE);
    d.nand.set_fe_register(SFE_REG_QUEUE_ERROR,
                           SFE_QUEUE_ERROR_STOPPED | 21u | 0x51u << 8 | 0x40u << 16);
    d.nand.set_fe_register(SFE_REG_ERROR_LBA_LO, 0x87654321);
    d.nand.set_fe_register(SFE_REG_ERROR_LBA_HI, 0xABCD);
    for (const std::uint8_t code :
         {std::uint8_t{ATA_READ_LOG_EXT}, std::uint8_t{ATA_READ_LOG_DMA_EXT}}) {
        sata_fe_request r = ata(code, ATA_LOG_QUEUE_ERROR, 1);
        r.notes = SFE_NOTE_MIXED;
        CHECK(d.run(r, &data).status == ata_bad(ATA_ERROR_ABRT));
        r.notes = SFE_NOTE_STOPPED;
        const host_completion c = d.run(r, &data);
        CHECK(c.status == ata_good);
        CHECK((c.flags & SFE_MOVE_CLEAN) != 0);
        CHECK(int{data[0]} == 21);
        CHECK(int{data[2]} == 0x51);
        CHECK(int{data[3]} == 0x40);
        CHECK(number(data, 4, 3) == 0x654321);
        CHECK(number(data, 8, 3) == 0xABCD87);
        CHECK(sum(data) == 0);
    }
    d.nand.set_fe_register(SFE_REG_QUEUE_ERROR, SFE_QUEUE_ERROR_STOPPED | SFE_QUEUE_ERROR_SINGLE);
    CHECK(int{d.page(ata(ATA_READ_LOG_EXT, ATA_LOG_QUEUE_ERROR, 1))[0]} == 0x80);
}

TEST_CASE("a reset keeps what SET FEATURES set, unless the host wanted it otherwise")
{
    ata_drive d;
    const auto enabled = [&d] { return word(d.identify(), 85) & 0x61; };
    const auto reset = [&d] {
        d.nand.write_cc(0);
        d.nand.settle();
        CHECK(d.nand.csts() == 0);
        d.nand.enable();
    };
    d.write(0, 8, 42);
    CHECK(enabled() == 0x21); // SMART, write cache
    CHECK(d.feature(ATA_FEATURE_NO_WRITE_CACHE) == ata_good);
    CHECK(d.run(smart(ATA_SMART_DISABLE)).status == ata_good);
    CHECK(d.feature(ATA_FEATURE_SATA, ATA_SATA_AUTO_ACTIVATE) == ata_good);
    reset();
    CHECK(enabled() == 0);
    CHECK(word(d.identify(), 79) == 0x44);
    CHECK(d.nand.get_fe_register(SFE_REG_OPTIONS) == SFE_OPTIONS_AUTO_ACTIVATE);
    CHECK(d.feature(ATA_FEATURE_NO_SATA, ATA_SATA_PRESERVATION) == ata_good);
    CHECK(word(d.identify(), 79) == 0x04);
    reset();
    CHECK(enabled() == 0x21);
    CHECK(word(d.identify(), 79) == 0x40);
    CHECK(d.nand.get_fe_register(SFE_REG_OPTIONS) == 0);
    CHECK(d.tag_at(7) == 49);
}

TEST_CASE("a reset under load takes the commands, not the data that were acknowledged")
{
    ata_drive d;
    for (std::uint64_t lba = 0; lba < 512; lba += 64) {
        d.write(lba, 64, 3000 + lba);
    }
    std::vector<std::vector<std::uint8_t>> data(32, ata_drive::tagged(77, 64));
    for (int round = 0; round < 20; ++round) {
        for (std::uint32_t tag = 0; tag < 32; ++tag) {
            const bool writes = tag % 3 == 0;
            d.nand.submit_ata(queued(writes ? ATA_WRITE_FPDMA_QUEUED : ATA_READ_FPDMA_QUEUED, tag,
                                     writes ? 1024 + tag * 64 : tag % 8 * 64, 64),
                              &data[tag]);
        }
        for (int i = 0; i < round * 3; ++i) {
            d.nand.step();
        }
        d.nand.write_cc(0);
        d.nand.settle();
        d.nand.enable();
        host_completion c;
        while (d.nand.completion(c)) {
        }
    }
    for (std::uint64_t lba = 0; lba < 512; ++lba) {
        REQUIRE(d.tag_at(lba) == 3000 + lba);
    }
    CHECK(d.nand.broken().empty());
    CHECK_FALSE(d.nand.panicked());
}

} // namespace ssdvp::test::ata_test
