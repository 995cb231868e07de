// SPDX-License-Identifier: Apache-2.0
#include <systemc>

int sc_main(int, char**)
{
    return 0;
}
