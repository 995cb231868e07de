// SPDX-License-Identifier: Apache-2.0
//
// Functional mode: the same contents and verdicts as the timed mode, at once.
#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "models/common/rng.h"
#include "tests/models/flash_bench.h"

namespace flash_functional_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr std::uint64_t source = bench::data_base;
constexpr std::uint64_t sink = bench::data_base + 0x400000;
constexpr std::uint64_t oob_source = bench::data_base + 0x800000;
constexpr std::uint64_t oob_sink = bench::data_base + 0x810000;

/// A random but legal life, the same for each LUN.
void live(bench& b, unsigned lun, bool functional)
{
    b.channel.set_functional(functional);
    rng random(42);
    std::array<std::uint32_t, 8> next{};
    for (unsigned i = 0; i < 300; ++i) {
        const auto block = static_cast<std::uint32_t>(random.below(8));
        flash_desc d = descriptor(FLASH_OP_PROGRAM, i, lun);
        d.plane_mask = 0b0101;
        d.block = block;
        d.page = next[block];
        d.length = 16384;
        d.buffer = source;
        d.oob = oob_source;
        d.oob_length = 16;
        const bool mixed = random.chance(0.3);
        for (std::uint32_t s = 0; s < 64; ++s) {
            const std::uint64_t tag = make_tag(i * 64 + s, mixed ? 1 + s % 2 : 1 + i);
            std::memcpy(b.memory.at(source + s * sector_size), &tag, sizeof tag);
        }
        std::memset(b.memory.at(oob_source), static_cast<int>(i & 0xFF), 32);
        if (next[block] == 12) {
            d.op = FLASH_OP_ERASE;
            next[block] = 0;
        } else {
            ++next[block];
        }
        b.submit(d);
        if (functional) {
            CHECK(b.channel.idle());
            b.reap();
        } else {
            b.run();
        }
        b.return_entries();
        REQUIRE(b.answers.at(d.tag).status == FLASH_STATUS_OK);
    }
    b.channel.set_functional(false);
}

/// Everything the LUN holds, read by the timed mode.
std::vector<unsigned char> contents(bench& b, unsigned lun)
{
    std::vector<unsigned char> all;
    for (std::uint32_t block = 0; block < 8; ++block) {
        for (std::uint32_t page = 0; page < 12; ++page) {
            flash_desc d = descriptor(FLASH_OP_READ, 1, lun);
            d.plane_mask = 0xF;
            d.block = block;
            d.page = page;
            d.length = 16384;
            d.buffer = sink;
            d.oob = oob_sink;
            d.oob_length = 16;
            b.execute(d);
            b.return_entries();
            all.insert(all.end(), b.memory.at(sink), b.memory.at(sink) + 4 * 16384);
            all.insert(all.end(), b.memory.at(oob_sink), b.memory.at(oob_sink) + 64);
        }
    }
    return all;
}

/// Partial pages: LUN 0 in timed mode, LUN 1 in functional mode, the same programs.
void check_same(data_mode mode)
{
    channel_config config = small_config();
    config.die.data = mode;
    config.luns = 2;
    bench b(config);
    rng random(7);
    for (std::uint32_t page = 0; page < 12; ++page) {
        for (unsigned lun = 0; lun < 2; ++lun) {
            b.channel.set_functional(lun == 1);
            flash_desc d = descriptor(FLASH_OP_PROGRAM, lun, lun);
            d.plane_mask = 0b0110;
            d.page = page;
            d.length = 8192;
            d.column = page % 3 * 4096;
            d.oob = oob_source;
            d.oob_length = 16;
            if (lun == 0) {
                for (std::uint32_t i = 0; i < 2 * 8192; ++i) {
                    *b.memory.at(source + i) = static_cast<unsigned char>(random.below(256));
                }
            }
            b.submit(d);
            b.run();
            b.reap();
            b.return_entries();
        }
    }
    b.channel.set_functional(false);
    std::array<std::vector<unsigned char>, 2> all;
    for (unsigned lun = 0; lun < 2; ++lun) {
        for (std::uint32_t page = 0; page < 12; ++page) {
            flash_desc d = descriptor(FLASH_OP_READ, 3, lun);
            d.plane_mask = 0xF;
            d.page = page;
            d.length = 16384;
            d.buffer = sink;
            std::memset(b.memory.at(sink), 0, 4 * 16384);
            b.execute(d);
            b.return_entries();
            all[lun].insert(all[lun].end(), b.memory.at(sink), b.memory.at(sink) + 4 * 16384);
        }
    }
    CHECK(all[0] == all[1]);
    CHECK(std::count(all[0].begin(), all[0].end(), 0xFF) > 0);
    CHECK(std::count(all[0].begin(), all[0].end(), 0x5A) > 0); // the comparison saw data
}

} // namespace

TEST_CASE("functional programs leave the contents of timed ones: tag")
{
    check_same(data_mode::tag);
}

TEST_CASE("functional programs leave the contents of timed ones: full")
{
    check_same(data_mode::full);
}

TEST_CASE("a long functional life leaves what a timed one leaves")
{
    bench b(small_config());
    live(b, 1, false);
    const sim_time timed_end = now();
    CHECK(timed_end > sim_time());
    live(b, 2, true);
    CHECK(now() == timed_end);
    const auto timed = contents(b, 1);
    CHECK(timed.size() == 8 * 12 * (4 * 16384 + 64));
    CHECK(timed == contents(b, 2));
    CHECK(timed != contents(b, 3));
    std::uint64_t mixed_runs = b.channel.lun(lun_index(1)).cells().contents().pooled_pieces();
    CHECK(mixed_runs > 0);
    CHECK(mixed_runs == b.channel.lun(lun_index(2)).cells().contents().pooled_pieces());
    for (std::uint32_t block = 0; block < 8; ++block) {
        CHECK(b.channel.lun(lun_index(1)).cells().erase_count(plane_index(0), block_index(block)) ==
              b.channel.lun(lun_index(2)).cells().erase_count(plane_index(0), block_index(block)));
    }
}

TEST_CASE("functional reads, verdicts and counters")
{
    bench b(small_config());
    b.channel.set_functional(true);
    const std::uint64_t tag = make_tag(77, 5);
    std::memcpy(b.memory.at(bench::data_base), &tag, sizeof tag);
    CHECK(b.status_of(descriptor(FLASH_OP_PROGRAM, 1)) == FLASH_STATUS_OK);
    flash_desc d = descriptor(FLASH_OP_READ, 2);
    d.buffer = sink;
    CHECK(b.status_of(d) == FLASH_STATUS_OK);
    CHECK(std::memcmp(b.memory.at(sink), &tag, sizeof tag) == 0);
    CHECK(b.status_of(descriptor(FLASH_OP_PROGRAM, 3)) == FLASH_STATUS_PHYSICS);
    d.lun = 9;
    d.tag = 4;
    CHECK(b.status_of(d) == FLASH_STATUS_BAD_DESCRIPTOR);
    CHECK(b.status_of(descriptor(FLASH_OP_ERASE, 5)) == FLASH_STATUS_OK);
    b.expected_faults = 2;
    CHECK(now() == sim_time());
    CHECK(b.interrupts == 0);
    CHECK(b.memory.transfers == 0);
    const channel_stats s = b.channel.stats();
    CHECK(s.by_purpose[FLASH_PURPOSE_PRECONDITION].programs == 2);
    CHECK(s.by_purpose[FLASH_PURPOSE_PRECONDITION].reads == 1);
    CHECK(s.by_purpose[FLASH_PURPOSE_PRECONDITION].erases == 1);
    CHECK(s.by_purpose[FLASH_PURPOSE_HOST].programs == 0);
    CHECK(s.bytes_programmed == 0);
}

TEST_CASE("the mode changes only when the channel is idle")
{
    bench b(small_config());
    b.submit(descriptor(FLASH_OP_READ, 1));
    CHECK_THROWS_AS(b.channel.set_functional(true), std::logic_error);
    b.run();
    b.channel.set_functional(true);
    b.channel.set_functional(false);
}

TEST_CASE("functional programs: more than 2 million 16 KiB pages per second")
{
    channel_config config = small_config();
    config.die.geo = {4, 200, 2304, 16384, 2208};
    config.luns = 1;
    bench b(config);
    b.channel.set_functional(true);
    b.write(CHANNEL_REG_INT_ENABLE, 0);
    for (std::uint32_t s = 0; s < 128; ++s) {
        const std::uint64_t tag = make_tag(s, 1);
        std::memcpy(b.memory.at(source + s * sector_size), &tag, sizeof tag);
    }
    const std::clock_t begin =
        std::clock(); // processor time: other work on the machine is not ours
    std::uint64_t pages = 0;
    for (std::uint32_t block = 0; block < 60; ++block) {
        for (std::uint32_t page = 0; page < 2304; ++page) {
            flash_desc d = descriptor(FLASH_OP_PROGRAM, 1);
            d.plane_mask = 0xF;
            d.block = block;
            d.page = page;
            d.length = 16384;
            d.oob = oob_source;
            d.oob_length = 16;
            b.put(d);
            pages += 4;
            if (page % 64 == 63) {
                b.ring();
                b.reap();
                b.return_entries();
            }
        }
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double rate = static_cast<double>(pages) / seconds;
    INFO("functional pages/s: " << rate);
    CHECK(b.answers.at(1).status == FLASH_STATUS_OK);
#ifdef NDEBUG
    CHECK(rate > 2e6);
#endif
}

} // namespace flash_functional_test
