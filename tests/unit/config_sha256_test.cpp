// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 against the examples of FIPS 180-4 and of NIST's CAVP short and long messages.
#include "platform/config/sha256.h"

#include <catch2/catch.hpp>
#include <string>

using ssdvp::platform::sha256;

TEST_CASE("sha256: FIPS 180-4 examples")
{
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: every length around the padding boundary differs and has 64 digits")
{
    std::string last;
    for (std::size_t n = 54; n <= 66; ++n) {
        const std::string digest = sha256(std::string(n, 'x'));
        CHECK(digest.size() == 64);
        CHECK(digest != last);
        last = digest;
    }
    CHECK(sha256(std::string(1, '\xbd')) ==
          "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"); // CAVP, 8 bits
}
