// SPDX-License-Identifier: Apache-2.0
//
// When the state of a drive that is overwritten by counts is steady: what lies in its superblocks,
// and what collection finds in those that it takes, change no more.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/report/confidence.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

class settling {
public:
    /// Of a drive with so many units that are filled.
    settling(ssd& drive, std::uint64_t filled);
    /// The first unit comes.
    void begin();
    /// One more was written.
    void wrote()
    {
        if (++m_written == m_round) {
            look();
        }
    }
    [[nodiscard]] bool steady() const { return m_steady; }
    /// It is, or was not for so long that nobody waits any more.
    [[nodiscard]] bool over() const;
    /// Write amplification of collection in each round since the state was that of the load, by
    /// MSER: data of different ages come and go in waves.
    [[nodiscard]] std::vector<double> levels() const;
    /// Units of a round.
    [[nodiscard]] std::uint64_t round() const { return m_round; }
    /// After which it is steady at the earliest.
    [[nodiscard]] std::uint64_t least_units() const;

private:
    struct reading {
        std::uint64_t moved = 0;    // units, by collection
        std::uint64_t runs = 0;     // superblocks it took
        std::vector<double> shares; // quantiles of what is valid in a full superblock
    };
    [[nodiscard]] reading read();
    void look();
    [[nodiscard]] bool collects_alike() const;
    [[nodiscard]] bool looks_alike() const;
    /// As many as there are at least.
    [[nodiscard]] std::uint64_t rounds() const;
    /// Of each round since its own data are what collection finds: units freed with what they held,
    /// by units freed.
    [[nodiscard]] std::vector<batch> since_settled() const;
    [[nodiscard]] double amplification(std::size_t from, std::size_t to) const;

    ssd& m_drive;
    std::uint64_t m_superblock; // units
    std::uint64_t m_round;      // units
    std::uint64_t m_written = 0;
    bool m_steady = false;
    std::vector<reading> m_readings;
};

} // namespace ssdvp::platform
