// SPDX-License-Identifier: Apache-2.0
//
// What is told of a trace that was replayed.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>

namespace ssdvp::platform {

/// As its file was read.
struct trace_account {
    std::uint64_t requests = 0;
    std::uint64_t repeat = 1; // times that it is replayed
    std::uint64_t raised = 0; // times earlier than the one before, which they became
    std::uint64_t folded = 0; // requests beyond the drive's end, folded back onto it
};

[[nodiscard]] boost::json::object trace_section(const trace_account& t);
[[nodiscard]] std::string trace_text(const trace_account& t); // for people

} // namespace ssdvp::platform
