// SPDX-License-Identifier: Apache-2.0
//
// run.until: steady. The load runs in rounds until the last of them are steady; then as many are
// measured.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/control/completion_hub.h"
#include "platform/control/kept_rounds.h"
#include "platform/report/run_samples.h"
#include "platform/report/steadiness.h"

namespace ssdvp::platform {

/// The rule that a configuration asks for.
[[nodiscard]] steady_rule steady_rule_of(const ssd_config& config);
/// Units that a round of writes has: 5 % of the capacity, and four superblocks.
[[nodiscard]] std::uint64_t round_units(const ssd_config& config);
/// Bytes of the drive that the streams of the load write to, or of what is filled, if that is less.
[[nodiscard]] std::uint64_t written_range(const ssd_config& config);

/// Overwrites go where the load writes, as often as the load does.
[[nodiscard]] bool overwrites_as_load(const ssd_config& config);

class steady_rounds {
public:
    /// Requests between two looks: a round is a multiple of them.
    static constexpr std::uint64_t look_every = 256;

    explicit steady_rounds(const ssd_config& config);
    /// The drive's state is steady before the load begins: rounds are shorter, and judge rates and
    /// write amplification alone. More of them are measured.
    void state_is_steady();
    /// Rounds count from here: the load begins, or the measured part.
    void begin(const run_sample& now);
    /// The same load some requests later. True: a round is over, and next() is due.
    bool look(const run_sample& now);
    /// The next round begins.
    void next(const run_sample& now) { m_last = now; }
    /// The last rounds are steady, or there were so many that nobody waits any longer.
    [[nodiscard]] bool over() const;
    /// There are as many as have to be measured.
    [[nodiscard]] bool measured() const { return m_rounds.size() >= m_to_measure; }
    [[nodiscard]] std::uint64_t complete() const { return m_rounds.size(); }
    /// Empty if they are steady.
    [[nodiscard]] std::string why_not() const;
    [[nodiscard]] double share() const; // of the rounds that there are at most

private:
    [[nodiscard]] bool is_round(const run_sample& r) const;
    [[nodiscard]] bool comparable() const { return m_rounds.size() >= m_rule.rounds; }

    steady_config m_config;
    steady_rule m_rule;
    std::uint32_t m_to_measure; // rounds
    std::uint32_t m_pages_per_block;
    std::uint64_t m_round_bytes; // of writes
    std::uint64_t m_short_bytes; // ... where the state is steady
    std::uint64_t m_range;       // bytes that have to be written; 0: overwriting saw to that
    run_sample m_last;
    std::vector<run_sample> m_rounds; // differences
};

/// A run in such rounds. What it takes of a simulation: the completions, and how time goes on.
class steady_load {
public:
    steady_load(const ssd_config& config, const rounds_heard& heard);
    [[nodiscard]] bool wanted() const { return m_wanted; }

    /// Simulates until the flag is set.
    using simulate_function = std::function<ending(const bool& flag)>;
    /// What ends the workload sets `ended`, and both set what simulate() waits for: `flag`.
    struct workload {
        bool& flag;
        const bool& ended;
        bool settled = false; // the drive's state was steady before it began
    };
    /// Rounds until the load is steady, or ends. `tell`: the share of the rounds at most.
    ending settle(const simulate_function& simulate, const workload& w,
                  const std::function<void(double)>& tell);
    /// The measured part begins.
    void begin();
    /// Some requests more: limit, and true in `enough` when there have been enough of them.
    ending go_on(const simulate_function& simulate, const workload& w, bool& enough);
    /// What is reported.
    struct reported {
        counters& begin;
        counters& end;
        request_statistics& requests;
    };
    /// The run is over. If it was stopped, the rounds before the measured part are reported in its
    /// place, unless that has a complete one.
    void put(measurement& m, bool stopped, const reported& r) const;

private:
    /// Null: there is a complete round in the measured part, or nobody asked for rounds.
    [[nodiscard]] const told_rounds* told() const;
    ending some_requests(const simulate_function& simulate, const workload& w);
    [[nodiscard]] run_sample reading() const { return m_heard.sample(now()); }

    bool m_wanted;
    run_config m_limits;
    rounds_heard m_heard;
    steady_rounds m_rounds;
    bool m_settling = false;  // the rounds have begun
    bool m_measuring = false; // ... and the measured part
    sim_time m_begun;
    std::uint64_t m_next_look = 0; // completions at it, across power cuts; 0: to be said anew
    std::string m_never; // empty: it was steady before the measured part, or nobody asked for it
    std::unique_ptr<kept_rounds> m_kept; // null: nobody asked for rounds
};

} // namespace ssdvp::platform
