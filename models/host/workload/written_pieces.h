// SPDX-License-Identifier: Apache-2.0
//
// What a job has written and not trimmed since, in the pieces in which it wrote it.
#pragma once

#include <cstdint>
#include <vector>

namespace ssdvp::host {

/// Sectors from the start of a job's range.
struct fio_place {
    std::uint64_t first = 0;
    std::uint32_t sectors = 0;
};

class written_pieces {
public:
    written_pieces() = default; // keeps nothing
    /// Places are multiples of `unit` sectors.
    written_pieces(std::uint64_t sectors, std::uint32_t unit);
    [[nodiscard]] bool kept() const { return m_units != 0; }
    void write(const fio_place& at) { mark(at, true); }
    void trim(const fio_place& at) { mark(at, false); }
    /// The next piece; false: there is none, and all are forgotten.
    bool next(fio_place& out);

private:
    using bits = std::vector<std::uint64_t>;
    static bool get(const bits& b, std::uint64_t i) { return (b[i / 64] >> i % 64 & 1) != 0; }
    static void set(bits& b, std::uint64_t i, bool value);
    void mark(const fio_place& at, bool written);

    std::uint64_t m_units = 0;
    std::uint32_t m_unit = 1;
    bits m_written; // per unit
    bits m_starts;  // of pieces
    std::uint64_t m_cursor = 0;
};

} // namespace ssdvp::host
