// SPDX-License-Identifier: Apache-2.0
//
// Logarithm and exponential from IEEE 754 operations alone. Those of the C library differ between
// machines in the last bit, which is enough to draw another random number.
#pragma once

namespace ssdvp {

/// Each within 2^-50 of the result. log: x > 0; log1p: x > -1; exp and expm1: |x| < 700.
double portable_log(double x);
double portable_log1p(double x);
double portable_exp(double x);
double portable_expm1(double x);

} // namespace ssdvp
