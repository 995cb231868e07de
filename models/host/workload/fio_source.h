// SPDX-License-Identifier: Apache-2.0
//
// Requests of one job of a fio job file.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/rng.h"
#include "models/host/workload/fio_job.h"
#include "models/host/workload/fio_positions.h"
#include "models/host/workload/source.h"
#include "models/host/workload/written_pieces.h"

namespace ssdvp::host {

class fio_source final : public source {
public:
    /// Precondition: the job fits the drive.
    fio_source(const fio_job& job, std::uint16_t index, std::uint64_t seed);

    bool next(sim_time elapsed, request& out) override;
    /// Arrivals are its own: the moment at which fio would have submitted.
    [[nodiscard]] bool timed() const override { return true; }
    [[nodiscard]] std::uint32_t queue_depth() const override { return m_job.depth; }
    [[nodiscard]] std::uint32_t refill_at() const override { return m_job.refill_at; }
    [[nodiscard]] bool drains() const override { return m_drain; }
    [[nodiscard]] start_after starts_after() const override
    {
        return {m_job.phase, m_job.after.first, m_job.after.second};
    }

private:
    enum class part : std::uint8_t { main, revisit, verify, flush, over };
    struct piece {
        std::uint64_t lba = 0;
        std::uint32_t sectors = 0;
    };
    /// Written blocks that a later request reads back, or trims, once there are `capacity`.
    struct backlog {
        std::vector<piece> pieces; // reserved, never grown
        std::size_t given = 0;
        [[nodiscard]] bool due() const
        {
            return pieces.capacity() != 0 && pieces.size() == pieces.capacity();
        }
    };

    [[nodiscard]] fio_kind draw_kind();
    [[nodiscard]] fio_kind draw_mixed();
    [[nodiscard]] bool due(fio_kind kind, sim_time t) const;
    fio_kind paced(fio_kind kind, sim_time& t);
    void charge(fio_kind kind, std::uint32_t sectors);
    [[nodiscard]] bool all_done() const;
    [[nodiscard]] bool pass_follows() const;
    void end_pass();
    void again();
    void drain_to(part p);
    bool main_request(sim_time elapsed, request& out);
    bool place_request(fio_kind kind, request& out);
    void count(fio_kind kind, const request& out);
    bool revisit_request(request& out);
    bool verify_request(request& out);
    bool issue(request& out, sim_time arrival);
    void remember(const request& out);
    void think(sim_time elapsed);
    void skip_thinking();

    const fio_job m_job;
    std::uint16_t m_index;
    rng m_random;
    fio_positions m_positions;
    sim_time m_deadline; // 0 = none
    part m_part = part::main;
    part m_after_revisit = part::main;
    bool m_drain = false; // what is in flight completes before the next request
    bool m_thinks = false;
    sim_time m_hold; // nothing before this
    sim_time m_last_think;
    std::uint64_t m_since_think = 0;

    std::uint64_t m_passes = 0;
    std::uint64_t m_bytes = 0;  // of reads, writes and trims of the main part, in all passes;
    std::uint64_t m_issued = 0; // their number; a trim that a write follows does not count
    std::uint64_t m_pass_issued = 0;
    std::uint64_t m_writes = 0; // since the last Flush
    bool m_pass_over = false;
    bool m_write_next = false; // trim_then_write
    piece m_trimmed;
    struct mix {
        fio_kind kind = fio_kind::read;        // of the last request
        std::array<std::uint64_t, 2> issued{}; // reads, writes
        std::uint64_t until = 0;               // no draw before so many of `kind`
    };
    mix m_mix;
    fio_kind m_last = fio_kind::read;
    std::array<sim_time, fio_kinds> m_due{};
    std::array<sim_time, fio_kinds> m_rate_start{};
    std::array<std::uint64_t, fio_kinds> m_rated{}; // bytes, or requests, issued so far

    std::uint32_t m_longest = 1; // sectors of a request
    written_pieces m_written;    // in this pass
    backlog m_to_verify;
    backlog m_to_trim;
};

} // namespace ssdvp::host
