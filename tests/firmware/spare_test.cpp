// SPDX-License-Identifier: Apache-2.0
//
// Check sums and the spare words of a page (firmware/flash/spare.h).
#include <catch2/catch.hpp>
#include <set>
#include <vector>

extern "C" {
#include "firmware/flash/spare.h"
#include "firmware/lib/crc.h"
}
#include "tests/firmware/erring_drive.h"

namespace ssdvp::test {
namespace {

/// Enough of an environment for the functions under test.
struct surroundings {
    geometry geo{};
    hal_ops ops{};
    hal port{&ops, nullptr, nullptr, nullptr};
    env e{};

    surroundings(std::uint32_t slots, std::uint32_t planes)
    {
        geo.slots = slots;
        geo.planes = planes;
        e.geo = &geo;
        e.hal = &port;
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
    }
};

} // namespace

TEST_CASE("check sums: the check values of their catalogue")
{
    CHECK(crc16(CRC16_START, "123456789", 9) == 0x29B1);
    CHECK(crc32(CRC32_START, "123456789", 9) == 0xCBF43926);
    // In two pieces as in one.
    CHECK(crc16(crc16(CRC16_START, "12345", 5), "6789", 4) == 0x29B1);
    CHECK(crc32(crc32(CRC32_START, "12345", 5), "6789", 4) == 0xCBF43926);
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
    for (const std::vector<std::uint64_t>& words : d.nand.spare_pages()) {
        std::uint64_t sequence = 0;
        REQUIRE(spare_read(&s.e, words.data(), &sequence) == 1);
        sequences.insert(sequence);
        ++pages;
    }
    CHECK(pages > 1000);
    CHECK(sequences.size() > pages / 3); // at most two pages of one operation
    d.check_everything();
    d.check_rules();
}

} // namespace ssdvp::test
