// SPDX-License-Identifier: Apache-2.0
//
// Addresses of RAID-0: chunk c of the array is chunk c / n of member c mod n. What a request asks
// of one member lies there without a gap, however many chunks it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "models/host/raid/config.h"

namespace ssdvp::host {

class stripe_map {
public:
    struct extent { // of a member
        std::uint64_t lba = 0;
        std::uint32_t sectors = 0; // 0: nothing of it
    };

    stripe_map(std::uint32_t members, std::uint64_t chunk_sectors)
        : m_members(members), m_chunk(chunk_sectors)
    {}

    /// Sectors of an array whose smallest member has so many: whole chunks of each.
    [[nodiscard]] std::uint64_t capacity(std::uint64_t smallest) const
    {
        return smallest / m_chunk * m_chunk * m_members;
    }
    /// What of [lba, lba + sectors) lies on `member`. Precondition: sectors > 0.
    [[nodiscard]] extent on(std::uint32_t member, std::uint64_t lba, std::uint32_t sectors) const;
    /// The array's address of a member's sector.
    [[nodiscard]] std::uint64_t address_of(std::uint32_t member, std::uint64_t lba) const
    {
        return (lba / m_chunk * m_members + member) * m_chunk + lba % m_chunk;
    }
    /// Some member has more than one chunk of it.
    [[nodiscard]] bool wraps(std::uint64_t lba, std::uint32_t sectors) const
    {
        return (lba + sectors - 1) / m_chunk - lba / m_chunk >= m_members;
    }
    /// Calls fn(member, offset, sectors) for each chunk in turn; `offset` from `lba`.
    template <typename Fn>
    void for_each_chunk(std::uint64_t lba, std::uint32_t sectors, Fn fn) const
    {
        for (std::uint32_t at = 0; at < sectors;) {
            const std::uint64_t left = m_chunk - (lba + at) % m_chunk;
            const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, sectors - at));
            fn(static_cast<std::uint32_t>((lba + at) / m_chunk % m_members), at, n);
            at += n;
        }
    }

private:
    std::uint32_t m_members;
    std::uint64_t m_chunk; // sectors
};

inline stripe_map map_of(const array_config& config, std::size_t members)
{
    return {static_cast<std::uint32_t>(members), config.chunk / sector_size};
}

/// Sectors of an array.
inline std::uint64_t array_capacity(const array_config& config, std::size_t members,
                                    std::uint64_t smallest)
{
    return config.level == raid_level::mirror ? smallest
                                              : map_of(config, members).capacity(smallest);
}

/// What the array calls the sector at `lba` of `member`.
inline std::uint64_t array_address(const array_config& config, std::size_t members,
                                   std::uint32_t member, std::uint64_t lba)
{
    return config.level == raid_level::mirror ? lba
                                              : map_of(config, members).address_of(member, lba);
}

} // namespace ssdvp::host
