// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/core_timing.h"

namespace ssdvp::cpu {

namespace {

std::array<double, instruction_classes - 1> cycles_by_class(const core_timing& t)
{
    return {t.alu, t.multiply, t.divide, t.load, t.store, t.branch, t.call, t.system};
}

} // namespace

double instructions_of(const class_counts& counts)
{
    double sum = 0;
    for (std::size_t c = 0; c + 1 < instruction_classes; ++c) {
        sum += counts[c];
    }
    return sum;
}

double cycles_of(const class_counts& counts, const core_timing& timing)
{
    const auto cycles = cycles_by_class(timing);
    double sum = counts[static_cast<std::size_t>(instruction_class::taken)] * timing.taken;
    for (std::size_t c = 0; c < cycles.size(); ++c) {
        sum += counts[c] * (1.0 / timing.issue_width + cycles[c] - 1.0);
    }
    return sum;
}

// Arithmetic on wide numbers: of ten instructions a taken branch, else integer arithmetic.
double mean_cycles(const core_timing& timing)
{
    class_counts ten{};
    ten[static_cast<std::size_t>(instruction_class::alu)] = 0.8;
    ten[static_cast<std::size_t>(instruction_class::branch)] = 0.2;
    ten[static_cast<std::size_t>(instruction_class::taken)] = 0.1;
    return cycles_of(ten, timing);
}

} // namespace ssdvp::cpu
