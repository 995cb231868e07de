// SPDX-License-Identifier: Apache-2.0
//
// The last complete rounds of run.until: steady before its measured part: what a run reports that
// is stopped there. Two windows hear of all requests, each from where a round began. The older one
// is told, as of the last round that is complete. When it is twice as long as it has to be, it
// begins anew, and the other one is the older.
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

class kept_rounds {
public:
    using counter_reading = std::function<counters()>;
    /// Tells at least so many rounds, once there were as many.
    kept_rounds(std::uint64_t least, std::size_t streams, counter_reading read,
                run_sampler::flash_reading flash);

    /// The load begins: it is heard from now on.
    void begin(completion_hub& hub);
    void round_is_over();
    /// Nobody is heard any more. Without a complete round what there was of the first is told.
    void end(completion_hub& hub);
    [[nodiscard]] const told_rounds& told() const { return m_told; }

private:
    class window final : public host::request_observer {
    public:
        window(std::size_t streams, const run_sampler::flash_reading& flash);
        window(const window&) = delete;
        window& operator=(const window&) = delete;
        void begin(const counters& now);
        void on_complete(const host::request_result& result) override;
        [[nodiscard]] told_rounds told(const counters& now) const;

        std::uint64_t rounds = 0;

    private:
        counters m_begin;
        request_statistics m_requests;
        run_sampler m_sampler;
    };

    std::uint64_t m_least;
    counter_reading m_read;
    std::array<window, 2> m_windows;
    std::size_t m_older = 0;
    told_rounds m_told;
};

} // namespace ssdvp::platform
