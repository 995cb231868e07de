// SPDX-License-Identifier: Apache-2.0
//
// A synthetic stream: addresses of a pattern, kinds by fraction, arrivals by rate or by room.
#pragma once

#include <cstdint>
#include <memory>

#include "models/common/rng.h"
#include "models/host/config.h"
#include "models/host/workload/pattern.h"
#include "models/host/workload/source.h"

namespace ssdvp::host {

class stream_source final : public source {
public:
    /// `capacity`: of the drive, in sectors. Throws std::invalid_argument when the stream does
    /// not fit the drive.
    stream_source(const stream_config& config, std::uint16_t index, std::uint64_t capacity,
                  std::uint64_t seed);

    bool next(sim_time elapsed, request& out) override;
    [[nodiscard]] bool timed() const override { return m_rate_millihertz != 0; }
    [[nodiscard]] std::uint32_t queue_depth() const override
    {
        return timed() ? 0 : m_config.queue_depth;
    }

private:
    request_kind draw_kind();
    void step_arrival();

    stream_config m_config;
    std::uint16_t m_index;
    rng m_random;
    std::uint64_t m_first = 0;       // sector
    std::uint32_t m_block = 0;       // sectors per request
    std::uint64_t m_rate_millihertz; // open loop
    std::unique_ptr<pattern> m_pattern;
    std::uint64_t m_made = 0;         // requests
    std::uint64_t m_writes_since = 0; // since the last flush
    std::uint64_t m_arrivals = 0;
    sim_time m_arrival; // of the next request, open loop
};

} // namespace ssdvp::host
