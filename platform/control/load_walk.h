// SPDX-License-Identifier: Apache-2.0
//
// The requests of a load one by one, without the time that they take: in the order of each stream,
// and of several streams in the shares that they have of all requests.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/host/config.h"
#include "models/host/workload/source.h"

namespace ssdvp::platform {

class load_walk {
public:
    using sources = std::vector<std::unique_ptr<host::source>>;

    /// `shares`: of each stream, above 0 in sum. None of them ends.
    load_walk(sources streams, const std::vector<double>& shares);

    /// The next one; its arrival says nothing.
    const host::request& next();
    /// So many so far.
    [[nodiscard]] std::uint64_t position() const { return m_position; }
    /// The streams go on where they are, for a host that begins with them.
    sources rest();

private:
    struct stream {
        std::unique_ptr<host::source> from;
        double share;
        double due = 0.0;   // of the requests, not yet taken
        sim_time arrival{}; // of the last one
    };
    std::vector<stream> m_streams;
    host::request m_request;
    std::uint64_t m_position = 0;
    double m_all = 0.0; // sum of the shares
};

/// What each stream asks for: its rate or its depth.
[[nodiscard]] std::vector<double> shares_asked_for(const host::workload_config& load);

} // namespace ssdvp::platform
