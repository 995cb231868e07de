// SPDX-License-Identifier: Apache-2.0
//
// Parquet files, byte by byte. That other programs read them is seen in tests/python.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "platform/report/parquet.h"

namespace report_parquet_test {

using ssdvp::platform::parquet_of;

namespace {

/// Of hexadecimal digits and, in quotes, letters.
std::string bytes(const std::string& told)
{
    std::string out;
    for (std::size_t i = 0; i < told.size();) {
        if (told[i] == ' ') {
            ++i;
        } else if (told[i] == '\'') {
            const std::size_t end = told.find('\'', i + 1);
            out += told.substr(i + 1, end - i - 1);
            i = end + 1;
        } else {
            out += static_cast<char>(std::stoi(told.substr(i, 2), nullptr, 16));
            i += 2;
        }
    }
    return out;
}

bool contains(const std::string& file, const std::string& told)
{
    return file.find(bytes(told)) != std::string::npos;
}

} // namespace

TEST_CASE("report parquet: a column with one number, by hand")
{
    const std::string page = "15 00 15 1c 15 1c"                // a data page of 14 bytes:
                             "2c 15 02 15 00 15 06 15 06 00 00" // 1 value, plain, levels by runs
                             "02 00 00 00 02 01"                // levels: 1 value that is there
                             "07 00 00 00 00 00 00 00";
    const std::string footer = "15 02"                            // version 1
                               "19 2c 48 06 'series' 15 02 00"    // the root has 1 child,
                               "15 04 25 02 18 01 'n' 00"         // INT64, optional, n
                               "16 02"                            // 1 row
                               "19 1c 19 1c 26 08 1c 15 04"       // 1 group, 1 column at byte 4
                               "19 25 00 06 19 18 01 'n' 15 00"   // encodings, path, codec
                               "16 02 16 3e 16 3e 26 08 00 00"    // values, sizes, offset
                               "16 3e 16 02 00 28 05 'ssdvp' 00"; // 31 bytes, 1 row, by whom
    const std::string end = bytes(footer);
    const std::string length(1, static_cast<char>(end.size()));
    CHECK(parquet_of("n\n7\n") == "PAR1" + bytes(page) + end + length + bytes("00 00 00") + "PAR1");
}

TEST_CASE("report parquet: fractions, nulls, negative numbers")
{
    // 1.5 is 3ff8...; of three values the second is null: runs of one.
    CHECK(contains(parquet_of("x\n1.5\n\n2\n"), "06 00 00 00 02 01 02 00 02 01"
                                                "00 00 00 00 00 00 f8 3f"
                                                "00 00 00 00 00 00 00 40"));
    CHECK(contains(parquet_of("x\n-1\n"), "02 01 ff ff ff ff ff ff ff ff"));
    // A column of nulls alone is there, with no value.
    CHECK(contains(parquet_of("a,b\n1,\n2,\n"), "02 00 00 00 04 00"));
}

TEST_CASE("report parquet: many columns have the long form of a list")
{
    std::string head = "c0";
    std::string row = "0";
    for (int i = 1; i < 20; ++i) {
        head += ",c" + std::to_string(i);
        row += "," + std::to_string(i);
    }
    const std::string file = parquet_of(head + '\n' + row + '\n');
    CHECK(contains(file, "19 fc 15 48")); // 21 elements of the schema
    CHECK(contains(file, "19 fc 14 26")); // 20 columns
}

TEST_CASE("report parquet: what is no table of numbers is refused")
{
    CHECK_THROWS_AS(parquet_of("a\nword\n"), std::invalid_argument);
    CHECK_THROWS_AS(parquet_of("a,b\n1\n"), std::invalid_argument);
    CHECK_THROWS_AS(parquet_of("a\n1.5x\n"), std::invalid_argument);
}

} // namespace report_parquet_test
