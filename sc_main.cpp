// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <systemc>

#include "platform/control/commands.h"

int sc_main(int argc, char* argv[])
{
    return ssdvp::platform::main_command(argc, argv);
}

// SystemC's own main would print a banner before the first line of ours.
int main(int argc, char* argv[])
{
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
