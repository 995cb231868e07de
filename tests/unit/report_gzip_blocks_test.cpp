// SPDX-License-Identifier: Apache-2.0
//
// What is compressed block by block is a file that gzip reads.
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "platform/report/gzip_blocks.h"

namespace report_gzip_blocks_test {

using ssdvp::platform::gzip_blocks;

namespace {

std::string compressed(const std::string& text, std::size_t piece,
                       int level = gzip_blocks::usual_level)
{
    std::string out;
    gzip_blocks g([&out](std::string_view bytes) { out += bytes; }, level);
    for (std::size_t i = 0; i < text.size(); i += piece) {
        g.write(std::string_view(text).substr(i, piece));
    }
    g.finish();
    return out;
}

/// Fails at what is no gzip, or has another sum or length than it says.
std::string expanded(const std::string& bytes)
{
    std::istringstream in(bytes);
    boost::iostreams::filtering_istream chain;
    chain.push(boost::iostreams::gzip_decompressor());
    chain.push(in);
    std::ostringstream out;
    boost::iostreams::copy(chain, out);
    return out.str();
}

/// Neither all alike nor by chance.
std::string sample(std::size_t length)
{
    std::string text;
    for (std::uint64_t n = 1; text.size() < length; n = n * 6364136223846793005u + 1) {
        text += std::to_string(n >> 44) + ",read,";
    }
    text.resize(length);
    return text;
}

} // namespace

TEST_CASE("gzip blocks: what went in comes out, over the edges of blocks", "[report][gzip]")
{
    constexpr std::size_t block = gzip_blocks::block_length;
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, block - 1, block, 9 * block + 17}) {
        const std::string text = sample(length);
        CHECK(expanded(compressed(text, 1 << 17)) == text);
    }
}

TEST_CASE("gzip blocks: the bytes do not depend on how they were written", "[report][gzip]")
{
    const std::string text = sample(5u << 20);
    const std::string once = compressed(text, text.size());
    CHECK(compressed(text, 999) == once);
    CHECK(once.size() < text.size() / 2);
    const std::string fast = compressed(text, text.size(), gzip_blocks::fastest_level);
    CHECK(fast.size() > once.size());
    CHECK(expanded(fast) == text);
}

TEST_CASE("gzip blocks: the bytes do not depend on who compresses them", "[report][gzip]")
{
    const std::string text = sample(40 * gzip_blocks::block_length + 1); // more than may wait
    const auto by = [&text](std::size_t threads) {
        std::string out;
        gzip_blocks g([&out](std::string_view bytes) { out += bytes; }, gzip_blocks::fastest_level,
                      threads);
        g.write(text);
        g.finish();
        return out;
    };
    const std::string alone = by(0);
    CHECK(expanded(alone) == text);
    CHECK(by(1) == alone);
    CHECK(by(5) == alone);
}

TEST_CASE("gzip blocks: what cannot be taken is told, and what is left is dropped",
          "[report][gzip]")
{
    gzip_blocks g([](std::string_view) { throw std::runtime_error("no room"); });
    CHECK_THROWS_WITH(g.write(sample(40 * gzip_blocks::block_length)), "no room");
}

} // namespace report_gzip_blocks_test
