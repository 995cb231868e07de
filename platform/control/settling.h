// SPDX-License-Identifier: Apache-2.0
//
// When the state of a drive that is overwritten by counts is steady: what lies in its superblocks,
// and what collection finds in those that it takes, change no more.
#pragma once

#include <cstdint>
#include <vector>

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
    /// How far the write amplification of collection in a fifth of the last turn is off that of the
    /// whole, as a share: data of different ages come round in waves that are a turn long.
    [[nodiscard]] double waves() const;
    /// Units of a turn.
    [[nodiscard]] std::uint64_t turn() const;
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
    [[nodiscard]] double amplification(std::size_t from, std::size_t to) const;

    ssd& m_drive;
    std::uint64_t m_superblock; // units
    std::uint64_t m_round;      // units
    std::uint64_t m_written = 0;
    bool m_steady = false;
    std::vector<reading> m_readings;
};

} // namespace ssdvp::platform
