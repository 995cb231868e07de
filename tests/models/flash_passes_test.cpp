// SPDX-License-Identifier: Apache-2.0
//
// Word lines in two passes: the order, what refuses another one, how long each pass takes, what is
// to be read meanwhile, and what a power cut leaves. Parts of 2 bits per cell and 4 word lines, so
// that the order can be worked by hand: 0c 1c 0f 2c 1f 3c 2f 3f.
#include "models/flash/die/pass_order.h"
#include "tests/models/flash_bare_bus.h"
#include "tests/models/flash_bench.h"

namespace flash_passes_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr sim_time data_time(51200000); // ps
constexpr sim_time coarse = 800_us;
constexpr sim_time fine = 1700_us;
constexpr std::uint32_t bits = 2;
constexpr std::uint32_t pages = 8;

/// The passes of the whole block: word line, and is it the fine one?
const std::vector<std::pair<std::uint32_t, bool>> by_hand = {
    {0, false}, {1, false}, {0, true}, {2, false}, {1, true}, {3, false}, {2, true}, {3, true}};

channel_config two_pass()
{
    channel_config c = small_config();
    c.ecc_latency = sim_time();
    c.status_poll = false;
    c.die.cell = cell_type::mlc;
    c.die.geo.pages_per_block = pages;
    c.die.timing.tPROG_coarse = coarse;
    c.die.timing.tPROG_fine = fine;
    c.die.timing.slc = {20_us, 150_us, 4_ms};
    c.die.two_pass = true;
    return c;
}

flash_desc page_of(flash_op op, std::uint32_t page, std::uint32_t block = 1)
{
    flash_desc d = descriptor(op, page);
    d.block = block;
    d.page = page;
    d.buffer += std::uint64_t{page} << 14; // each page has data of its own
    return d;
}

int status_of(bench& b, const flash_desc& d)
{
    return b.execute(d).status;
}

int program(bench& b, std::uint32_t page, std::uint32_t block = 1)
{
    return status_of(b, page_of(FLASH_OP_PROGRAM, page, block));
}

void program_word_line(bench& b, std::uint32_t line)
{
    for (std::uint32_t i = 0; i < bits; ++i) {
        REQUIRE(program(b, line * bits + i) == FLASH_STATUS_OK);
    }
}

/// Into memory where no page comes from.
int read(bench& b, std::uint32_t page)
{
    flash_desc d = page_of(FLASH_OP_READ, page);
    d.buffer += 1u << 20;
    return status_of(b, d);
}

void fill(bench& b)
{
    for (std::uint32_t i = 0; i < pages << 14; ++i) {
        *b.memory.at(bench::data_base + i) = static_cast<unsigned char>(i * 7 + (i >> 14));
    }
}

sim_time lasts(bench& b, std::uint32_t page)
{
    const sim_time begin = now();
    b.submit(page_of(FLASH_OP_PROGRAM, page));
    b.run();
    CHECK(b.answers.at(page).status == FLASH_STATUS_OK);
    b.return_entries();
    return b.posted.at(page) - begin;
}

} // namespace

TEST_CASE("passes: the order of four word lines, and no other")
{
    const pass_order order(pages, bits);
    pass_counts had;
    for (const auto& [line, is_fine] : by_hand) {
        for (std::uint32_t in_line = 0; in_line < bits; ++in_line) {
            const std::uint32_t next = line * bits + in_line;
            for (std::uint32_t p = had.fine; p < pages; ++p) {
                INFO("page " << p << " where page " << next << " is due");
                CHECK((order.refusal(page_index(p), had) == nullptr) == (p == next));
            }
            REQUIRE(pass_order::is_fine(page_index(next), had) == is_fine);
            ++(is_fine ? had.fine : had.coarse);
        }
    }
    CHECK(had.coarse == pages);
    CHECK(had.fine == pages);
}

TEST_CASE("passes: a last word line of fewer pages ends the block")
{
    const pass_order order(5, bits);
    CHECK(order.ends_word_line(page_index(4)));
    CHECK(order.refusal(page_index(2), {5, 2, 2}) == nullptr);
    CHECK(order.refusal(page_index(4), {5, 4, 4}) == nullptr);
    CHECK(order.refusal(page_index(2), {4, 2, 2}) != nullptr); // page 4 has had no pass
}

TEST_CASE("passes: a word line's last page takes the time of its pass, those before it load")
{
    const cycle_timing timing = data_only_timing();
    bench b(two_pass(), &timing);
    fill(b);
    for (const auto& [line, is_fine] : by_hand) {
        CHECK(lasts(b, line * bits) == data_time + 500_ns);
        CHECK(lasts(b, line * bits + 1) == data_time + (is_fine ? fine : coarse));
    }
    for (std::uint32_t p = 0; p < pages; ++p) {
        CHECK(read(b, p) == FLASH_STATUS_OK);
    }
}

TEST_CASE("passes: what breaks the order is refused, and a fault by name")
{
    bench b(two_pass());
    fill(b);
    program_word_line(b, 0);
    CHECK(program(b, 0) == FLASH_STATUS_PHYSICS); // its fine pass: word line 1 is erased
    program_word_line(b, 1);
    CHECK(program(b, 4) == FLASH_STATUS_PHYSICS); // word line 2: word line 0 has had no fine pass
    CHECK(program(b, 1) == FLASH_STATUS_PHYSICS); // fine pass, second page first
    *b.memory.at(bench::data_base) ^= 1;
    CHECK(program(b, 0) == FLASH_STATUS_PHYSICS); // other data than in the coarse pass
    *b.memory.at(bench::data_base) ^= 1;
    CHECK(program(b, 0) == FLASH_STATUS_OK);
    CHECK(program(b, 0, 2) == FLASH_STATUS_PHYSICS); // the latches hold page 0 of block 1
    CHECK(program(b, 1) == FLASH_STATUS_OK);
    CHECK(program(b, 0, 2) == FLASH_STATUS_OK);
    b.expected_faults = 5;
    const std::vector<std::string> names = {
        "fine pass before the coarse pass of the next word line: plane 0 block 1 page 0",
        "coarse pass before the fine pass of the word line before the last: plane 0 block 1 page 4",
        "fine pass out of page order: plane 0 block 1 page 1",
        "fine pass with other data than the coarse pass: plane 0 block 1 page 0",
        "program while the latches hold a word line of another block: plane 0 block 2 page 0"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        CHECK(b.faults.faults()[i].what == names[i]);
    }
}

TEST_CASE("passes: a page between its passes is uncorrectable, an erase forgets it")
{
    bench b(two_pass());
    fill(b);
    CHECK(read(b, 0) == FLASH_STATUS_OK); // erased
    program_word_line(b, 0);
    CHECK(read(b, 0) == FLASH_STATUS_UNCORRECTABLE);
    program_word_line(b, 1);
    CHECK(program(b, 0) == FLASH_STATUS_OK);
    CHECK(read(b, 0) == FLASH_STATUS_UNCORRECTABLE); // loaded, not programmed
    CHECK(program(b, 1) == FLASH_STATUS_OK);
    CHECK(read(b, 0) == FLASH_STATUS_OK);
    CHECK(std::memcmp(b.memory.at(bench::data_base), b.memory.at(bench::data_base + (1u << 20)),
                      8) == 0); // its first tag
    CHECK(read(b, 2) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(status_of(b, page_of(FLASH_OP_ERASE, 0)) == FLASH_STATUS_OK);
    CHECK(read(b, 2) == FLASH_STATUS_OK);
    program_word_line(b, 0); // from the beginning
    CHECK(read(b, 0) == FLASH_STATUS_UNCORRECTABLE);
}

TEST_CASE("passes: a page counts as programmed once, by its fine pass")
{
    bench b(two_pass());
    fill(b);
    const auto counts = [&b] { return b.channel.stats().by_purpose[FLASH_PURPOSE_HOST]; };
    const auto of_lun = [&b] { return b.channel.lun(lun_index(0)).stats().programs; };
    program_word_line(b, 0);
    program_word_line(b, 1);
    CHECK(counts().programs == 0);
    CHECK(counts().bytes_programmed == 0);
    CHECK(of_lun() == 0);
    program_word_line(b, 0);
    CHECK(counts().programs == bits);
    CHECK(counts().bytes_programmed == std::uint64_t{bits} * page_of(FLASH_OP_PROGRAM, 0).length);
    CHECK(b.channel.stats().bytes_programmed == counts().bytes_programmed);
    CHECK(of_lun() == bits);
}

TEST_CASE("passes: a word line whose program fails leaves the latches to others")
{
    channel_config config = two_pass();
    config.die.errors.program_fail = 1.0; // drawn in the fine pass
    bench b(config);
    fill(b);
    program_word_line(b, 0);
    program_word_line(b, 1);
    CHECK(program(b, 0) == FLASH_STATUS_PROGRAM_FAIL);
    CHECK(program(b, 1) == FLASH_STATUS_PROGRAM_FAIL);
    CHECK(program(b, 0, 2) == FLASH_STATUS_OK); // another block's word line
    CHECK(program(b, 0) == FLASH_STATUS_PROGRAM_FAIL);
    CHECK(program(b, 1, 2) == FLASH_STATUS_OK);
}

TEST_CASE("passes: a read in the other mode is uncorrectable, and no fault")
{
    bench b(two_pass());
    fill(b);
    flash_desc in_slc = page_of(FLASH_OP_PROGRAM, 0, 2);
    in_slc.program_mode = FLASH_MODE_SLC;
    CHECK(status_of(b, in_slc) == FLASH_STATUS_OK);
    flash_desc back = page_of(FLASH_OP_READ, 0, 2);
    CHECK(status_of(b, back) == FLASH_STATUS_UNCORRECTABLE);
    for (const std::uint32_t line : {0u, 1u, 0u}) {
        program_word_line(b, line);
    }
    back = page_of(FLASH_OP_READ, 0);
    back.program_mode = FLASH_MODE_SLC;
    CHECK(status_of(b, back) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(read(b, 0) == FLASH_STATUS_OK);
}

TEST_CASE("passes: a block in SLC mode is programmed once, and no block changes over")
{
    bench b(two_pass());
    flash_desc d = page_of(FLASH_OP_PROGRAM, 0);
    d.program_mode = FLASH_MODE_SLC;
    CHECK(status_of(b, d) == FLASH_STATUS_OK);
    flash_desc back = page_of(FLASH_OP_READ, 0);
    back.program_mode = FLASH_MODE_SLC;
    CHECK(status_of(b, back) == FLASH_STATUS_OK);
    CHECK(program(b, 1) == FLASH_STATUS_PHYSICS);
    CHECK(program(b, 0, 2) == FLASH_STATUS_OK);
    CHECK(program(b, 1, 2) == FLASH_STATUS_OK);
    d.block = 2;
    d.page = 2;
    CHECK(status_of(b, d) == FLASH_STATUS_PHYSICS);
    b.expected_faults = 2;
}

TEST_CASE("passes: both are suspended between two of their loops")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = two_pass();
    config.die.program_loop = 100_us;
    config.die.erase.suspend_overhead = 20_us;
    config.die.suspend.programs = true;
    bench b(config, &timing);
    fill(b);
    for (const auto& [line, is_fine] : by_hand) {
        lasts(b, line * bits);
        const sim_time begin = now();
        b.submit(page_of(FLASH_OP_PROGRAM, line * bits + 1));
        b.run_to(begin + data_time + 250_us);
        flash_desc other = page_of(FLASH_OP_READ, 100);
        other.page = 0;
        other.block = 3;
        b.submit(other);
        b.run();
        CHECK(sim_time(b.answers.at(100).start_ns * 1000) ==
              begin + data_time + 300_us + 20_us); // the end of its third loop
        CHECK(b.posted.at(line * bits + 1) - begin ==
              data_time + (is_fine ? fine : coarse) + 20_us + 40_us + data_time);
        b.return_entries();
    }
}

namespace {

/// Faults of a read that comes so long before the coarse pass of a word line ends.
std::uint64_t faults_of_a_read(sim_time before)
{
    channel_config config = two_pass();
    config.luns = 2;
    config.bus = {data_interface::sdr5, rate()};
    bare_bus b("bare", config);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    onfi::extension g;
    g.first = onfi::PROGRAM_1;
    g.second = onfi::PROGRAM_2;
    g.column_cycles = 2;
    g.row_cycles = 3;
    b.send(g);
    b.run_to(now() + 1_ms);
    g.page = page_index(1);
    b.run_to(b.send(g) + 100_ns + coarse - before);
    while (sc_core::sc_pending_activity_at_current_time()) { // edges are of this instant
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    b.send(read_page());
    return b.faults.count();
}

} // namespace

TEST_CASE("passes: the LUN takes its next command when the pass has ended")
{
    CHECK(faults_of_a_read(sim_time()) == 0);
}

TEST_CASE("passes: ... and not 1 ps before")
{
    CHECK(faults_of_a_read(1_ps) != 0);
}

TEST_CASE("passes: a power cut between them loses the word line, not the one before")
{
    const cycle_timing timing = data_only_timing();
    bench b(two_pass(), &timing);
    fill(b);
    for (const std::uint32_t line : {0u, 1u, 0u}) {
        program_word_line(b, line);
    }
    CHECK(program(b, 4) == FLASH_STATUS_OK); // loaded for the coarse pass of word line 2
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    b.channel.power_off();
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    b.answers.clear();
    b.setup_rings(bench::ring_entries);
    CHECK(read(b, 0) == FLASH_STATUS_OK);
    CHECK(read(b, 1) == FLASH_STATUS_OK);
    for (std::uint32_t p = 2; p < 5; ++p) {
        CHECK(read(b, p) == FLASH_STATUS_UNCORRECTABLE);
    }
    CHECK(read(b, 5) == FLASH_STATUS_OK); // erased
    CHECK(b.channel.lun(lun_index(0)).cells().torn_pages() == 1);
    CHECK(program(b, 5) == FLASH_STATUS_OK); // the page counts as programmed ...
    program_word_line(b, 1);
    CHECK(program(b, 4) == FLASH_STATUS_PHYSICS); // ... and its data are gone
    b.expected_faults = 1;
}

TEST_CASE("passes: a power cut in the fine pass tears all pages of the word line")
{
    const cycle_timing timing = data_only_timing();
    bench b(two_pass(), &timing);
    fill(b);
    program_word_line(b, 0);
    program_word_line(b, 1);
    CHECK(program(b, 0) == FLASH_STATUS_OK);
    const sim_time begin = now();
    b.submit(page_of(FLASH_OP_PROGRAM, 1));
    b.run_to(begin + data_time + fine - 1_ps);
    b.channel.power_off();
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    b.answers.clear();
    b.setup_rings(bench::ring_entries);
    CHECK(read(b, 0) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(read(b, 1) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(b.channel.lun(lun_index(0)).cells().torn_pages() == 2);
}

} // namespace flash_passes_test
