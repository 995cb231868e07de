// SPDX-License-Identifier: Apache-2.0
//
// The raw bit error rate, worked by hand, and how it becomes bits.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include "models/flash/die/errors/error_model.h"
#include "tests/models/flash_numbers.h"

namespace flash_rber_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

/// Five erase loops, 1,000 P/E cycles, and every cause of errors at a round number.
die_config part()
{
    die_config c;
    c.geo = {1, 16, 12, 16384, 1024};
    c.endurance = 1000;
    c.erase.loops = 5;
    c.errors.rber = 1e-4;
    c.errors.wear = 9.0;
    c.errors.retention = 4.0;
    c.errors.read_disturb = 5.0;
    c.errors.suspend_gain = 0.01;
    c.errors.retry_gain = {0.5, 0.25};
    return c;
}

constexpr std::uint64_t million = 1000000;

} // namespace

TEST_CASE("Arrhenius: 85 C ages 643 times as fast as 30 C at 1.1 eV")
{
    CHECK(acceleration(1.1, 85.0) == 643.0);
    CHECK(acceleration(1.1, 30.0) == 1.0);
    CHECK(acceleration(0.0, 85.0) == 1.0);
    CHECK(acceleration(1.1, 20.0) < 1.0);
}

TEST_CASE("each factor of the error rate by hand")
{
    const rber_model m(part());
    CHECK(m.wear(0) == 1.0);
    CHECK(m.wear(500) == 3.25); // 1 + 9 / 4
    CHECK(m.wear(1000) == 10.0);
    CHECK(m.retention(0.0, 1000) == 1.0);
    CHECK(m.retention(365.0, 1000) == 5.0); // a year
    CHECK(m.retention(365.0, 0) == 3.0);    // new: half of the growth
    CHECK(m.retention(91.25, 0) == 2.0);    // a quarter of a year: half as much again
    CHECK(m.disturb(million, 1000) == 6.0);
    CHECK(m.disturb(million, 0) == 3.5);
    CHECK(m.page_type(page_index(0)) == 1.0);
    CHECK(m.page_type(page_index(1)) == 2.0);
    CHECK(m.page_type(page_index(2)) == 4.0);
    CHECK(m.page_type(page_index(3)) == 1.0);
    CHECK(m.program_mode(FLASH_MODE_NORMAL) == 1.0);
    CHECK(m.program_mode(FLASH_MODE_SHALLOW) == 2.0);
    CHECK(m.program_mode(FLASH_MODE_SLC) == 0.1);
    CHECK(m.retry(0) == 1.0);
    CHECK(m.retry(1) == 0.5);
    CHECK(m.retry(2) == 0.25);
}

TEST_CASE("suspends: flat up to the safe points of all loops, then steep")
{
    const rber_model m(part());
    CHECK(m.safe_suspends(100) == 150); // 30 safe points in each of 5 loops
    CHECK(m.safe_suspends(1000) == 50);
    CHECK(m.suspends(0, 1000) == 1.0);
    CHECK(m.suspends(50, 1000) == 1.0);
    CHECK(m.suspends(51, 1000) == 1.01);
    CHECK(m.suspends(53, 1000) == 1.09); // 1 + 0.01 * 3^2
    CHECK(m.suspends(53, 100) == 1.0);   // a young block stands more
    CHECK(m.suspends(150, 100) == 1.0);
    CHECK(m.suspends(160, 100) == 2.0);
    die_config steep = part();
    steep.errors.suspend_exponent = 3;
    CHECK(rber_model(steep).suspends(60, 1000) == 11.0);
}

TEST_CASE("the error rate is the product of its factors, and never above one half")
{
    cell_history h;
    h.page = page_index(1);
    h.pe_cycles = 500;
    h.retention_days = 91.25;
    h.reads = million;
    h.block = 1.5;
    // 1e-4 * 3.25 * (1 + 4 * 0.5 * 0.75) * (1 + 5 * 0.75) * 2 * 1.5
    CHECK(rber_model(part())(h) == Approx(0.011578125).epsilon(1e-12));
    h.retry = 1;
    h.mode = FLASH_MODE_SLC;
    CHECK(rber_model(part())(h) == Approx(0.00057890625).epsilon(1e-12));
    h.mode = FLASH_MODE_NORMAL;
    h.reads = 1000 * million;
    CHECK(rber_model(part())(h) == 0.5);
}

TEST_CASE("every cause makes the error rate larger")
{
    using change = std::function<void(die_config&, cell_history&)>;
    const std::vector<change> worse = {
        [](die_config& c, cell_history&) { c.errors.rber *= 1.01; },
        [](die_config& c, cell_history&) { c.errors.wear *= 1.01; },
        [](die_config& c, cell_history&) { c.errors.retention *= 1.01; },
        [](die_config& c, cell_history&) { c.errors.temperature = 31.0; },
        [](die_config& c, cell_history&) { c.errors.read_disturb *= 1.01; },
        [](die_config& c, cell_history&) { c.errors.suspend_gain *= 1.01; },
        [](die_config& c, cell_history&) { c.errors.suspend_exponent = 3; },
        [](die_config& c, cell_history&) { c.errors.page_factor = {1.01}; },
        [](die_config& c, cell_history&) { c.endurance -= 1; },
        [](die_config& c, cell_history&) { c.erase.loops -= 1; },
        [](die_config&, cell_history& h) { h.pe_cycles += 1; },
        [](die_config&, cell_history& h) { h.retention_days += 1.0; },
        [](die_config&, cell_history& h) { h.reads += 1; },
        [](die_config&, cell_history& h) { h.suspends += 1; },
        [](die_config&, cell_history& h) { h.block *= 1.01; },
        [](die_config&, cell_history& h) { h.page = page_index(1); },
        [](die_config&, cell_history& h) { h.mode = FLASH_MODE_SHALLOW; },
        [](die_config&, cell_history& h) { h.retry = 0; },
    };
    for (std::size_t i = 0; i < worse.size(); ++i) {
        INFO("change " << i);
        die_config c = part();
        cell_history h;
        h.pe_cycles = 700;
        h.retention_days = 10.0;
        h.reads = 1000;
        h.suspends = 100; // more than are safe
        h.retry = 1;
        const double before = rber_model(c)(h);
        worse[i](c, h);
        CHECK(rber_model(c)(h) > before);
    }
}

TEST_CASE("random numbers: splitmix64, and e^-x without libm")
{
    CHECK(random_at(0, 0) == 0xE220A8397B1DCDAFull); // first output of splitmix64 from seed 0
    CHECK(random_at(0, 1) == 0x6E789E6AA1B965F4ull);
    CHECK(exp_minus(0.0) == 1.0);
    for (double x = 0.01; x <= 40.0; x *= 1.3) {
        CHECK(exp_minus(x) == Approx(std::exp(-x)).epsilon(1e-12));
    }
}

TEST_CASE("bits of a code word have the mean and the variance of their rate")
{
    constexpr std::uint32_t bits = 8192;
    for (const double mean : {0.0, 0.5, 8.0, 29.9, 30.1, 100.0}) {
        INFO("mean " << mean);
        page_noise noise{mean / bits, 0};
        constexpr std::uint32_t draws = 20000;
        double sum = 0.0;
        double squares = 0.0;
        for (noise.key = 0; noise.key < draws / 16; ++noise.key) {
            for (std::uint32_t word = 0; word < 16; ++word) {
                const double n = bits_in_word(noise, word, bits / 8);
                sum += n;
                squares += n * n;
            }
        }
        const double found = sum / draws;
        // Six standard errors; of the variance, 10 %.
        CHECK(found == Approx(mean).margin(6.0 * std::sqrt(mean / draws)));
        CHECK(squares / draws - found * found == Approx(mean).epsilon(0.1).margin(1e-9));
    }
}

namespace {

unsigned wrong_bits(const std::vector<unsigned char>& a, const std::vector<unsigned char>& b)
{
    unsigned n = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        n += static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(a[i] ^ b[i])));
    }
    return n;
}

} // namespace

TEST_CASE("as many bits are wrong as were drawn, all inside the code word")
{
    for (std::uint64_t key = 0; key < 50; ++key) {
        for (const std::uint32_t bytes : {512u, 1024u, 4096u}) {
            const std::vector<unsigned char> clean(16384, 0x5A);
            std::vector<unsigned char> data = clean;
            const page_piece page{data.data(), 0, 16384, data_form::bytes};
            const word_errors errors{key, 3, bytes, 100};
            spoil(page, errors);
            CHECK(wrong_bits(clean, data) == 100);
            for (std::size_t i = 0; i < data.size(); ++i) {
                REQUIRE((i / bytes == 3 || data[i] == clean[i]));
            }
            restore(page, errors);
            CHECK(data == clean);
        }
    }
    // All bits of a code word: each exactly once.
    std::vector<unsigned char> data(512, 0x00);
    spoil({data.data(), 0, 512, data_form::bytes}, {7, 0, 512, 4096});
    CHECK(data == std::vector<unsigned char>(512, 0xFF));
}

TEST_CASE("part of a code word has the errors that lie in it")
{
    std::vector<unsigned char> whole(1024, 0);
    spoil({whole.data(), 0, 1024, data_form::bytes}, {9, 0, 1024, 60});
    std::vector<unsigned char> half(512, 0);
    spoil({half.data(), 512, 512, data_form::bytes}, {9, 0, 1024, 60});
    CHECK(std::memcmp(half.data(), whole.data() + 512, 512) == 0);
    CHECK(wrong_bits(half, std::vector<unsigned char>(512, 0)) > 10);
}

TEST_CASE("tags are spoilt in the very sectors whose bytes would be")
{
    for (std::uint64_t key = 0; key < 200; ++key) {
        const word_errors errors{key, 1, 2048, 3};
        std::vector<unsigned char> bytes(4096, 0);
        spoil({bytes.data(), 0, 4096, data_form::bytes}, errors);
        std::vector<unsigned char> tags(4096, 0);
        const page_piece page{tags.data(), 0, 4096, data_form::tags};
        spoil(page, errors);
        for (std::size_t sector = 0; sector < 8; ++sector) {
            const auto begin = static_cast<std::ptrdiff_t>(sector * sector_size);
            const std::vector<unsigned char> b(bytes.begin() + begin,
                                               bytes.begin() + begin + sector_size);
            std::uint64_t tag = 0;
            std::memcpy(&tag, tags.data() + begin, sizeof tag);
            CHECK((tag != 0) == (wrong_bits(b, std::vector<unsigned char>(512, 0)) != 0));
        }
        restore(page, errors);
        CHECK(tags == std::vector<unsigned char>(4096, 0));
    }
}

TEST_CASE("the history of a block: age, reads, suspends, and what an erase wipes out")
{
    die_config c = part();
    c.errors.retention_scale = 1000.0;
    c.errors.retention_age = 30.0;
    error_model m(c, die_index(0));
    const sim_time second(1000000000000ull);
    // Pages 0 and 1 were there before; page 2 is programmed after 100 s.
    m.programmed(worn_at(3, 2, 0), 100 * second);
    m.programmed(worn_at(3, 3, 0), 150 * second);
    CHECK(m.history(worn_at(3, 1, 0), 0, 200 * second).retention_days ==
          Approx(30.0 + 200000.0 / 86400.0));
    // Per block one time is kept, that of its oldest page.
    CHECK(m.history(worn_at(3, 3, 0), 0, 200 * second).retention_days ==
          Approx(100000.0 / 86400.0));
    CHECK(m.sense(worn_at(3, 1, 0), 0, second).key != m.sense(worn_at(3, 1, 0), 0, second).key);
    CHECK(m.history(worn_at(3, 1, 0), 0, second).reads == 2);
    CHECK(m.history(worn_at(2, 1, 0), 0, second).reads == 0);
    m.erased(lun_block_index(3));
    m.suspended(lun_block_index(3), 9);
    const cell_history h = m.history(worn_at(3, 1, 1), 2, 300 * second);
    CHECK(h.reads == 0);
    CHECK(h.suspends == 9);
    CHECK(h.pe_cycles == 1);
    CHECK(h.retry == 2);
    m.erased(lun_block_index(3));
    CHECK(m.history(worn_at(3, 1, 2), 0, second).suspends == 0);
}

TEST_CASE("with any page order each page knows whether it was there before")
{
    die_config c = part();
    c.order = page_order::any;
    c.errors.retention_scale = 1000.0;
    c.errors.retention_age = 30.0;
    error_model m(c, die_index(0));
    const sim_time second(1000000000000ull);
    m.programmed(worn_at(3, 2, 0), 100 * second);
    m.programmed(worn_at(3, 0, 0), 150 * second);
    const double lain = 100000.0 / 86400.0;
    CHECK(m.history(worn_at(3, 2, 0), 0, 200 * second).retention_days == Approx(lain));
    CHECK(m.history(worn_at(3, 0, 0), 0, 200 * second).retention_days == Approx(lain));
    for (const std::uint32_t page : {1u, 3u}) {
        CHECK(m.history(worn_at(3, page, 0), 0, 200 * second).retention_days ==
              Approx(30.0 + 2 * lain));
    }
    m.erased(lun_block_index(3));
    CHECK(m.history(worn_at(3, 2, 1), 0, 200 * second).retention_days == Approx(30.0 + 2 * lain));
}

TEST_CASE("the seed, the die and the block decide, nothing else")
{
    die_config c = part();
    c.errors.block_spread = 0.2;
    error_model a(c, die_index(5));
    error_model b(c, die_index(5));
    c.data = data_mode::full; // the same errors in every data mode
    error_model full(c, die_index(5));
    error_model other_die(c, die_index(6));
    c.seed = 2;
    error_model other_seed(c, die_index(5));
    std::set<double> rates;
    for (std::uint32_t block = 0; block < 16; ++block) {
        const worn_page place = worn_at(block, 4, 7);
        const page_noise first = a.sense(place, 0, sim_time());
        const page_noise again = b.sense(place, 0, sim_time());
        const page_noise same = full.sense(place, 0, sim_time());
        CHECK(first.key == again.key);
        CHECK(first.rber == again.rber);
        CHECK(first.key == same.key);
        CHECK(first.rber == same.rber);
        CHECK(first.key != other_die.sense(place, 0, sim_time()).key);
        CHECK(first.key != other_seed.sense(place, 0, sim_time()).key);
        rates.insert(first.rber);
    }
    CHECK(rates.size() == 16);
    c.errors.block_spread = 0.0;
    error_model even(c, die_index(5));
    CHECK(even.history(worn_at(1, 0, 0), 0, sim_time()).block == 1.0);
}

} // namespace flash_rber_test
