// SPDX-License-Identifier: Apache-2.0
//
// Random writes to zones, as fio's zonemode=zbd makes them: a zone is drawn, and written where its
// last write ended; a full one begins anew, and the driver resets it then.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/rng.h"

namespace ssdvp::host {

class zone_writer {
public:
    /// `open`: zones that are written in turns; 0 = any number of them.
    zone_writer(std::uint64_t zones, std::uint64_t zone_sectors, std::uint32_t open);
    /// The first sector of the next write, from the first zone's start.
    std::uint64_t next(rng& random);
    /// Sectors from there to the end of its zone.
    [[nodiscard]] std::uint64_t room() const { return m_size - m_written[m_open[m_turn]]; }
    /// The write that next() placed has so many.
    void wrote(std::uint32_t sectors);

private:
    std::uint64_t m_size;
    std::size_t m_most;
    std::vector<std::uint64_t> m_written; // sectors of each zone
    std::vector<std::uint64_t> m_open;    // zones, of which some are written in part
    std::size_t m_turn = 0;               // of them
};

} // namespace ssdvp::host
