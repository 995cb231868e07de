// SPDX-License-Identifier: Apache-2.0
//
// Parity on the bus: what crosses it with the data of a page, by hand, and by how much that makes
// each kind of transfer longer.
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "models/flash/channel/ecc/code_words.h"
#include "tests/models/flash_bench.h"

namespace flash_code_words_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr std::uint64_t oob_at = bench::data_base + 0x800000;

/// 16 code words of 1 KiB and 2208 spare bytes, 40 of them firmware's.
channel_config with_parity(std::uint32_t parity = 2168)
{
    channel_config c = small_config();
    c.die.geo.oob_size = 2208;
    c.die.stored_oob = 40;
    c.ecc_latency = sim_time();
    c.ecc.parity = parity;
    return c;
}

sim_time data_time(std::uint64_t bytes)
{
    return cycle_timing(small_config().bus).data(bytes, false);
}

flash_desc on_page(flash_op op, std::uint32_t column, std::uint32_t length, bool spare = false)
{
    flash_desc d = descriptor(op, 1);
    d.column = column;
    d.length = length;
    d.oob = spare ? oob_at : 0;
    d.oob_length = spare ? 40 : 0;
    return d;
}

/// How long the operations take on an idle channel, all given to it at once; 0 when one fails.
sim_time run_on_bench(const channel_config& config, const std::vector<flash_desc>& ops)
{
    bench b(config);
    const sim_time begin = now();
    sim_time end;
    bool ok = true;
    for (const flash_desc& d : ops) {
        b.put(d);
    }
    b.ring();
    b.run();
    for (const flash_desc& d : ops) {
        ok = ok && b.answers.at(d.tag).status == FLASH_STATUS_OK;
        end = later(end, b.posted.at(d.tag));
    }
    return ok && b.faults.count() == 0 ? end - begin : sim_time();
}

/// The same in a process of its own: SystemC simulates once in each.
sim_time lasts(const channel_config& config, const std::vector<flash_desc>& ops)
{
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const std::uint64_t ps = run_on_bench(config, ops).ps();
        ::_exit(::write(ends[1], &ps, sizeof ps) == sizeof ps ? 0 : 1);
    }
    ::close(ends[1]);
    std::uint64_t ps = 0;
    const bool told = ::read(ends[0], &ps, sizeof ps) == sizeof ps;
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    REQUIRE((told && ps != 0));
    return sim_time(ps);
}

/// By how much parity makes the operations longer.
sim_time added(const std::vector<flash_desc>& ops, channel_config config = with_parity())
{
    const sim_time with = lasts(config, ops);
    config.ecc_parity = false;
    const sim_time without = lasts(config, ops);
    config.ecc_parity = true;
    config.ecc.parity = 0;
    CHECK(lasts(config, ops) == without); // a page that has no code
    return with - without;
}

std::vector<flash_desc> several(flash_desc d, std::uint32_t pages, std::uint32_t from = 0)
{
    std::vector<flash_desc> all;
    for (std::uint32_t i = 0; i < pages; ++i) {
        d.page = from + i;
        d.tag = static_cast<std::uint16_t>(i);
        all.push_back(d);
    }
    return all;
}

} // namespace

TEST_CASE("code words: bytes beside the data, by hand")
{
    const code_words page(with_parity());
    CHECK(page.beside(0, 16384) == 2168);
    CHECK(page.beside(0, 4096) == 542); // 4 of 16 words: 2168 / 4
    CHECK(page.beside(12288, 4096) == 542);
    CHECK(page.beside(0, 1024) == 136);         // 135.5, rounded up
    CHECK(page.beside(1024, 512) == 512 + 136); // the other half of the word, too
    CHECK(page.beside(1536, 512) == 512 + 136);
    CHECK(page.beside(512, 1024) == 1024 + 271); // halves of two words
    CHECK(page.beside(8, 16) == 1008 + 136);     // what firmware reads of a page of its own
    CHECK(page.beside(0, 0) == 0);

    channel_config other = with_parity();
    other.ecc.codeword = 4096;
    CHECK(code_words(other).beside(4096, 512) == 3584 + 542);
    other.die.geo.page_size = 512; // smaller than a word: it is the word
    other.ecc.parity = 69;
    CHECK(code_words(other).beside(0, 512) == 69);
    other.ecc_parity = false;
    CHECK(code_words(other).beside(0, 512) == 0);
    CHECK(code_words(with_parity(0)).beside(512, 512) == 0); // no code, no words
}

// 80h and five address cycles, tADL, data with parity and firmware's 40 bytes, 10h, tWB.
TEST_CASE("a page of data and parity on the wire: 16,384 + 2,208 bytes, to the picosecond")
{
    bench b(with_parity());
    const sim_time t = now();
    b.submit(on_page(FLASH_OP_PROGRAM, 0, 16384, true));
    const sim_time wire = data_time(16384 + 2208);
    CHECK(wire == sim_time(15493334)); // 9296 cycles of 5/3 ns, rounded up
    const sim_time fall = t + 6 * 25_ns + 70_ns + wire + 25_ns + 100_ns;
    b.run_to(fall - sim_time(1));
    CHECK(b.channel.rb(lun_index(0)).read());
    b.run_to(fall);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    CHECK_FALSE(b.channel.rb(lun_index(0)).read());
    b.run();
    b.return_entries();

    // 00h, five address cycles, 30h, tWB, tR, tRR, the same bytes.
    const sim_time begin = now();
    const channel_stats before = b.channel.stats();
    b.interrupts = 0;
    b.submit(on_page(FLASH_OP_READ, 0, 16384, true));
    const sim_time end = begin + 7 * 25_ns + 100_ns + 40_us + 20_ns + wire;
    b.run_to(end - sim_time(1));
    CHECK(b.interrupts == 0);
    b.run_to(end);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    CHECK(b.interrupts == 1);
    CHECK(b.channel.stats().busy - before.busy == 7 * 25_ns + 20_ns + wire);
    CHECK(b.channel.stats().bytes_read - before.bytes_read == 16384);
    CHECK(b.channel.stats().bytes_programmed == 16384);
}

TEST_CASE("parity of the code words that cross: whole pages, units, parts of a word")
{
    for (const flash_op op : {FLASH_OP_PROGRAM, FLASH_OP_READ}) {
        CAPTURE(op);
        CHECK(added({on_page(op, 0, 16384)}) == data_time(16384 + 2168) - data_time(16384));
        CHECK(added({on_page(op, 4096, 4096)}) == data_time(4096 + 542) - data_time(4096));
        CHECK(added({on_page(op, 512, 512)}) == data_time(1024 + 136) - data_time(512));
    }
}

TEST_CASE("spare bytes apart from the data stay what they are: parity goes with its word")
{
    for (const spare_layout layout : {spare_layout::interleaved, spare_layout::page_end}) {
        channel_config config = with_parity();
        config.spare = layout;
        const std::uint32_t with_data = layout == spare_layout::interleaved ? 40 : 0;
        for (const flash_op op : {FLASH_OP_PROGRAM, FLASH_OP_READ}) {
            CAPTURE(op, with_data);
            CHECK(added({on_page(op, 0, 8192, true)}, config) ==
                  data_time(8192 + with_data + 1084) - data_time(8192 + with_data));
        }
    }
}

TEST_CASE("what is no code word has no parity: spare bytes alone, registers, status")
{
    CHECK(added({on_page(FLASH_OP_READ, 0, 0, true)}) == sim_time());
    flash_desc parameters = descriptor(FLASH_OP_PARAMETER_PAGE, 1);
    parameters.length = 256;
    CHECK(added({parameters}) == sim_time());
    flash_desc feature = descriptor(FLASH_OP_SET_FEATURES, 1);
    feature.column = 0x10;
    feature.length = 4;
    CHECK(added({feature}) == sim_time());
    CHECK(added({descriptor(FLASH_OP_ERASE, 1)}) == sim_time());
    channel_config polled = with_parity();
    polled.poll_period = 1_us;
    CHECK(added({descriptor(FLASH_OP_ERASE, 1)}, polled) == sim_time());
}

TEST_CASE("multi-plane: each plane's page has its parity")
{
    const sim_time page = data_time(16384 + 2168) - data_time(16384);
    for (const flash_op op : {FLASH_OP_PROGRAM, FLASH_OP_READ}) {
        CAPTURE(op);
        flash_desc d = on_page(op, 0, 16384);
        d.plane_mask = 0b1111;
        CHECK(added({d}) == 4 * page);
    }
}

TEST_CASE("copyback: parity stays in the part, but for pages whose data go out to be checked")
{
    flash_desc d = on_page(FLASH_OP_COPYBACK, 0, 0);
    d.to_block = 1;
    CHECK(added({d}) == sim_time());
    d.oob = oob_at;
    d.oob_length = 40; // firmware's words of the new page
    CHECK(added({d}) == sim_time());
    d.length = 16384;
    CHECK(added({d}) == data_time(16384 + 2168) - data_time(16384));
}

// n pages: tR + n (tRCBSY + max(tR, transfer)) but for the last array time
// (docs/models/channel.md).
TEST_CASE(
    "cache read and cache program: each transfer has its parity, hidden behind a longer array")
{
    channel_config config = with_parity();
    config.use_cache = true;
    config.die.timing.tRCBSY = config.die.timing.tCBSY = 3_us;
    const sim_time page = data_time(16384 + 2168) - data_time(16384);
    const auto reads = several(on_page(FLASH_OP_READ, 0, 16384), 8);
    config.die.timing.tR = {5_us}; // shorter than a transfer: the bus decides
    CHECK(added(reads, config) == 8 * page);
    config.die.timing.tR = {40_us}; // longer: but for the last page, whose transfer stands alone
    CHECK(added(reads, config) == page);
    const auto programs = several(on_page(FLASH_OP_PROGRAM, 0, 16384), 8);
    config.die.timing.tPROG = {200_us}; // the first page's data come in before anything programs
    CHECK(added(programs, config) == page);
    config.die.timing.tPROG = {5_us};
    CHECK(added(programs, config) == 8 * page);
}

// Four LUNs whose arrays are quick: the bus is the bottleneck, and a page of it is command and
// address cycles, tRR and the bytes on the wire.
TEST_CASE("parity takes its share of a bus that is the bottleneck")
{
    channel_config config = with_parity();
    config.die.timing.tR = {5_us};
    std::vector<flash_desc> reads;
    for (unsigned i = 0; i < 400; ++i) {
        flash_desc d = on_page(FLASH_OP_READ, 0, 16384);
        d.lun = static_cast<std::uint8_t>(i % 4);
        d.tag = static_cast<std::uint16_t>(i);
        reads.push_back(d);
    }
    const auto seconds = [&](bool parity) {
        config.ecc_parity = parity;
        return static_cast<double>(lasts(config, reads).ps());
    };
    const auto formula = [](std::uint64_t bytes) {
        return static_cast<double>((7 * 25_ns + 20_ns + data_time(bytes)).ps());
    };
    const double with = seconds(true);
    const double without = seconds(false);
    CHECK(with / 400 == Approx(formula(16384 + 2168)).epsilon(0.02));
    CHECK(without / 400 == Approx(formula(16384)).epsilon(0.02));
    CHECK(with / without == Approx(formula(16384 + 2168) / formula(16384)).epsilon(1e-3));
}

} // namespace flash_code_words_test
