// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/entry.h"
#include "tests/fuzz/fis_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length)
{
    return ssdvp::fuzz::execute<ssdvp::fuzz::fis_target>(bytes, length);
}

/// SystemC's library has a main that calls it; libFuzzer's main is the one in use.
int sc_main(int, char*[])
{
    return 0;
}
