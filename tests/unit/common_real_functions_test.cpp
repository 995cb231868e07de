// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "models/common/real_functions.h"

namespace common_real_functions_test {

using namespace ssdvp;

namespace {

/// Relative to the C library's result, whose own error is far below an ulp in long double.
double error(double ours, long double exact)
{
    return exact == 0.0L ? std::fabs(ours) : std::fabs(static_cast<double>((ours - exact) / exact));
}

constexpr double bound = 0x1p-50;

} // namespace

TEST_CASE("logarithms agree with the C library's long double")
{
    for (int e = -1000; e <= 1000; e += 7) {
        for (const double part : {1.0, 1.1, 1.4142, 1.4143, 1.7, 1.9999999}) {
            const double x = std::ldexp(part, e);
            CHECK(error(portable_log(x), std::log(static_cast<long double>(x))) < bound);
        }
    }
    for (int e = -60; e <= -1; ++e) {
        for (const double part : {1.0, 1.2, 1.5, 1.9}) {
            const double x = std::ldexp(part, e);
            CHECK(error(portable_log1p(x), std::log1p(static_cast<long double>(x))) < bound);
            CHECK(error(portable_log1p(-x), std::log1p(static_cast<long double>(-x))) < bound);
        }
    }
    CHECK(portable_log(1.0) == 0.0);
    CHECK(portable_log1p(0.0) == 0.0);
}

TEST_CASE("exponentials agree with the C library's long double")
{
    for (int i = -6990; i <= 6990; i += 3) {
        const double x = i / 10.0;
        CHECK(error(portable_exp(x), std::exp(static_cast<long double>(x))) < bound);
        const double y = i / 1000.0;
        CHECK(error(portable_expm1(y), std::expm1(static_cast<long double>(y))) < 4 * bound);
    }
    CHECK(portable_exp(0.0) == 1.0);
    CHECK(portable_expm1(0.0) == 0.0);
}

TEST_CASE("the functions give these bits on every machine")
{
    // Reference values of this implementation, worked out once.
    CHECK(portable_log(10.0) == 0x1.26bb1bbb55516p+1);
    CHECK(portable_log1p(-0.625) == -0x1.f62f40794a7b8p-1);
    CHECK(portable_exp(-3.7) == 0x1.9511fc6871044p-6);
    CHECK(portable_expm1(0.2) == 0x1.c56ecf2c56468p-3);
}

} // namespace common_real_functions_test
