// SPDX-License-Identifier: Apache-2.0
//
// The measured part as a series of pieces: what each was like. A piece ends with a request: the
// one that makes it long enough. By default pieces have equal numbers of requests; when there are
// too many, each two become one and pieces are twice as long from then on: memory stays small and
// a plot stays readable however long the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/log_buckets.h"
#include "models/host/request.h"
#include "platform/report/energy.h"
#include "platform/report/measurement.h"

namespace ssdvp::platform {

/// Latencies of a piece. Percentiles are exact within 1/128.
class piece_latencies {
public:
    using cells = log_buckets<6>;
    struct cell {
        std::uint32_t index;
        std::uint32_t count;
    };

    [[nodiscard]] std::uint64_t percentile(double share) const; // ps
    void merge(const piece_latencies& other);

    std::vector<cell> occupied; // ascending
    std::uint64_t count = 0;
    uint128 sum = 0; // ps
    std::uint64_t max = 0;
};

struct series_piece {
    struct kind {
        std::uint64_t requests = 0;
        std::uint64_t bytes = 0; // of those that succeeded
        std::uint64_t errors = 0;
        piece_latencies latency;
    };
    sim_time begin; // since the measured part began
    sim_time end;
    std::array<kind, host::request_kinds> kinds;
    std::array<std::uint64_t, FLASH_PURPOSES> programmed{}; // bytes
    std::uint64_t erases = 0;
    std::uint64_t suspends = 0;
    std::uint64_t gc_runs = 0;
    std::uint64_t checkpoints = 0;
    std::uint64_t power_cuts = 0;
    std::uint64_t free_blocks = 0;  // at its end
    std::uint64_t buffer_dirty = 0; // likewise, units
    sim_time channels;              // busy: sums over those that there are
    sim_time dram;
    sim_time link_up;
    sim_time link_down;
    std::vector<sim_time> cores; // by number
    std::vector<sim_time> luns;  // by channel, then LUN
    std::array<double, 5> joules{};
    // With a thermal model: degrees Celsius at its end; time of light and of heavy throttling, with
    // what the drive was stopped for.
    std::array<double, 3> celsius{};
    std::array<sim_time, 2> throttled{};
    telemetry_slc slc{}; // of an SLC cache: gauges at its end, counters of the piece
    // With power states: joules drawn asleep, and time in each.
    double asleep = 0.0;
    std::vector<sim_time> states;

    /// With the piece behind it.
    void merge(const series_piece& next);
};

class run_series {
public:
    static constexpr std::size_t most = 1000;      // pieces of equal numbers of requests
    static constexpr std::uint64_t shortest = 128; // requests of a piece, at first
    static constexpr std::array joule_names = {"nand", "dram", "channels", "link", "cores"};

    /// `interval`: least length of a piece; 0: by numbers of requests.
    explicit run_series(sim_time interval, const energy_figures& energy = {});

    /// The measured part begins.
    void begin(const counters& now);
    /// True: the piece is long enough, and take() is to be called. Allocates nothing.
    [[nodiscard]] bool completed(const host::request_result& result);
    void take(const counters& now);
    /// The measured part ends.
    void end(const counters& now);

    [[nodiscard]] const std::vector<series_piece>& pieces() const { return m_pieces; }
    /// docs/results.md lists its columns.
    [[nodiscard]] std::string csv() const;

private:
    struct open_kind {
        std::uint64_t requests = 0;
        std::uint64_t bytes = 0;
        std::uint64_t errors = 0;
        uint128 sum = 0;
        std::uint64_t max = 0;
        std::vector<std::uint32_t> cells;   // counts
        std::vector<std::uint32_t> touched; // indices of those that are not 0
    };
    [[nodiscard]] static series_piece::kind close(open_kind& k);
    void halve();

    sim_time m_interval;
    energy_figures m_energy;
    counters m_first; // when the measured part began: what there is
    counters m_last;
    std::array<open_kind, host::request_kinds> m_open;
    std::uint64_t m_requests = 0; // of the open piece
    std::uint64_t m_wanted = shortest;
    std::vector<series_piece> m_pieces;
};

} // namespace ssdvp::platform
