// SPDX-License-Identifier: Apache-2.0
//
// Where the requests of a fio job go, and how long they are: a size must fit what is left there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/common/rng.h"
#include "models/host/workload/fio_job.h"
#include "models/host/workload/taken_blocks.h"
#include "models/host/workload/written_pieces.h"
#include "models/host/workload/zipf.h"
#include "models/host/workload/zone_writer.h"

namespace ssdvp::host {

class fio_positions {
public:
    /// Precondition: every size of every kind in use fits the job's range.
    fio_positions(const fio_job& job, std::uint64_t seed);

    /// The next request of that kind; none: the pass is over.
    std::optional<fio_place> next(fio_kind kind, rng& random);
    /// A pass over the range begins.
    void begin_pass();

private:
    /// How a pass touches every block once.
    enum class once : std::uint8_t {
        no,
        in_order, // blocks of one size: a permutation, which needs no memory
        by_map    // of several sizes: a map of what is taken, as in fio
    };
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
    using place = std::optional<std::uint64_t>;

    fio_place zone_write(rng& random);
    void set_up_law(const fio_direction& c, direction& d) const;
    [[nodiscard]] once how_often() const;
    void begin_order();
    place random_block(const fio_direction& c, const direction& d, rng& random);
    place random_place(const fio_direction& c, const direction& d, rng& random);
    [[nodiscard]] place sequential(const fio_direction& c, const direction& d) const;
    [[nodiscard]] std::uint64_t in_zone(const fio_direction& c, rng& random) const;
    [[nodiscard]] static std::uint32_t draw_size(const fio_direction& c, std::uint64_t room,
                                                 rng& random);

    const fio_job& m_job;
    std::uint64_t m_seed;
    std::array<direction, fio_kinds> m_kinds;
    once m_once = once::no;
    scatter m_order;
    std::uint64_t m_orders = 0; // so many were begun
    std::uint64_t m_drawn = 0;  // of this one
    std::uint32_t m_unit = 1;   // sectors of a block of the map
    taken_blocks m_map;
    std::optional<zone_writer> m_zones; // of random writes
    std::uint64_t m_together = 0;       // requests before the next random one
};

} // namespace ssdvp::host
