// SPDX-License-Identifier: Apache-2.0
//
// What a host command of each kind costs firmware, without a note in the firmware. Work overlaps:
// at no moment is firmware busy with one command alone. So a run is cut into short windows, of
// which is known how many requests of each kind ended and what each part of the firmware spent, and
// costs are fitted to them by least squares, none below 0.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/host/request.h"

namespace ssdvp::platform {

enum class command_kind : std::size_t { read_flash, read_buffer, write, trim, flush };
constexpr std::size_t command_kinds = 5;
constexpr std::array<const char*, command_kinds> command_kind_names = {"read_flash", "read_buffer",
                                                                       "write", "trim", "flush"};

class command_costs {
public:
    static constexpr std::uint64_t window = 32; // requests

    void begin(const std::vector<std::int64_t>& spent); // by group, in 1/256 instruction
    /// True: a window is full, and close() is due.
    bool completed(const host::request_result& request);
    void close(const std::vector<std::int64_t>& spent);

    struct result {
        std::array<std::uint64_t, command_kinds> requests{};
        std::array<double, command_kinds> bytes{}; // mean
        /// Instructions of a request, by group and kind.
        std::vector<std::array<double, command_kinds>> cost;
        std::uint64_t windows = 0;
        double error = 0; // of a window's instructions: root mean square over the mean
    };
    [[nodiscard]] result fit() const;

private:
    using vector = std::array<double, command_kinds>;

    vector m_now{};                               // requests of the window, by kind
    std::vector<std::int64_t> m_last;             // spent when it began
    std::array<vector, command_kinds> m_normal{}; // sums of products of counts
    std::vector<vector> m_right;                  // of counts and instructions, by group
    double m_squares = 0;                         // of all instructions
    double m_sum = 0;
    vector m_requests{};
    vector m_bytes{};
    std::uint64_t m_count = 0; // in the window
    std::uint64_t m_windows = 0;
};

/// x >= 0 that minimises |A x - b|, of A'A and A'b: one coordinate after the other.
[[nodiscard]] std::array<double, command_kinds>
fit_positive(const std::array<std::array<double, command_kinds>, command_kinds>& normal,
             const std::array<double, command_kinds>& right);

} // namespace ssdvp::platform
