// SPDX-License-Identifier: Apache-2.0
//
// Compiled without contraction to fused operations (CMakeLists.txt), which round once and not
// twice.
#include "models/common/real_functions.h"

#include <cmath>

namespace ssdvp {

namespace {

constexpr double ln2_high = 0x1.62e42fee00000p-1; // 33 bits: its product with an exponent is exact
constexpr double ln2_low = 0x1.a39ef35793c76p-33;

/// 2 atanh(r) = log((1 + r) / (1 - r)) for |r| <= 0.18.
double twice_atanh(double r)
{
    const double square = r * r;
    double sum = 0.0;
    for (int k = 23; k >= 3; k -= 2) {
        sum = (sum + 1.0 / k) * square;
    }
    return 2.0 * (r + r * sum);
}

/// (exp(x) - 1) for |x| <= 0.36.
double short_expm1(double x)
{
    double sum = 0.0;
    for (int k = 15; k >= 2; --k) {
        sum = (sum + 1.0) * (x / k);
    }
    return x + x * sum;
}

} // namespace

double portable_log(double x)
{
    int exponent = 0;
    double part = std::frexp(x, &exponent); // exact, like ldexp and floor
    if (part < 0.70710678118654752) {
        part *= 2.0;
        --exponent;
    }
    const double small = twice_atanh((part - 1.0) / (part + 1.0));
    return exponent * ln2_high + (exponent * ln2_low + small);
}

double portable_log1p(double x)
{
    return std::fabs(x) < 0.3 ? twice_atanh(x / (2.0 + x)) : portable_log(1.0 + x);
}

double portable_exp(double x)
{
    const double exponent = std::floor(x / (ln2_high + ln2_low) + 0.5);
    const double rest = (x - exponent * ln2_high) - exponent * ln2_low;
    return std::ldexp(1.0 + short_expm1(rest), static_cast<int>(exponent));
}

double portable_expm1(double x)
{
    return std::fabs(x) < 0.35 ? short_expm1(x) : portable_exp(x) - 1.0;
}

} // namespace ssdvp
