// SPDX-License-Identifier: Apache-2.0
//
// No dead options: two runs that differ in one key, and which of them measures less.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/platform_run.h"

namespace ssdvp::test {

struct direction {
    const char* option; // key
    const char* less;   // value that gives the smaller result
    const char* more;
    measure_fn measure;
    std::vector<const char*> also; // --set texts of both runs
};

/// `files` and `common` are those of both runs.
inline void check_direction(const direction& d, const std::vector<std::string>& files,
                            std::vector<std::string> common)
{
    common.insert(common.end(), d.also.begin(), d.also.end());
    const auto measured = [&](const char* value) {
        std::vector<std::string> sets = common;
        sets.push_back(std::string(d.option) + "=" + value);
        return measure_apart(files, sets, d.measure);
    };
    const double a = measured(d.less);
    const double b = measured(d.more);
    INFO(d.option << "=" << d.less << " gives " << a << ", =" << d.more << " gives " << b);
    CHECK(a < b);
}

} // namespace ssdvp::test
