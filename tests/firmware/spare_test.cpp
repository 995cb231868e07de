// SPDX-License-Identifier: Apache-2.0
//
// Check sums and the spare words of a page (firmware/space/spare.h).
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" {
#include "firmware/lib/crc.h"
#include "firmware/space/spare.h"
#include "models/regs/choices/cache_policy.h"
}
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test::spare_test {
namespace {

/// Enough of an environment for the functions under test.
struct surroundings {
    geometry geo{};
    hal_ops ops{};
    hal port{&ops, nullptr, nullptr, nullptr, 0};
    env e{};

    surroundings(std::uint32_t slots, std::uint32_t planes)
    {
        geo.page_units = slots;
        geo.planes = planes;
        e.geo = &geo;
        e.hal = &port;
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
    }
};

} // namespace

TEST_CASE("check sums: the check values of their catalogue")
{
    CHECK(slow_crc16("123456789") == 0x29B1);
    CHECK(slow_crc32("123456789") == 0xCBF43926);
    CHECK(crc32(CRC32_START, "123456789", 9) == 0xCBF43926);
    // In two pieces as in one.
    CHECK(crc32(crc32(CRC32_START, "12345", 5), "6789", 4) == 0xCBF43926);
}

TEST_CASE("check sums: a word at a time is as bit by bit")
{
    std::mt19937_64 random(16);
    for (std::uint32_t count = 1; count <= 33; ++count) {
        std::vector<std::uint64_t> words(count);
        for (int round = 0; round < 50; ++round) {
            for (std::uint64_t& word : words) {
                // Single bits, runs of ones, noise.
                word = round == 0   ? ~std::uint64_t{0}
                       : round < 20 ? std::uint64_t{1} << random() % 64
                                    : random();
            }
            const std::string bytes(reinterpret_cast<const char*>(words.data()), count * 8);
            CHECK(crc16_words(words[0], words.data() + 1, count - 1) == slow_crc16(bytes));
        }
    }
    std::string bytes(300, '\0');
    for (std::uint32_t length = 0; length < 270; ++length) {
        for (char& byte : bytes) {
            byte = static_cast<char>(random() & 0xFF);
        }
        const std::uint32_t from = length % 9; // at any address
        CHECK(crc32(CRC32_START, bytes.data() + from, length) ==
              slow_crc32(bytes.substr(from, length)));
    }
}

TEST_CASE("check of a unit's content: by hand, and as its definition says")
{
    // The sum is 2, 4 and 7 after 1, 2, 3, and stays so: 6 + 14 * 7 in all.
    const std::array<std::uint64_t, 16> few = {1, 2, 3};
    constexpr std::uint64_t g = 0x9E3779B97F4A7C15;
    CHECK(content_check(few.data(), 16) == (7 * g + 104) * g >> 40);
    std::mt19937_64 random(17);
    for (const std::uint32_t count : {16u, 64u, 512u, 4096u, 1u << 15}) {
        std::vector<std::uint64_t> words(count);
        for (std::uint64_t& word : words) {
            word = count == 1u << 15 ? ~std::uint64_t{0} : random();
        }
        const std::string bytes(reinterpret_cast<const char*>(words.data()), count * 8ull);
        CHECK(content_check(words.data(), count) == slow_content_check(bytes));
    }
}

TEST_CASE("check of a unit's content: its sums go along with words that change")
{
    std::mt19937_64 random(19);
    std::vector<std::uint64_t> words(512);
    content_sums sums = content_sum(words.data(), 512);
    CHECK(sums.sum == 1);
    CHECK(sums.weighted == 512);
    for (int n = 0; n < 2000; ++n) {
        const auto at = static_cast<std::uint32_t>(n < 2 ? n * 511 : random() % 512);
        const std::uint64_t word = random() >> random() % 64;
        content_add(&sums, 511 - at, word - words[at]);
        words[at] = word;
        REQUIRE(content_fold(sums) == content_check(words.data(), 512));
    }
}

TEST_CASE("check of a unit's content: any one bit, and any two words that change places, show")
{
    std::mt19937_64 random(18);
    std::vector<std::uint64_t> words(512);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = i % 3 == 0 ? 0 : random() & 0xFFFFFF00FFFFFF; // entries of 4 bytes
    }
    const std::uint32_t right = content_check(words.data(), 512);
    for (std::size_t bit = 0; bit < 512 * 64; ++bit) {
        words[bit / 64] ^= std::uint64_t{1} << bit % 64;
        REQUIRE(content_check(words.data(), 512) != right);
        words[bit / 64] ^= std::uint64_t{1} << bit % 64;
    }
    for (std::size_t n = 1; n < words.size(); ++n) {
        if (words[0] != words[n]) {
            std::swap(words[0], words[n]);
            REQUIRE(content_check(words.data(), 512) != right);
            std::swap(words[0], words[n]);
        }
    }
}

TEST_CASE("spare words: what is packed is unpacked")
{
    const spare_unit most = spare_unpack(spare_pack(SPARE_ANCHOR, SPARE_INDEXES - 1) | SPARE_LOST |
                                         0xABCDEFull << SPARE_CHECK_SHIFT);
    CHECK(most.index == SPARE_INDEXES - 1);
    CHECK(most.kind == SPARE_ANCHOR);
    CHECK(most.lost == 1);
    CHECK(most.check == 0xABCDEF);
    const spare_unit least = spare_unpack(spare_pack(SPARE_DATA, 0));
    CHECK(least.index == 0);
    CHECK(least.kind == SPARE_DATA);
    CHECK(least.lost == 0);
    CHECK(least.check == 0);
}

TEST_CASE("spare words: units of an operation lie behind the header of their page")
{
    surroundings s(2, 4);
    const std::vector<std::uint32_t> places = {1, 2, 4, 5, 7, 8};
    for (std::uint32_t n = 0; n < places.size(); ++n) {
        CHECK(spare_word(&s.geo, n) == places[n]);
    }
}

TEST_CASE("spare words: a page with any one bit flipped is refused")
{
    surroundings s(4, 2);
    std::vector<std::uint64_t> words(2 * spare_words(&s.geo));
    for (std::uint32_t n = 0; n < 8; ++n) {
        words[spare_word(&s.geo, n)] = spare_pack(SPARE_DATA, 0x123456789ull * n % SPARE_INDEXES);
    }
    const std::uint64_t sequence = GENERATE(as<std::uint64_t>{}, 1u, 0xA5A5A5u, (1ull << 40) - 1);
    spare_seal(&s.e, words.data(), 2, sequence);
    for (std::uint32_t page = 0; page < 2; ++page) {
        std::uint64_t* first = words.data() + page * spare_words(&s.geo);
        std::uint64_t found = 0;
        REQUIRE(spare_read(&s.e, first, &found) == 1);
        CHECK(found == sequence);
        for (std::uint32_t bit = 0; bit < 64 * spare_words(&s.geo); ++bit) {
            first[bit / 64] ^= 1ull << (bit % 64);
            REQUIRE(spare_read(&s.e, first, &found) == 0);
            first[bit / 64] ^= 1ull << (bit % 64);
        }
    }
}

TEST_CASE("spare words: erased, zeroed and unnumbered pages are refused")
{
    surroundings s(4, 1);
    std::uint64_t found = 0;
    std::vector<std::uint64_t> words(spare_words(&s.geo), ~0ull);
    CHECK(spare_read(&s.e, words.data(), &found) == 0);
    words.assign(words.size(), 0);
    CHECK(spare_read(&s.e, words.data(), &found) == 0);
    spare_seal(&s.e, words.data(), 1, 1);
    CHECK((words[0] & 0xFF) == SPARE_FORMAT); // neither the mark of a bad block nor FFh
}

TEST_CASE("spare words: every program of a drive has words that check and a number of its own")
{
    ram_config c = tiny_drive();
    drive d(c);
    d.create_queues();
    fill(d);
    overwrite(d, 3000, 5);
    surroundings s(2, 2);
    std::set<std::uint64_t> sequences;
    std::uint64_t pages = 0;
    for (const nand_page& page : d.nand.pages()) {
        std::uint64_t sequence = 0;
        REQUIRE(spare_read(&s.e, page.words.data(), &sequence) == 1);
        sequences.insert(sequence);
        ++pages;
    }
    CHECK(pages > 1000);
    CHECK(sequences.size() > pages / 3); // at most two pages of one operation
    d.check_everything();
    d.check_rules();
}

namespace {

struct copy_of_unit {
    std::uint64_t sequence = 0;
    std::uint64_t tag = 0; // of its first sector
};

/// What recovery would find: of each unit the copy with the highest sequence.
std::map<std::uint64_t, copy_of_unit> newest_copies(drive& d)
{
    const boot_params& p = d.nand.config.params;
    surroundings s(p.geometry.page_size / p.ftl.map_unit, p.geometry.planes);
    std::map<std::uint64_t, copy_of_unit> newest;
    for (const nand_page& page : d.nand.pages()) {
        std::uint64_t sequence = 0;
        REQUIRE(spare_read(&s.e, page.words.data(), &sequence) == 1);
        for (std::size_t slot = 0; slot + 1 < page.words.size(); ++slot) {
            const spare_unit u = spare_unpack(page.words[1 + slot]);
            copy_of_unit& best = newest[u.index];
            if (u.kind == SPARE_DATA && sequence > best.sequence) {
                best = {sequence, page.tags[slot * (p.ftl.map_unit / 512)]};
            }
        }
    }
    return newest;
}

void check_newest(drive& d)
{
    const std::map<std::uint64_t, copy_of_unit> newest = newest_copies(d);
    for (std::uint64_t lba = 0; lba < d.sectors(); lba += 8) {
        const auto found = newest.find(lba / 8);
        REQUIRE(found != newest.end());
        REQUIRE(d.copy.end_read(lba, d.copy.begin_read(lba), found->second.tag));
    }
}

void newest_wins(ram_config c)
{
    c.seed = GENERATE(1u, 2u, 3u);
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    std::mt19937_64 fate(c.seed);
    std::uint32_t failures = 0;
    c.on_program = [&](const nand_place&, const flash_desc& r) {
        const bool fails = r.purpose != FLASH_PURPOSE_PRECONDITION && fate() % 500 == 0;
        return fails && ++failures <= 12;
    };
    drive d(c);
    d.create_queues();
    fill(d);
    for (std::uint64_t round = 0; round < 8; ++round) {
        overwrite(d, 1500, round);
        d.start_flush();
        d.idle();
        check_newest(d);
    }
    CHECK(failures > 5);
    CHECK(d.nand.counters().gc_units_moved > 800);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

} // namespace

TEST_CASE(
    "spare words: of two copies the higher sequence is the newer one, collection and failures")
{
    newest_wins(tiny_drive());
}

TEST_CASE("spare words: of two copies the higher sequence is the newer one, copyback and failures")
{
    ram_config c = tiny_drive();
    c.params.gc.copyback = 1;
    c.params.geometry.page_size = 4096;
    c.params.geometry.pages_per_block = 16;
    newest_wins(c);
}

} // namespace ssdvp::test::spare_test
