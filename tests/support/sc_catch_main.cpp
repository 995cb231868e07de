// SPDX-License-Identifier: Apache-2.0
//
// Catch2 under SystemC's main. SystemC warnings are failures: they are thrown as sc_report.
#include <cstdlib>
#include <systemc>

#include "tests/support/run_cases.h"

int sc_main(int argc, char* argv[])
{
    using namespace sc_core;
    sc_report_handler::set_actions(SC_WARNING, SC_THROW);
    sc_report_handler::set_actions(SC_ERROR, SC_THROW);
    return run_cases(argc, argv);
}

// SystemC's own main would print a banner into every test's output.
int main(int argc, char* argv[])
{
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
