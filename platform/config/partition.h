// SPDX-License-Identifier: Apache-2.0
//
// A drive whose FTL runs on several cores (cpu.ftl_cores): each has a partition of the drive, with
// a complete FTL and an equal part of the channels, of both memories, of the buffer and of the
// addresses. These go to the partitions in turn, a stripe each.
#pragma once

#include <cstdint>

#include "platform/config/config.h"

namespace ssdvp::platform {

/// Of addresses that follow each other: what of them is one partition's follows each other there.
constexpr std::uint64_t stripe_bytes = 128 * 1024;

[[nodiscard]] constexpr bool is_divided(const ssd_config& c)
{
    return c.ftl_cores > 1;
}
[[nodiscard]] constexpr std::uint64_t stripe_units(const ssd_config& c)
{
    return stripe_bytes / c.ftl.map_unit;
}

/// One partition as a drive of its own, of any of them; a drive that is not divided, as it is. What
/// is not of the flash and the FTL stays: cores, host, times.
[[nodiscard]] ssd_config partition_of(const ssd_config& drive);

/// A map unit by its partition.
struct partition_unit {
    std::uint32_t partition = 0;
    std::uint64_t unit = 0; // from the start of the partition
};

/// Units of the drive and of its partitions. Precondition of all: `stripe` units of a stripe, at
/// least one, and `count` partitions, at least one.
class partition_map {
public:
    partition_map(std::uint32_t count, std::uint64_t stripe) : m_count(count), m_stripe(stripe) {}
    explicit partition_map(const ssd_config& c) : partition_map(c.ftl_cores, stripe_units(c)) {}

    [[nodiscard]] std::uint32_t count() const { return m_count; }
    [[nodiscard]] partition_unit local(std::uint64_t unit) const
    {
        const std::uint64_t stripe = unit / m_stripe;
        return {static_cast<std::uint32_t>(stripe % m_count),
                stripe / m_count * m_stripe + unit % m_stripe};
    }
    [[nodiscard]] std::uint64_t global(const partition_unit& u) const
    {
        return (u.unit / m_stripe * m_count + u.partition) * m_stripe + u.unit % m_stripe;
    }
    /// Of the first `units` of the drive those that are of one partition: its first ones.
    [[nodiscard]] std::uint64_t share(std::uint32_t partition, std::uint64_t units) const
    {
        const std::uint64_t turn = m_stripe * m_count;
        const std::uint64_t rest = units % turn;
        const std::uint64_t before = partition * m_stripe;
        const std::uint64_t last = rest <= before ? 0 : rest - before;
        return units / turn * m_stripe + (last < m_stripe ? last : m_stripe);
    }

private:
    std::uint32_t m_count;
    std::uint64_t m_stripe; // units
};

} // namespace ssdvp::platform
