// SPDX-License-Identifier: Apache-2.0
//
// The last complete rounds of run.until: steady before its measured part: what a run reports that
// is stopped there. The statistics of the run hear of each round, and are added to two windows when
// it is over. The older one is told, as of the last round that is complete. When it is twice as
// long as it has to be, it begins anew, and the other one is the older.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "platform/control/completion_hub.h"
#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"
#include "platform/report/run_samples.h"

namespace ssdvp::platform {

/// A part of a run that is a number of rounds.
struct told_rounds {
    std::uint64_t rounds = 0;
    counters begin;
    counters end;
    request_statistics requests;
    std::vector<run_sample> samples;
    std::vector<latency_piece> latencies;
};

/// What it takes of a run. `requests` hear of each request, and forget them with each round.
struct rounds_heard {
    completion_hub& hub;
    request_statistics& requests;
    std::function<counters()> read;
    sample_reading sample; // with those of the round
};

class kept_rounds {
public:
    /// Tells at least so many rounds, once there were as many.
    kept_rounds(std::uint64_t least, std::size_t streams, const rounds_heard& heard);

    /// The load begins: it is heard from now on.
    void begin();
    void round_is_over();
    /// Nobody is heard any more. Without a complete round what there was of the first is told.
    void end();
    [[nodiscard]] const told_rounds& told() const { return m_told; }

private:
    class window {
    public:
        window(std::size_t streams, const sample_reading& sample);
        window(const window&) = delete;
        window& operator=(const window&) = delete;
        void begin(const counters& now, std::uint64_t piece);
        void add(const request_statistics& round) { m_requests.add(round); }
        /// What it has of those rounds goes there; they were over at `end`.
        void tell(const counters& end, told_rounds& to);
        [[nodiscard]] run_sampler& sampler() { return m_sampler; }

        std::uint64_t rounds = 0; // complete ones

    private:
        counters m_begin;
        request_statistics m_requests; // of those rounds
        run_sampler m_sampler;
    };

    void begin_window(const counters& now, std::uint64_t piece);

    rounds_heard m_heard;
    std::uint64_t m_least;
    std::array<window, 2> m_windows;
    std::size_t m_begun = 0; // of the windows
    std::size_t m_older = 0;
    bool m_is_told = false; // all of the older window was; else it is to be
    counters m_end;         // of the last complete round
    told_rounds m_told;
};

} // namespace ssdvp::platform
