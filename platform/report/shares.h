// SPDX-License-Identifier: Apache-2.0
//
// Shares that are told in percent. Part and whole are counted over the same set by the same block,
// so that no share is above 1: an identity (identities.h) checks each of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/report/measurement.h"

namespace ssdvp::platform {

struct share {
    std::string what; // "<parts> of <the whole>"
    std::uint64_t part = 0;
    std::uint64_t whole = 0;
    [[nodiscard]] double value() const
    {
        return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    }
};

/// Of the units put into the write buffer, those that it holds more than at the beginning.
[[nodiscard]] share buffered_share(const measurement& m);

/// Of the sectors read, those that nobody had written.
[[nodiscard]] share unwritten_share(const measurement& m);

/// These and all others of the measured part.
[[nodiscard]] std::vector<share> shares_of(const measurement& m);

} // namespace ssdvp::platform
