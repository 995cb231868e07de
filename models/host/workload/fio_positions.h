// SPDX-License-Identifier: Apache-2.0
//
// Where the requests of a fio job go.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/common/rng.h"
#include "models/host/workload/fio_job.h"
#include "models/host/workload/zipf.h"

namespace ssdvp::host {

class fio_positions {
public:
    /// Precondition: every size of every kind in use fits the job's range.
    fio_positions(const fio_job& job, std::uint64_t seed);

    /// First sector, from the start of the range, of the next request of that kind.
    std::uint64_t next(fio_kind kind, std::uint32_t sectors, rng& random);
    /// A pass over the range begins.
    void begin_pass();
    /// A pass touches every block once, and no other.
    [[nodiscard]] bool mapped() const { return m_mapped; }

private:
    struct direction {
        std::uint64_t blocks = 0;
        std::optional<zipf_ranks> ranks;
        double pareto_power = 0.0;
        std::uint64_t deviation = 0;
        std::uint64_t shift = 0;
        std::uint64_t last_start = 0; // of the last request
        std::uint64_t position = 0;   // where it ended
        bool begun = false;
    };

    std::uint64_t random_block(fio_kind kind, rng& random);
    std::uint64_t sequential(const direction& d, std::uint32_t sectors) const;
    std::uint64_t in_zone(const fio_direction& d, std::uint32_t sectors, rng& random) const;
    bool same_sizes() const;

    const fio_job& m_job;
    std::uint64_t m_seed;
    std::array<direction, fio_kinds> m_kinds;
    scatter m_map;
    bool m_mapped = false;
    std::uint64_t m_pass = 0;
    std::uint64_t m_drawn = 0;    // of the map, in this pass
    std::uint64_t m_together = 0; // requests before the next random one
};

} // namespace ssdvp::host
