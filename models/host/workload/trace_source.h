// SPDX-License-Identifier: Apache-2.0
//
// Replays a trace: second pass over the file, record by record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/host/workload/source.h"
#include "models/host/workload/trace.h"
#include "models/host/workload/trace_reader.h"

namespace ssdvp::host {

class trace_source final : public source {
public:
    /// `summary` of scan_trace; `capacity` of the drive in sectors. Throws trace_error when the
    /// trace does not fit and must.
    trace_source(const trace_config& config, trace_summary summary, std::uint64_t capacity,
                 std::uint16_t index);

    bool next(sim_time elapsed, request& out) override;
    [[nodiscard]] bool timed() const override { return m_config.replay != trace_replay::asap; }
    [[nodiscard]] std::uint32_t queue_depth() const override { return m_config.queue_depth; }
    [[nodiscard]] std::string error() const override { return m_error; }

private:
    bool read_record();
    void place(const trace_record& record);
    [[nodiscard]] sim_time arrival_of(trace_time time);
    [[nodiscard]] std::uint64_t base_of(std::uint64_t device);

    trace_config m_config;
    trace_summary m_summary;
    std::vector<std::uint32_t> m_order; // of its devices, by their names
    std::size_t m_device = 0;           // among them: of the record before
    std::uint64_t m_capacity;
    std::uint16_t m_index;
    trace_reader m_reader;
    std::uint64_t m_scale = 0; // times in units of 2^-32
    std::string m_error;

    trace_time m_first = 0;
    trace_time m_last = 0;
    bool m_started = false;
    request m_piece;          // of the current record: what is left of it
    std::uint32_t m_left = 0; // sectors
    bool m_flush = false;     // a Flush comes before them, or alone
};

} // namespace ssdvp::host
