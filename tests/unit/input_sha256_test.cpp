// SPDX-License-Identifier: Apache-2.0
#include "platform/input/sha256.h"

#include <catch2/catch.hpp>
#include <string>

namespace input_sha256_test {

using ssdvp::platform::sha256;

TEST_CASE("sha256: FIPS 180-4 examples")
{
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

} // namespace input_sha256_test
