// SPDX-License-Identifier: Apache-2.0
//
// Errors on their way through the channel: the code decides by count, in time, and what it cannot
// correct reaches memory wrong, with a status.
#include "models/flash/channel/ecc/ecc_code.h"
#include "models/flash/channel/ecc/page_decoder.h"
#include "models/flash/die/operation_times.h"
#include "tests/models/flash_bench.h"

namespace flash_ecc_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

/// About 33 wrong bits in each code word, without any change by time.
channel_config erring(data_mode mode)
{
    channel_config c = small_config();
    c.die.data = mode;
    c.die.cell = cell_type::slc;
    c.die.errors.rber = 0.004;
    c.die.errors.retry_gain = {0.25};
    c.die.timing.tR_retry = 70_us;
    return c;
}

/// Wrong bits by code word that the first read of block 1, page 0 on die 0 meets.
std::vector<std::uint32_t> first_read(const channel_config& c, std::uint32_t words)
{
    error_model m(c.die, die_index(0));
    const page_noise noise = m.sense(worn_at(1, 0, 0), 0, sim_time());
    std::vector<std::uint32_t> counts;
    for (std::uint32_t w = 0; w < words; ++w) {
        counts.push_back(bits_in_word(noise, w, c.ecc.codeword));
    }
    return counts;
}

std::uint32_t worst_of(const std::vector<std::uint32_t>& counts)
{
    return *std::max_element(counts.begin(), counts.end());
}

std::uint32_t total_of(const std::vector<std::uint32_t>& counts)
{
    std::uint32_t sum = 0;
    for (const std::uint32_t n : counts) {
        sum += n;
    }
    return sum;
}

flash_desc on_block_1(flash_op op, unsigned tag)
{
    flash_desc d = descriptor(op, tag);
    d.block = 1;
    return d;
}

/// Programs 4 KiB of known bytes and reads them back into clean memory.
struct round_trip {
    flash_completion read;
    sim_time took; // of the read: R/B# and bus included
    std::vector<unsigned char> was;
    std::vector<unsigned char> is;

    explicit round_trip(bench& b, std::uint8_t retry = 0)
    {
        for (std::uint32_t i = 0; i < 4096; ++i) {
            *b.memory.at(bench::data_base + i) = static_cast<unsigned char>(i * 37 + 11);
        }
        was.assign(b.memory.at(bench::data_base), b.memory.at(bench::data_base) + 4096);
        REQUIRE(b.execute(on_block_1(FLASH_OP_PROGRAM, 1)).status == FLASH_STATUS_OK);
        std::memset(b.memory.at(bench::data_base), 0, 4096);
        flash_desc d = on_block_1(FLASH_OP_READ, 2);
        d.retry = retry;
        const sim_time begin = now();
        read = b.execute(d);
        took = b.posted.at(2) - begin;
        is.assign(b.memory.at(bench::data_base), b.memory.at(bench::data_base) + 4096);
    }
    [[nodiscard]] std::uint32_t wrong_bits(std::uint32_t word) const
    {
        std::uint32_t n = 0;
        for (std::uint32_t i = word * 1024; i < (word + 1) * 1024; ++i) {
            n += static_cast<std::uint32_t>(
                __builtin_popcount(static_cast<unsigned>(was[i] ^ is[i])));
        }
        return n;
    }
    [[nodiscard]] bool sector_right(std::uint32_t sector) const
    {
        return std::memcmp(was.data() + sector * 512, is.data() + sector * 512, tag_size) == 0;
    }
};

/// 7 cycles of 25 ns, tWB, array, tRR and 4 KiB at 1200 MT/s, as the plain read of this bench.
sim_time read_time(const channel_config& c, sim_time array)
{
    const cycle_timing timing(c.bus);
    onfi::extension command;
    command.first = onfi::READ_1;
    command.second = onfi::READ_2;
    command.column_cycles = 2;
    command.row_cycles = 3;
    onfi::extension out;
    out.data_out = true;
    return timing.group(command, 0) + timing.times().tWB + array + timing.group(out, 4096);
}

} // namespace

TEST_CASE("codes at their edge: t bits are corrected, t + 1 are not")
{
    ecc_config c;
    c.correctable = 40;
    c.soft_correctable = {60, 80};
    CHECK(ecc_bch().decode(c, 40).result == ecc_result::corrected);
    CHECK(ecc_bch().decode(c, 41).result == ecc_result::uncorrectable);
    CHECK(ecc_none().decode(c, 0).result == ecc_result::corrected);
    CHECK(ecc_none().decode(c, 1).result == ecc_result::unnoticed);
    const auto steps = [&](std::uint32_t bits) { return ecc_ldpc().decode(c, bits).soft_steps; };
    CHECK(steps(40) == 0);
    CHECK(steps(41) == 1);
    CHECK(steps(60) == 1);
    CHECK(steps(61) == 2);
    CHECK(steps(80) == 2);
    CHECK(ecc_ldpc().decode(c, 80).result == ecc_result::corrected);
    CHECK(steps(81) == 2); // tried in vain
    CHECK(ecc_ldpc().decode(c, 81).result == ecc_result::uncorrectable);
    CHECK(&find_ecc_code(ecc_kind::ldpc) == &ecc_ldpc());
    CHECK(&find_ecc_code(ecc_kind::bch) == &ecc_bch());
    CHECK(&find_ecc_code(ecc_kind::none) == &ecc_none());
}

TEST_CASE("full data: as strong as the worst code word needs, all bytes are right")
{
    channel_config c = erring(data_mode::full);
    const auto counts = first_read(c, 4);
    c.ecc.correctable = worst_of(counts);
    bench b(c);
    const round_trip r(b);
    CHECK(worst_of(counts) > 20);
    CHECK(r.read.status == FLASH_STATUS_OK);
    CHECK(r.read.corrected_bits == total_of(counts));
    CHECK(r.is == r.was);
    CHECK(r.took == read_time(c, 40_us) + 1_us);
    CHECK(b.channel.stats().corrected_bits == total_of(counts));
    CHECK(b.channel.stats().uncorrectable == 0);
}

TEST_CASE("full data: one bit weaker, the worst code word stays wrong and the status says so")
{
    channel_config c = erring(data_mode::full);
    const auto counts = first_read(c, 4);
    c.ecc.correctable = worst_of(counts) - 1;
    bench b(c);
    const round_trip r(b);
    CHECK(r.read.status == FLASH_STATUS_UNCORRECTABLE);
    CHECK(r.read.plane_fail == 1);
    CHECK(b.channel.stats().uncorrectable == 1);
    for (std::uint32_t w = 0; w < 4; ++w) {
        CHECK(r.wrong_bits(w) == (counts[w] == worst_of(counts) ? counts[w] : 0));
    }
}

TEST_CASE("tag data: the same code word fails, and its sectors' tags are wrong")
{
    channel_config c = erring(data_mode::tag);
    const auto counts = first_read(c, 4);
    c.ecc.correctable = worst_of(counts) - 1;
    bench b(c);
    const round_trip r(b);
    CHECK(r.read.status == FLASH_STATUS_UNCORRECTABLE);
    for (std::uint32_t sector = 0; sector < 8; ++sector) {
        CHECK(r.sector_right(sector) == (counts[sector / 2] != worst_of(counts)));
    }
}

TEST_CASE("without a code the drawn bits are wrong in the bytes, and nobody notices")
{
    channel_config c = erring(data_mode::full);
    c.ecc.kind = ecc_kind::none;
    const auto counts = first_read(c, 4);
    bench b(c);
    const round_trip r(b);
    CHECK(r.read.status == FLASH_STATUS_OK);
    CHECK(r.read.corrected_bits == 0);
    for (std::uint32_t w = 0; w < 4; ++w) {
        CHECK(r.wrong_bits(w) == counts[w]);
    }
}

TEST_CASE("soft steps cost their latency, to the picosecond")
{
    channel_config c = erring(data_mode::full);
    const std::uint32_t worst = worst_of(first_read(c, 4));
    c.ecc.kind = ecc_kind::ldpc;
    c.ecc.correctable = worst - 2;
    c.ecc.soft_correctable = {worst - 1, worst};
    c.ecc.soft_latency = {sim_time(30000001), sim_time(45000003)};
    bench b(c);
    const round_trip r(b);
    CHECK(r.read.status == FLASH_STATUS_OK);
    CHECK(r.is == r.was);
    CHECK(r.took == read_time(c, 40_us) + 1_us + sim_time(75000004));
    CHECK(b.channel.stats().soft_decodes == 2);
}

TEST_CASE("ldpc: as many soft steps as limits are passed, and the time of each")
{
    channel_config c = small_config();
    c.ecc_latency = 1_us;
    c.ecc.kind = ecc_kind::ldpc;
    c.ecc.correctable = 40;
    c.ecc.soft_correctable = {60, 70, 90};
    c.ecc.soft_latency = {30_us, 50_us, 110_us};
    struct row {
        std::uint16_t bits;
        std::uint32_t steps;
        sim_time latency;
        bool fails;
    };
    // The sums of the steps: 30, 80, 190 us behind the hard decision; at each limit and one beyond.
    const row rows[] = {{40, 0, 1_us, false},   {41, 1, 31_us, false}, {60, 1, 31_us, false},
                        {61, 2, 81_us, false},  {70, 2, 81_us, false}, {71, 3, 191_us, false},
                        {90, 3, 191_us, false}, {91, 3, 191_us, true}};
    for (const row& r : rows) {
        CAPTURE(r.bits);
        page_decoder decoder(c);
        onfi::extension group;
        decoder.prepare(group);
        group.bit_errors = r.bits + 5u;
        group.word_errors[0] = 5; // the worst code word decides
        group.word_errors[1] = r.bits;
        std::vector<unsigned char> bytes(2 * c.ecc.codeword);
        page_piece piece;
        piece.to = bytes.data();
        piece.length = 2 * c.ecc.codeword;
        const page_decoder::outcome got = decoder.decode(group, piece);
        CHECK(got.soft_steps == r.steps);
        CHECK(got.latency == r.latency);
        CHECK(got.uncorrectable == r.fails);
        CHECK(got.corrected_bits == (r.fails ? 5u : r.bits + 5u));
    }
    c.ecc.soft_latency = {30_us}; // one time for all three steps
    page_decoder decoder(c);
    onfi::extension torn;
    torn.torn = true;
    CHECK(decoder.decode(torn, {}).latency == 91_us);
}

TEST_CASE("read retry: each level divides the errors by its own gain, and senses for tR_retry")
{
    channel_config c = erring(data_mode::full);
    c.die.errors.retry_gain = {0.5, 0.25, 0.125};
    error_model m(c.die, die_index(0));
    const auto rate = [&](std::uint32_t level) {
        return m.sense(worn_at(1, 0, 0), level, sim_time()).rber;
    };
    CHECK(rate(0) == Approx(0.004));
    CHECK(rate(1) == Approx(0.002));
    CHECK(rate(2) == Approx(0.001));
    CHECK(rate(3) == Approx(0.0005));
    const operation_times times(c.die, cycle_times{});
    CHECK(times.read(page_index(0), 0, FLASH_MODE_NORMAL) == 40_us);
    for (const std::uint32_t level : {1u, 2u, 3u}) {
        CHECK(times.read(page_index(0), level, FLASH_MODE_NORMAL) == 70_us);
    }
    bench b(c);
    b.execute(on_block_1(FLASH_OP_PROGRAM, 1));
    for (std::uint8_t level = 1; level <= 3; ++level) {
        flash_desc d = on_block_1(FLASH_OP_READ, 1u + level);
        d.retry = level;
        const sim_time begin = now();
        CHECK(b.execute(d).status == FLASH_STATUS_OK);
        CHECK(b.posted.at(1u + level) - begin == read_time(c, 70_us) + 1_us);
    }
    CHECK(b.channel.stats().retries == 3);
}

TEST_CASE("a read retry senses at its own time, with fewer errors")
{
    channel_config c = erring(data_mode::full);
    bench b(c);
    const round_trip r(b, 1);
    CHECK(r.read.status == FLASH_STATUS_OK);
    CHECK(r.took == read_time(c, 70_us) + 1_us);
    CHECK(r.read.corrected_bits < total_of(first_read(c, 4)) / 2);
    CHECK(r.read.corrected_bits > 0);
    CHECK(b.channel.stats().retries == 1);
    flash_desc d = on_block_1(FLASH_OP_READ, 3);
    d.retry = 2; // the part has one level
    CHECK(b.execute(d).status == FLASH_STATUS_BAD_DESCRIPTOR);
    d = on_block_1(FLASH_OP_ERASE, 4);
    d.retry = 1;
    CHECK(b.execute(d).status == FLASH_STATUS_BAD_DESCRIPTOR);
    b.expected_faults = 2;
}

TEST_CASE("erased pages have no errors, and each read is counted against its block")
{
    bench b(erring(data_mode::tag));
    CHECK(b.execute(on_block_1(FLASH_OP_READ, 1)).corrected_bits == 0);
    round_trip r(b);
    const error_model& errors = *b.channel.lun(lun_index(0)).cells().errors();
    CHECK(errors.history(worn_at(1, 0, 0), 0, now()).reads == 1);
    const std::uint32_t bits = r.read.corrected_bits;
    CHECK(b.execute(on_block_1(FLASH_OP_READ, 3)).corrected_bits != bits); // new noise
    CHECK(errors.history(worn_at(1, 0, 0), 0, now()).reads == 2);
    CHECK(b.execute(on_block_1(FLASH_OP_ERASE, 4)).status == FLASH_STATUS_OK);
    CHECK(errors.history(worn_at(1, 0, 1), 0, now()).reads == 0);
}

TEST_CASE("the suspends of an erase stay with its block")
{
    channel_config c = erring(data_mode::tag);
    c.die.suspend.kind = suspend_kind::immediate;
    bench b(c);
    b.submit(on_block_1(FLASH_OP_ERASE, 1));
    for (unsigned i = 0; i < 3; ++i) {
        b.run_to(sim_time((1 + 2 * i) * 1000000000ull));
        b.submit(descriptor(FLASH_OP_READ, 2 + i));
    }
    b.run();
    CHECK(b.answers.at(1).suspends == 3);
    CHECK(b.channel.lun(lun_index(0))
              .cells()
              .errors()
              ->history(worn_at(1, 0, 1), 0, now())
              .suspends == 3);
    CHECK(b.channel.lun(lun_index(0))
              .cells()
              .errors()
              ->history(worn_at(2, 0, 1), 0, now())
              .suspends == 0);
}

TEST_CASE("a program fails with its probability, and the block is bad from then on")
{
    channel_config c = small_config();
    c.die.errors.program_fail = 1.0;
    bench b(c);
    CHECK(b.execute(on_block_1(FLASH_OP_PROGRAM, 1)).status == FLASH_STATUS_PROGRAM_FAIL);
    CHECK(b.execute(on_block_1(FLASH_OP_ERASE, 2)).status == FLASH_STATUS_ERASE_FAIL);
    CHECK(b.execute(descriptor(FLASH_OP_ERASE, 3)).status == FLASH_STATUS_OK);
    CHECK(b.channel.lun(lun_index(0)).cells().programmed(plane_index(0), block_index(1)) == 0);
}

TEST_CASE("an erase fails with its probability")
{
    channel_config c = small_config();
    c.die.errors.erase_fail = 1.0;
    bench b(c);
    CHECK(b.execute(on_block_1(FLASH_OP_ERASE, 1)).status == FLASH_STATUS_ERASE_FAIL);
    CHECK(b.execute(descriptor(FLASH_OP_PROGRAM, 2)).status == FLASH_STATUS_OK);
}

TEST_CASE("failures come as often as they should, and preconditioning is spared")
{
    die_config c = small_config().die;
    c.geo = {1, 10000, 1, 4096, 64};
    c.errors.program_fail = 0.02;
    c.errors.erase_fail = 0.05;
    c.pe_cycles = 7;
    cell_array cells(c, "cells", nullptr, die_index(0));
    page_register page(4096, 16);
    page.begin(data_form::tags);
    unsigned programs = 0;
    unsigned erases = 0;
    unsigned spared = 0;
    for (std::uint32_t b = 0; b < 5000; ++b) {
        programs += cells.program(page_at(0, b, 0), page) == FLASH_STATUS_PROGRAM_FAIL ? 1 : 0;
        erases += cells.erase(page_at(0, b + 5000, 0)) == FLASH_STATUS_ERASE_FAIL ? 1 : 0;
    }
    CHECK(programs == Approx(100).margin(50));
    CHECK(erases == Approx(250).margin(80));
    cell_array old(c, "old", nullptr, die_index(1));
    for (std::uint32_t b = 0; b < 10000; ++b) {
        const cell_address a = page_at(0, b, 0);
        spared += old.program(a, page, {cell_access::functional}) == FLASH_STATUS_OK &&
                          old.erase(a, cell_access::functional) == FLASH_STATUS_OK
                      ? 1
                      : 0;
    }
    CHECK(spared == 10000);
    CHECK(old.erase_count(plane_index(0), block_index(0)) == 8); // nand.pe_cycles and this one
}

} // namespace flash_ecc_test
