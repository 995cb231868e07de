// SPDX-License-Identifier: Apache-2.0
//
// The controller of the bank model: books the commands of each transfer ahead, so that its end is
// known at the call. Why that is FR-FCFS, and where it is not: docs/models/dram.md.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dram/activations.h"
#include "models/dram/bank_set.h"
#include "models/dram/column_bus.h"
#include "models/dram/open_time.h"
#include "models/dram/stats.h"

namespace ssdvp::dram {

class command_log;

class bank_schedule {
public:
    /// A run that has found no place when so many bookings were looked at goes behind all of its
    /// banks.
    static constexpr std::uint64_t most_looked = 1024;

    explicit bank_schedule(const dram_config& config);
    bank_schedule(const bank_schedule&) = delete;
    bank_schedule& operator=(const bank_schedule&) = delete;

    /// Books a transfer that is asked for at `from`, not before `present`. Returns when its last
    /// data are on the bus.
    sim_time transfer(sim_time present, sim_time from, std::uint64_t address, std::uint64_t bytes,
                      bool write);
    /// Power goes: what lies behind `present` will not happen.
    void cut(sim_time present);
    /// Tells `log` of every command; nullptr: nobody.
    void attach(command_log* log) { m_log = log; }
    /// Tells the log of all commands before `present`.
    void tell(sim_time present);

    [[nodiscard]] dram_stats stats(sim_time present) const;
    [[nodiscard]] const bank_timing& timing() const { return m_t; }
    /// Bookings looked at so far: the work of all searches, for tests.
    [[nodiscard]] std::uint64_t looked() const { return m_looked; }

private:
    /// Bursts of a transfer that lie in one row.
    struct run {
        std::uint32_t set;
        std::uint64_t row;
        std::uint32_t column; // in bursts, of the set's row
        std::uint32_t bursts;
        bool write;
        [[nodiscard]] std::uint32_t way(std::uint32_t burst, std::uint32_t ways) const
        {
            return (column + burst) & (ways - 1);
        }
    };
    /// Between two refreshes: commands may begin at `open`, all banks are closed at `close`.
    struct epoch {
        sim_time begin; // the refresh before it closes the banks
        sim_time open;
        sim_time close;
        sim_time next; // `open` of the next one
    };
    /// A place for a run, or the next moment to try.
    struct place {
        bank_use use;
        std::uint32_t bursts = 0;
        std::size_t index = 0;   // in its set
        sim_time close;          // of its epoch
        bool takes_over = false; // the ACT of the use behind it, which has begun
        bool reopens = false;    // the use behind it needs an ACT of its own ...
        sim_time act_again;      // ... here
        sim_time retry;
    };

    [[nodiscard]] run run_at(std::uint64_t burst, std::uint64_t last) const;
    [[nodiscard]] column_span span_of(const run& r, sim_time first, std::uint32_t bursts) const;
    [[nodiscard]] epoch epoch_of(sim_time t);
    place find(const run& r, sim_time from);
    [[nodiscard]] sim_time behind_all(const run& r);
    bool opens_row(const run& r, sim_time from, const epoch& e, place& p);
    bool before_refresh(const epoch& e, place& p) const;
    bool leaves_next(const run& r, place& p);
    bool opens_again(const run& r, place& p);
    void commit(const run& r, const place& p);
    void settle_next(const place& p, bank_use& next);
    void rechain(bank_set& s, std::size_t i, sim_time close);
    [[nodiscard]] sim_time own_ready(const bank_use& u) const
    {
        return u.last + m_t.to_close(u.write);
    }
    [[nodiscard]] bool open_policy() const { return m_config.policy == page_policy::open; }
    void count(row_state s, std::uint64_t n);
    void change(bank_use& u, row_state s);
    void tell_use(std::uint32_t set, const bank_use& u);
    [[nodiscard]] std::uint64_t refreshes_until(sim_time t) const;

    dram_config m_config;
    bank_timing m_t;
    std::uint32_t m_burst_bytes, m_columns, m_chunk; // of a set's row; bursts of a chunk
    std::vector<bank_set> m_sets;
    column_bus m_bus;
    activations m_acts;
    open_time m_open;
    epoch m_epoch; // the one asked for last
    dram_stats m_stats;
    std::uint64_t m_not_refreshed = 0; // refreshes that fell into times without power
    bool m_off = false;
    sim_time m_off_since;
    std::uint64_t m_looked = 0;
    command_log* m_log = nullptr;
    std::uint64_t m_told = 0; // groups of refreshes
};

} // namespace ssdvp::dram
