// SPDX-License-Identifier: Apache-2.0
//
// Texts of values: units, exactness, ranges, and printing back.
#include <catch2/catch.hpp>

#include "platform/config/option.h"
#include "platform/input/value.h"

namespace input_value_test {

using namespace ssdvp;
using namespace ssdvp::platform;

namespace {

template <class T>
T parsed(const value_spec& spec, const std::string& text)
{
    return std::get<T>(parse_value(spec, {text}, false));
}

std::string refused(const value_spec& spec, const std::string& text)
{
    try {
        parse_value(spec, {text}, false);
    } catch (const value_error& e) {
        return std::string(e.what()) + "; " + e.remedy();
    }
    return {};
}

value_spec any(value_kind kind)
{
    return rate_of(kind, 0, UINT64_MAX);
}

} // namespace

TEST_CASE("values: times")
{
    const value_spec spec = any(value_kind::time);
    CHECK(parsed<sim_time>(spec, "7ps").ps() == 7);
    CHECK(parsed<sim_time>(spec, "40ns").ps() == 40'000);
    CHECK(parsed<sim_time>(spec, "74us").ps() == 74'000'000);
    CHECK(parsed<sim_time>(spec, "3.5ms").ps() == 3'500'000'000);
    CHECK(parsed<sim_time>(spec, "2 s").ps() == 2'000'000'000'000);
    CHECK(parsed<sim_time>(spec, "0.001ns").ps() == 1);
    CHECK(refused(spec, "0.0001ns") == "'0.0001ns' is not a whole number of ps; use at most the "
                                       "resolution of 1 ps");
    CHECK(refused(spec, "40") ==
          "'40' has no unit; write for example 40us; units are ps, ns, us, ms, s");
    CHECK(refused(spec, "40MiB") ==
          "unit 'MiB' is not one of ps, ns, us, ms, s; units are ps, ns, us, ms, s");
    CHECK(refused(spec, "40US") == "unit 'US' is not one of ps, ns, us, ms, s; did you mean 'us'?");
    CHECK(refused(spec, "fast").find("'fast' is not a time") == 0);
    CHECK(refused(spec, "-1us").find("-1us is negative") == 0);
    CHECK(refused(spec, "1.us").find("is not a time") != std::string::npos);
    CHECK(refused(spec, "99999999999999999999us").find("too large") != std::string::npos);
    CHECK(refused(spec, "99999999999s").find("too large") != std::string::npos);
}

TEST_CASE("values: sizes, binary and decimal")
{
    const value_spec spec = any(value_kind::size);
    CHECK(parsed<std::uint64_t>(spec, "512B") == 512);
    CHECK(parsed<std::uint64_t>(spec, "16KiB") == 16384);
    CHECK(parsed<std::uint64_t>(spec, "1.5MiB") == 1572864);
    CHECK(parsed<std::uint64_t>(spec, "2GiB") == 2147483648);
    CHECK(parsed<std::uint64_t>(spec, "1TiB") == 1099511627776);
    CHECK(parsed<std::uint64_t>(spec, "4kB") == 4000);
    CHECK(parsed<std::uint64_t>(spec, "4MB") == 4000000);
    CHECK(parsed<std::uint64_t>(spec, "4GB") == 4000000000);
    CHECK(parsed<std::uint64_t>(spec, "1TB") == 1000000000000);
    CHECK(refused(spec, "4KB") ==
          "unit 'KB' is ambiguous; write KiB (1024 bytes) or kB (1000 bytes)");
    CHECK(refused(spec, "4096").find("'4096' has no unit; write for example 4096KiB") == 0);
    CHECK(refused(spec, "0.5B").find("not a whole number of B") != std::string::npos);
    CHECK(refused(spec, "1us").find("unit 'us' is not one of B, kB") == 0);
}

TEST_CASE("values: rates")
{
    CHECK(parsed<std::uint64_t>(any(value_kind::transfer_rate), "1200MT/s") == 1200000000);
    CHECK(parsed<std::uint64_t>(any(value_kind::transfer_rate), "28.571428MT/s") == 28571428);
    CHECK(refused(any(value_kind::transfer_rate), "1200MHz").find("unit 'MHz' is not one of") == 0);
    CHECK(parsed<std::uint64_t>(any(value_kind::frequency), "1.2GHz") == 1200000000);
    CHECK(refused(any(value_kind::frequency), "1000").find("has no unit") != std::string::npos);
    const value_spec requests = real_of(value_kind::request_rate, 0.0, 1e9, true);
    CHECK(parsed<double>(requests, "100000/s") == 100000.0);
    CHECK(parsed<double>(requests, "100k IOPS") == 100000.0);
    CHECK(parsed<double>(requests, "0.5/s") == 0.5);
    CHECK(parsed<double>(requests, "1.5MIOPS") == 1500000.0);
    CHECK(refused(requests, "100000").find("has no unit") != std::string::npos);
    CHECK(refused(requests, "0/s").find("allowed is above 0 up to 1000000000") !=
          std::string::npos);
}

TEST_CASE("values: currents, voltages, powers")
{
    CHECK(parsed<std::uint64_t>(any(value_kind::current), "20mA") == 20000);
    CHECK(parsed<std::uint64_t>(any(value_kind::current), "1.5 A") == 1500000);
    CHECK(refused(any(value_kind::current), "20mW").find("unit 'mW' is not one of uA") == 0);
    CHECK(refused(any(value_kind::current), "20").find("write for example 20mA") !=
          std::string::npos);
    CHECK(parsed<std::uint64_t>(any(value_kind::voltage), "3.3V") == 3300);
    CHECK(refused(any(value_kind::voltage), "0.1mV").find("not a whole number of mV") !=
          std::string::npos);
    CHECK(parsed<std::uint64_t>(any(value_kind::power), "0.25W") == 250000);
    CHECK(format_value(any(value_kind::power), std::uint64_t{1500}) == "1500uW");
    CHECK(format_value(any(value_kind::voltage), std::uint64_t{12000}) == "12V");
}

TEST_CASE("values: counts, fractions, words")
{
    CHECK(parsed<std::uint64_t>(count_of(1, 8), "8") == 8);
    CHECK(refused(count_of(1, 8), "9") == "9 is out of range; allowed is 1..8");
    CHECK(refused(count_of(1, 8), "0") == "0 is out of range; allowed is 1..8");
    CHECK(refused(count_of(1, 1, "why"), "2") == "2 is out of range; allowed is 1 (why)");
    CHECK(refused(count_of(1, 8), "2.5").find("not a whole number") != std::string::npos);
    CHECK(refused(count_of(1, 8), "2us").find("not a whole number") != std::string::npos);
    CHECK(refused(count_out_of({1, 2, 4}), "3") ==
          "3 is not a legal value; legal values are 1, 2, 4");
    CHECK(refused(count_of(0, UINT64_MAX), "18446744073709551616").find("too large") !=
          std::string::npos);
    CHECK(parsed<std::uint64_t>(count_of(0, UINT64_MAX), "18446744073709551615") == UINT64_MAX);
    const value_spec share = real_of(value_kind::fraction, 0.0, 1.0);
    CHECK(parsed<double>(share, "7%") == 0.07);
    CHECK(parsed<double>(share, "0.1%") == 0.001);
    CHECK(parsed<double>(share, "0.07") == 0.07);
    CHECK(refused(share, "7") == "7 is out of range; allowed is 0..1");
    CHECK(refused(share, "7us").find("write a fraction such as 0.07, or 7%") != std::string::npos);
    CHECK(parsed<bool>(flag(), "true"));
    CHECK_FALSE(parsed<bool>(flag(), "false"));
    CHECK(refused(flag(), "yes").find("choice of true or false") != std::string::npos);
    const value_spec choice = words({{"a", 1}, {"b", 2}});
    CHECK(parsed<std::string>(choice, "b") == "b");
    CHECK(refused(choice, "d") == "'d' is not one of the choices; choose from: a, b");
}

TEST_CASE("values: lists are for times of pages only")
{
    value_spec list = any(value_kind::time);
    list.kind = value_kind::time_list;
    const auto times =
        std::get<std::vector<sim_time>>(parse_value(list, {"1us", "2us", "3us"}, true));
    REQUIRE(times.size() == 3);
    CHECK(times[2].ps() == 3'000'000);
    CHECK(std::get<std::vector<sim_time>>(parse_value(list, {"1us"}, false)).size() == 1);
    CHECK_THROWS_AS(parse_value(list, {}, true), value_error);
    CHECK_THROWS_AS(parse_value(count_of(1, 8), {"1", "2"}, true), value_error);
    CHECK(format_value(list, times) == "[1us, 2us, 3us]");
}

TEST_CASE("values: lists of counts and of numbers")
{
    value_spec counts = count_of(1, 100);
    counts.kind = value_kind::count_list;
    const auto some = std::get<std::vector<std::uint64_t>>(parse_value(counts, {"3", "9"}, true));
    CHECK(some == std::vector<std::uint64_t>{3, 9});
    CHECK(format_value(counts, some) == "[3, 9]");
    CHECK(format_value(counts, parse_value(counts, {"7"}, false)) == "7");
    CHECK(format_value(counts, std::vector<std::uint64_t>{}) == "default");
    CHECK_THROWS_AS(parse_value(counts, {"3", "101"}, true), value_error);
    const value_spec numbers = real_of(value_kind::number_list, 0.0, 2.0, true);
    const auto two = std::get<std::vector<double>>(parse_value(numbers, {"0.5", "2"}, true));
    CHECK(two == std::vector<double>{0.5, 2.0});
    CHECK(format_value(numbers, two) == "[0.5, 2]");
    CHECK_THROWS_AS(parse_value(numbers, {"0"}, true), value_error);
    CHECK(refused(numbers, "3") == "3 is out of range; allowed is above 0 up to 2");
}

TEST_CASE("values: what is printed reads back the same")
{
    const std::vector<std::uint64_t> integers = {
        0, 1, 999, 1000, 74'000'000, 1'234'567'890'123, 15'000'000'000, 1ull << 40, UINT64_MAX};
    for (const std::uint64_t v : integers) {
        for (const value_kind kind : {value_kind::size, value_kind::transfer_rate,
                                      value_kind::frequency, value_kind::count}) {
            const value_spec spec = any(kind);
            CHECK(parsed<std::uint64_t>(spec, format_value(spec, v)) == v);
        }
        const value_spec spec = any(value_kind::time);
        CHECK(parsed<sim_time>(spec, format_value(spec, sim_time(v))).ps() == v);
    }
    for (const double v : {0.0, 0.07, 1.0 / 3.0, 1e-9, 0.1 + 0.2, 123456.789}) {
        const value_spec spec = real_of(value_kind::number, 0.0, 1e9);
        CHECK(parsed<double>(spec, format_value(spec, v)) == v);
        const value_spec requests = real_of(value_kind::request_rate, 0.0, 1e9);
        CHECK(parsed<double>(requests, format_value(requests, v)) == v);
    }
    CHECK(format_time(sim_time(74'000'000)) == "74us");
    CHECK(format_size(16384) == "16KiB");
}

TEST_CASE("values: exponents say the same as the digits, of every kind")
{
    const value_spec real = real_of(value_kind::number, 0.0, 1e12);
    CHECK(parsed<double>(real, "1e-7") == 1e-7);
    CHECK(parsed<double>(real, "1.5E-3") == 1.5e-3);
    CHECK(parsed<double>(real, "12.25e+2") == 1225.0);
    CHECK(parsed<double>(real, "0e9") == 0.0);
    CHECK(parsed<double>(real, "2.50e1") == 25.0);
    CHECK(refused(real, "1e13").find("out of range") != std::string::npos);
    CHECK(refused(real, "1e").find("not a plain number") != std::string::npos);
    CHECK(refused(real, "1e-").find("not a plain number") != std::string::npos);
    CHECK(refused(real, "1e9999").find("not a plain number") != std::string::npos);
    CHECK(refused(real, "e5").find("is not a number") != std::string::npos);
    const value_spec share = real_of(value_kind::fraction, 0.0, 1.0);
    CHECK(parsed<double>(share, "1e-3") == 1e-3);
    CHECK(parsed<double>(share, "1e1 %") == 0.1);
    const value_spec count = count_of(0, UINT64_MAX);
    CHECK(parsed<std::uint64_t>(count, "1e6") == 1000000);
    CHECK(parsed<std::uint64_t>(count, "1.5e3") == 1500);
    CHECK(refused(count, "1.5e0").find("not a whole number") != std::string::npos);
    CHECK(refused(count, "1e20").find("too large") != std::string::npos);
    CHECK(parsed<sim_time>(any(value_kind::time), "1e-3us").ps() == 1000);
    CHECK(parsed<std::uint64_t>(any(value_kind::size), "1e2KiB") == 102400);
}

TEST_CASE("values: zero needs no unit")
{
    CHECK(parsed<sim_time>(any(value_kind::time), "0") == sim_time());
    CHECK(parsed<std::uint64_t>(any(value_kind::size), "0") == 0);
    CHECK(parsed<std::uint64_t>(any(value_kind::size), "0.0") == 0);
    CHECK(parsed<std::uint64_t>(any(value_kind::current), "0") == 0);
    CHECK(parsed<std::vector<sim_time>>(any(value_kind::time_list), "0").front() == sim_time());
    CHECK(refused(size_of(16, 64), "0").find("0 is out of range") == 0);
    CHECK(refused(any(value_kind::time), "1").find("has no unit") != std::string::npos);
}

} // namespace input_value_test
