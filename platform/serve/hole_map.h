// SPDX-License-Identifier: Apache-2.0
//
// Where nobody has written since the server's start or since a trim. It is a hint where to look,
// not what a client is told: a hole counts when the drive reads as zeros there, for a firmware may
// keep what a trim does not cover in whole, and an image brings earlier data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace ssdvp::platform {

class hole_map {
public:
    /// Of ranges: then the smallest are forgotten, which only makes them data.
    static constexpr std::size_t most = 65536;

    struct range {
        std::uint64_t end; // byte behind it
        bool hole;
    };

    /// All of the drive is a hole.
    explicit hole_map(std::uint64_t bytes);

    void trimmed(std::uint64_t begin, std::uint64_t end);
    void written(std::uint64_t begin, std::uint64_t end);
    /// What `byte` lies in.
    [[nodiscard]] range at(std::uint64_t byte) const;
    [[nodiscard]] std::size_t ranges() const { return m_holes.size(); }

private:
    void add(std::uint64_t begin, std::uint64_t end);

    std::uint64_t m_bytes;
    std::map<std::uint64_t, std::uint64_t> m_holes; // end by begin; neither touch nor overlap
};

} // namespace ssdvp::platform
