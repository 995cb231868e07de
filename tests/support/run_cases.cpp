// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "tests/support/run_cases.h"

int run_cases(int argc, char* argv[])
{
    return Catch::Session().run(argc, argv);
}
