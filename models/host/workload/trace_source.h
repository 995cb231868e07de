// SPDX-License-Identifier: Apache-2.0
//
// Replays a trace: second pass over the file, record by record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/host/workload/source.h"
#include "models/host/workload/trace.h"
#include "models/host/workload/trace_bases.h"
#include "models/host/workload/trace_reader.h"

namespace ssdvp::host {

class trace_source final : public source {
public:
    /// `summary` of scan_trace, for a drive of `capacity` sectors.
    trace_source(const trace_config& config, trace_summary summary, std::uint64_t capacity,
                 std::uint16_t index);

    bool next(sim_time elapsed, request& out) override;
    [[nodiscard]] bool timed() const override { return m_config.replay != trace_replay::asap; }
    [[nodiscard]] std::uint32_t queue_depth() const override { return m_config.queue_depth; }
    [[nodiscard]] std::string error() const override { return m_error; }

private:
    void begin();
    bool read_record();
    void place(const trace_record& record);
    [[nodiscard]] sim_time arrival_of(trace_time time);

    trace_config m_config;
    trace_summary m_summary;
    trace_bases m_bases;
    std::uint64_t m_capacity;
    std::uint16_t m_index;
    std::optional<trace_reader> m_reader;
    std::uint64_t m_left_over; // times that the file is to be replayed again
    std::uint64_t m_scale = 0; // times in units of 2^-32
    std::string m_error;

    trace_time m_before = 0; // that the replays before this one took
    trace_time m_first = 0;
    trace_time m_last = 0;
    bool m_started = false;
    request m_piece;          // of the current record: what is left of it
    std::uint32_t m_left = 0; // sectors
    bool m_flush = false;     // a Flush comes before them, or alone
};

} // namespace ssdvp::host
