// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_cases.h"

int main(int argc, char* argv[])
{
    return run_cases(argc, argv);
}
