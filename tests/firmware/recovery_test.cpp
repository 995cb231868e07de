// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints, journal, anchor and power-up (firmware/durable), against docs/SPEC.md and the
// promises in docs/powercut.md. Random cuts are the business of tests/powercut.
#include <algorithm>

#include "tests/firmware/flash_reader.h"
#include "tests/firmware/other_cells.h"

namespace ssdvp::test::recovery_test {
namespace {

std::uint64_t written(const ram_nand& nand)
{
    std::uint64_t operations = 0;
    for (int p = 0; p < FLASH_PURPOSES; ++p) {
        const auto& count = nand.count(static_cast<flash_purpose>(p));
        operations += count.programs + count.erases;
    }
    return operations;
}

constexpr std::size_t record_bytes = 104; // of the anchor record, without its lists

/// SPEC, section 5: the record in the last page, checked against its own sums and the drive.
void check_record(const std::vector<found_page>& pages, const boot_params& p, std::uint64_t clean)
{
    const std::string& r = pages.back().bytes;
    CHECK(r.substr(0, 4) == "SSDA");
    CHECK(number_at(r, 4, 4) == 3);
    std::string sealed = r.substr(0, record_bytes);
    std::fill_n(sealed.begin() + 8, 4, '\0');
    CHECK(number_at(r, 8, 4) == slow_crc32(sealed));
    CHECK(number_at(r, 12, 4) == clean);
    CHECK(number_at(r, 16, 8) == pages.back().index(0));
    CHECK(number_at(r, 24, 8) >= number_at(r, 32, 8)); // sequence, base
    const std::uint64_t luns = std::uint64_t{p.geometry.channels} * p.geometry.luns_per_channel;
    const std::vector<std::uint64_t> drive = {p.geometry.channels,
                                              p.geometry.luns_per_channel,
                                              p.geometry.planes,
                                              p.geometry.blocks_per_plane,
                                              p.geometry.pages_per_block,
                                              p.geometry.page_size,
                                              p.ftl.map_unit,
                                              p.ftl.scheme};
    for (std::size_t n = 0; n < drive.size(); ++n) {
        CHECK(number_at(r, 48 + 4 * n, 4) == drive[n]);
    }
    CHECK(number_at(r, 80, 8) == p.ftl.user_units);
    std::string before;
    for (std::size_t n = 0; n + 1 < pages.size(); ++n) {
        before += pages[n].bytes;
    }
    CHECK(number_at(r, 88, 4) == slow_crc32(before));
    // Tables: 8 bytes and a byte per LUN of each superblock, 4 streams; then the journal's page.
    const std::uint64_t tables = p.geometry.blocks_per_plane * (8 + luns) + 4 * (16 + luns * 4);
    CHECK(pages.size() == (tables + p.geometry.page_size - 1) / p.geometry.page_size + 2);
}

} // namespace

TEST_CASE("recovery: a fresh drive boots without writing anything, and so does the next boot")
{
    drive d(every_byte());
    CHECK(d.nand.counters().recovery_kind == 0);
    d.nand.settle();
    CHECK(written(d.nand) == 0);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 0);
    d.check_everything();
    d.nand.settle();
    CHECK(written(d.nand) == 0);
    d.check_rules();
}

TEST_CASE("recovery: a clean shutdown leaves nothing to scan, a write says first that it is over")
{
    std::vector<flash_purpose> programs;
    ram_config c = every_byte();
    c.on_point = [&](const flash_point& p) {
        if (p.op == FLASH_OP_PROGRAM && !p.ended) {
            programs.push_back(p.purpose);
        }
        return false;
    };
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    shut_down(d);
    const flash_reader flash(d.nand);
    const std::uint64_t number = flash.newest_record();
    check_record(flash.record(number, false), c.params, 1);
    check_record(flash.record(number, true), c.params, 1);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    CHECK(d.nand.counters().recovery_pages <= d.nand.boot_reads());
    // 6 blocks of 8 pages by bisection, newest records and tables; not a page of each superblock.
    CHECK(d.nand.boot_reads() <= 60);
    const std::uint64_t operations = written(d.nand);
    d.check_everything();
    d.nand.settle();
    CHECK(written(d.nand) == operations);
    programs.clear();
    d.start_write(0, 8, true);
    d.idle();
    REQUIRE(programs.size() >= 3);
    CHECK(programs[0] == FLASH_PURPOSE_RECOVERY);
    CHECK(std::find(programs.begin(), programs.end(), FLASH_PURPOSE_HOST) != programs.end());
    const flash_reader after(d.nand);
    check_record(after.record(number + 1, false), c.params, 0);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("recovery: as many checkpoints as intervals were programmed, and no more to replay")
{
    for (const std::uint64_t interval : {2048u, 4096u}) {
        ram_config c = tiny_drive();
        c.params.map.checkpoint_units = interval;
        drive d(c);
        d.create_queues();
        for (int round = 0; round < 8; ++round) {
            write_all(d, 0, d.sectors(), 32); // in whole write units of 4
        }
        flush(d);
        std::uint64_t programs = 0; // sequences: a multi-plane operation is one
        const telemetry& t = d.nand.counters();
        programs =
            (t.host_units_written + t.pad_units + t.gc_units_moved + t.map_units_written) / 4;
        const std::uint64_t due = interval / 4;
        INFO("interval " << interval << ", programs " << programs);
        // A map program may take less than a write unit; a checkpoint counts from its begin.
        CHECK(t.checkpoints >= programs / (due + due / 8));
        CHECK(t.checkpoints <= programs / due + programs / due / 8 + 1);
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 2);
        CHECK(d.nand.counters().recovery_programs <= 2 * due);
        d.check_everything();
        d.check_rules();
    }
}

// Power goes whenever a checkpoint is about to put its record down: it never ends.
TEST_CASE("recovery: a checkpoint that is late by an interval is made before the drive serves")
{
    constexpr std::uint64_t due = 512; // programs: units / 4
    constexpr std::uint64_t late = 2 * due;
    constexpr std::uint64_t most = 64;  // programs between losses of power
    std::uint64_t begun = 0, below = 0; // the longest replay that is not late
    bool armed = false, gone = false;
    ram_config c = tiny_drive();
    c.params.map.checkpoint_units = due * 4;
    c.impatient = true;
    c.on_point = [&](const flash_point& p) {
        const bool programs = armed && p.op == FLASH_OP_PROGRAM && !p.ended;
        begun += programs;
        gone = gone || (programs && (begun > most || p.purpose == FLASH_PURPOSE_RECOVERY));
        return armed && gone;
    };
    drive d(c);
    d.create_queues();
    std::uint64_t replayed = 0, lba = 0;
    for (int cycle = 0; cycle < 400 && replayed < late; ++cycle) {
        below = replayed;
        begun = 0;
        gone = false;
        armed = true;
        for (; !gone; lba = (lba + 32) % d.sectors()) {
            (void)d.start_write(lba, 32, true);
            (void)d.pump();
        }
        armed = false;
        power_cycle(d);
        replayed = d.nand.counters().recovery_programs;
        INFO(replayed << " replayed in cycle " << cycle);
        REQUIRE(d.nand.counters().recovery_kind == 2);
        REQUIRE(d.nand.counters().checkpoints == (replayed >= late ? 1 : 0));
    }
    CHECK(replayed >= late);
    CHECK(below + most >= late);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_programs < due);
    d.check_everything();
    d.check_rules();
    CHECK(d.mismatches == 0);
}

TEST_CASE("recovery: a shorter interval writes more maps and reads less at power-up")
{
    std::vector<std::uint64_t> maps, pages;
    for (const std::uint64_t interval : {512u, 2048u, 8192u}) {
        ram_config c = tiny_drive();
        c.params.map.checkpoint_units = interval;
        drive d(c);
        d.create_queues();
        for (int round = 0; round < 5; ++round) {
            write_all(d, 0, d.sectors(), 32);
        }
        flush(d);
        maps.push_back(d.nand.count(FLASH_PURPOSE_MAP).programs);
        power_cycle(d);
        pages.push_back(d.nand.counters().recovery_pages);
        d.check_everything();
    }
    CHECK(maps[0] > maps[1]);
    CHECK(maps[1] > maps[2]);
    CHECK(pages[0] < pages[2]);
    CHECK(pages[1] <= pages[2]);
}

TEST_CASE("recovery: journal units hold the ranges that were trimmed, and a flush waits for them")
{
    std::uint64_t journals = 0;
    ram_config c = every_byte();
    c.on_point = [&](const flash_point& p) {
        journals += p.op == FLASH_OP_PROGRAM && p.purpose == FLASH_PURPOSE_MAP && p.ended ? 1 : 0;
        return false;
    };
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    flush(d);
    REQUIRE(d.start_trim({{800, 80}, {4000, 8}}));
    d.drain();
    d.nand.settle();
    const std::uint64_t before = journals;
    REQUIRE(d.start_flush());
    while (d.completed == 0 || d.pump()) {
    }
    d.drain();
    CHECK(journals > before); // its program has ended when the flush completes
    const auto units = flash_reader(d.nand).newest(kind::journal);
    REQUIRE(units.size() == 1);
    const std::string& u = units.begin()->second.bytes;
    CHECK(u.substr(0, 4) == "SSDJ");
    CHECK(number_at(u, 4, 4) == 3);
    REQUIRE(number_at(u, 8, 4) == 2);
    CHECK(number_at(u, 12, 4) == 0);
    CHECK(number_at(u, 16, 8) == units.begin()->first);
    CHECK(number_at(u, 24, 8) == 100);
    CHECK(number_at(u, 32, 8) == 10);
    CHECK(number_at(u, 48, 8) == 500);
    CHECK(number_at(u, 56, 8) == 1);
    // Everything that was programmed by then is older.
    std::uint64_t newest = 0;
    for (const auto& unit : flash_reader(d.nand).newest(kind::data)) {
        newest = std::max(newest, unit.second.sequence);
    }
    CHECK(number_at(u, 40, 8) >= newest);
    CHECK(number_at(u, 40, 8) < units.begin()->second.sequence);
    power_cycle(d);
    CHECK(d.nand.counters().mapped == c.params.ftl.user_units - 11);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("recovery: journal units have numbers of their own after a shutdown, and after a cut")
{
    ram_config c = every_byte();
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    std::uint64_t last = 0;
    for (std::uint64_t n = 0; n < 6; ++n) {
        REQUIRE(d.start_trim({{800 * n, 80}}));
        flush(d);
        const auto units = flash_reader(d.nand).newest(kind::journal);
        REQUIRE_FALSE(units.empty());
        CHECK(units.rbegin()->first == last + 1); // older ones may be found beside it
        last = units.rbegin()->first;
        if (n % 2 != 0) {
            shut_down(d);
        }
        power_cycle(d);
    }
    d.check_everything();
    d.check_rules();
}

TEST_CASE("recovery: one copy of the anchor is enough, none is a refusal")
{
    ram_config c = every_byte();
    c.params.map.checkpoint_units = 1;
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    shut_down(d);
    const ram_image whole = d.nand.image();
    const flash_reader flash(d.nand);
    REQUIRE(flash.newest_record() > 6);
    for (int torn = 1; torn < 4; ++torn) { // the first copy, the last, both
        INFO("copies torn: " << torn);
        ram_image cells = whole;
        for (const bool last : {false, true}) {
            if ((torn & (last ? 2 : 1)) != 0) {
                for (const found_page& page : flash.pages) {
                    if (page.what(0) == kind::anchor && (flash.lun_of(page.at) != 0) == last) {
                        d.nand.pages_of(d.nand.block_of(cells, page.at)).torn[page.page] = 1;
                    }
                }
            }
        }
        d.nand.config.quiet = true;
        cut_and_insert(d, cells);
        if (torn == 3) {
            CHECK(d.nand.panicked());
            continue;
        }
        REQUIRE_FALSE(d.nand.panicked());
        REQUIRE(d.nand.enable());
        d.create_queues();
        CHECK(d.nand.counters().recovery_kind == 1);
        d.check_everything();
        d.check_rules();
    }
}

TEST_CASE("recovery: a record of a shutdown is not the last one if a later one is unreadable")
{
    drive d(every_byte());
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    shut_down(d);
    const std::uint64_t clean = flash_reader(d.nand).newest_record();
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    write_all(d, 0, 64, 16); // a record says that power is on, then there are programs
    flush(d);
    ram_image cells = d.nand.image();
    std::uint64_t later = 0;
    for (const found_page& page : flash_reader(d.nand).pages) {
        if (page.what(0) == kind::anchor && page.index(0) > clean) {
            d.nand.pages_of(d.nand.block_of(cells, page.at)).torn[page.page] = 1;
            ++later;
        }
    }
    CHECK(later > 0);
    cut_and_insert(d, cells);
    REQUIRE_FALSE(d.nand.panicked());
    REQUIRE(d.nand.enable());
    d.create_queues();
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
    CHECK(d.mismatches == 0);
    write_all(d, 0, d.sectors(), 16);
    d.check_rules();
}

TEST_CASE("recovery: cells of another drive are refused, with the reason")
{
    ram_config c = tiny_drive();
    drive d(c);
    d.create_queues();
    write_all(d, 0, 800, 16);
    shut_down(d);
    const ram_image cells = d.nand.image();
    ram_config other = c;
    other.params.ftl.user_units -= 128;
    other.quiet = true;
    drive foreign(other);
    cut_and_insert(foreign, cells);
    CHECK(foreign.nand.panicked());
    CHECK(foreign.nand.panic_text().find("boot failed") != std::string::npos);
    // Erased, it is a fresh drive.
    ram_image empty(cells.size());
    cut_and_insert(foreign, empty);
    CHECK_FALSE(foreign.nand.panicked());
}

TEST_CASE("recovery: a record of another version or geometry is refused, whichever number differs")
{
    drive d(every_byte());
    d.create_queues();
    write_all(d, 0, 800, 16);
    shut_down(d);
    const ram_image whole = d.nand.image();
    const flash_reader flash(d.nand);
    d.nand.config.quiet = true;
    // Version; channels, LUNs, planes, blocks, pages, page bytes, unit bytes, scheme, streams of
    // maps, stripe, units.
    for (const std::size_t at :
         {0u, 4u, 48u, 52u, 56u, 60u, 64u, 68u, 72u, 76u, 77u, 78u, 80u, 87u}) {
        INFO("byte " << at);
        ram_image cells = whole;
        for (const found_page& page : flash.pages) {
            if (page.what(0) == kind::anchor && page.bytes.substr(0, 4) == "SSDA") {
                std::string record = page.bytes.substr(0, record_bytes);
                record[at] = static_cast<char>(record[at] ^ (at == 0 ? 0 : 1));
                record.replace(8, 4, 4, '\0');
                const std::uint32_t crc = slow_crc32(record);
                std::memcpy(record.data() + 8, &crc, sizeof crc);
                ram_pages& now = d.nand.pages_of(d.nand.block_of(cells, page.at));
                const std::size_t first = std::size_t{page.page} * page.bytes.size();
                std::copy(record.begin(), record.end(),
                          now.data.begin() + static_cast<std::ptrdiff_t>(first));
            }
        }
        cut_and_insert(d, cells);
        CHECK(d.nand.panicked() == (at != 0)); // sealed anew and else as it was it is taken
        if (at != 0) {
            CHECK(d.nand.panic_text().find("boot failed") != std::string::npos);
        }
    }
}

TEST_CASE("recovery: a record that does not fit a block takes several")
{
    ram_config c = every_byte();
    c.params.geometry.pages_per_block = 2; // a page of tables, one of the journal, the record
    c.params.geometry.blocks_per_plane = 96;
    c.params.ftl.user_units = 64 * 32;
    c.params.map.checkpoint_units = 1;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        c.seed = seed;
        drive d(c);
        REQUIRE_FALSE(d.nand.panicked());
        d.create_queues();
        for (int round = 0; round < 3; ++round) {
            write_all(d, 0, d.sectors(), 8);
            flush(d);
            power_cycle(d);
            CHECK(d.nand.counters().recovery_kind == 2);
            d.check_everything();
        }
        shut_down(d);
        const flash_reader flash(d.nand);
        check_record(flash.record(flash.newest_record(), true), c.params, 1);
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 1);
        d.check_everything();
        d.check_rules();
    }
}

TEST_CASE(
    "recovery: blocks of the anchor that fail leave a copy out, then make the drive read only")
{
    unsigned luns_failing = 0;
    ram_config c = tiny_drive();
    c.params.map.checkpoint_units = 1;
    c.on_program = [&](const nand_place& p, const flash_desc& d) {
        const bool first = p.channel == 0 && p.lun == 0;
        const bool last = p.channel == 1 && p.lun == 1;
        return d.purpose == FLASH_PURPOSE_RECOVERY &&
               ((first && luns_failing > 0) || (last && luns_failing > 1));
    };
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    luns_failing = 1;
    for (int round = 0; round < 4; ++round) {
        write_all(d, 0, d.sectors(), 16);
    }
    CHECK(d.nand.counters().read_only == 0);
    flush(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
    luns_failing = 2;
    std::vector<std::uint8_t> data(4096, 1);
    for (int n = 0; n < 2000 && d.nand.counters().read_only == 0; ++n) {
        (void)d.nand.execute(1, io(NVME_IO_WRITE, 0, 8, true), &data);
    }
    CHECK(d.nand.counters().read_only == 1);
    CHECK_FALSE(d.nand.panicked());
}

/// Trims, writes and flushes, 16 at a time; false: some of them never end.
bool all_end(drive& d, std::mt19937_64& random, unsigned commands)
{
    unsigned open = 0;
    std::deque<std::vector<std::uint8_t>> data;
    for (unsigned n = 0; n < commands || open != 0;) {
        if (n < commands && open < 16) {
            const std::uint64_t lba = random() % (d.sectors() / 8) * 8;
            const std::uint8_t opcodes[] = {NVME_IO_WRITE, NVME_IO_WRITE_ZEROES, NVME_IO_FLUSH};
            data.emplace_back(4096);
            const nvme_sqe q = io(opcodes[random() % 3], lba, 8);
            if (d.nand.submit(1, q, &data.back()) >= 0) {
                ++n;
                ++open;
                continue;
            }
        }
        const bool moved = d.nand.step();
        host_completion c;
        for (; d.nand.completion(c); --open) {
        }
        if (!moved && open != 0) {
            return false;
        }
    }
    return true;
}

TEST_CASE("recovery: what waits for a record that no copy of the anchor takes ends all the same")
{
    ram_config c = tiny_drive();
    boot_params& p = c.params; // a journal of four units, which is soon full
    p.geometry.channels = p.geometry.luns_per_channel = p.geometry.planes = 1;
    p.geometry.blocks_per_plane = 64;
    p.geometry.pages_per_block = 4;
    p.geometry.page_size = p.ftl.map_unit = 512;
    p.geometry.oob_size = 16;
    p.ftl.user_units = 160;
    p.cache.capacity = p.host.mdts = 4096;
    p.map.checkpoint_units = 1;
    bool failing = false;
    c.on_program = [&](const nand_place&, const flash_desc& d) {
        return failing && d.purpose == FLASH_PURPOSE_RECOVERY;
    };
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    std::mt19937_64 random(GENERATE(1u, 2u, 3u, 4u));
    REQUIRE(all_end(d, random, 500));
    REQUIRE(d.nand.counters().read_only == 0);
    failing = true;
    CHECK(all_end(d, random, 4000));
    CHECK(d.nand.counters().read_only == 1);
    CHECK_FALSE(d.nand.panicked());
}

TEST_CASE("recovery: a flush of trims ends where no record lets a drive that was shut down program")
{
    bool failing = false;
    ram_config c = tiny_drive();
    c.on_program = [&](const nand_place&, const flash_desc& d) {
        return failing && d.purpose == FLASH_PURPOSE_RECOVERY;
    };
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    shut_down(d);
    power_cycle(d);
    REQUIRE(d.nand.counters().recovery_kind == 1);
    failing = true;
    const host_completion zeroed = d.nand.execute(1, io(NVME_IO_WRITE_ZEROES, 64, 64));
    CHECK(zeroed.status == NVME_SC_SUCCESS);
    const host_completion flushed = d.nand.execute(1, io(NVME_IO_FLUSH, 0, 1));
    CHECK(flushed.status == (NVME_SC_WRITE_FAULT | NVME_STATUS_DNR));
    CHECK(d.nand.counters().read_only == 1);
    CHECK_FALSE(d.nand.panicked());
}

TEST_CASE("recovery: what is trimmed between a clean power-up and a shutdown stays trimmed")
{
    drive d(tiny_drive());
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    shut_down(d);
    power_cycle(d);
    REQUIRE(d.nand.counters().recovery_kind == 1);
    REQUIRE(d.start_trim({{64, 64}}));
    d.idle();
    shut_down(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    d.check_everything();
    CHECK(d.mismatches == 0);
}

} // namespace ssdvp::test::recovery_test
