// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's entry; replay_main.cpp calls the same without libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <systemc>

#include "tests/fuzz/fis_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length)
{
    static const bool quiet = [] {
        ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
        sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
        return true;
    }();
    static auto* const target = new ssdvp::fuzz::fis_target; // until the process ends
    (void)quiet;
    target->execute(bytes, length);
    return 0;
}

/// SystemC's library has a main that calls it; libFuzzer's main is the one in use.
int sc_main(int, char*[])
{
    return 0;
}
