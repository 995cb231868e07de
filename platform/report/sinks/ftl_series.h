// SPDX-License-Identifier: Apache-2.0
//
// What the flash did for each hundred reads and writes of the host, as FTL papers count it: T = R +
// 7 W + 63 E, with pages read R, pages programmed W and blocks erased E. Read from the counters of
// channels and firmware when the hundredth request completes: what is under way then belongs to
// the hundred that follows. One request at a time has nothing under way but what firmware does in
// the background.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/host/request.h"
#include "platform/report/measurement.h"

namespace ssdvp::platform {

class ftl_series {
public:
    static constexpr std::uint64_t requests_per_line = 100; // as in the tables of the papers

    /// `page` bytes of a page of the part.
    explicit ftl_series(std::uint32_t page) : m_page(page) {}

    /// The measured part begins.
    void begin(const counters& now) { m_last = reading_of(now); }
    /// True: it was the last request of a line, whose reading is wanted.
    [[nodiscard]] bool completed(const host::request_result& result);
    /// Reading for the line that completed(), or the end of the measured part, makes.
    void take(const counters& now);
    /// The measured part ends, with a shorter line if requests are left.
    void end(const counters& now);

    [[nodiscard]] std::string csv() const;

private:
    struct reading {
        std::array<purpose_statistics, FLASH_PURPOSES> by_purpose{};
        std::uint64_t scans = 0; // out-of-place search, pages
        sim_time when;
    };
    struct line {
        std::uint64_t requests = 0;
        std::uint64_t pages = 0; // that they read or wrote, whole or in part
        reading spent;           // when: at its end
    };
    [[nodiscard]] static reading reading_of(const counters& now);

    std::uint32_t m_page;
    reading m_last;
    line m_open;
    std::vector<line> m_lines;
};

} // namespace ssdvp::platform
