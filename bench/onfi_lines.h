// SPDX-License-Identifier: Apache-2.0
//
// A trace of `ssdvp run --onfi-trace`, line by line.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/time.h"
#include "models/host/workload/trace_text.h"
#include "models/protocols/onfi.h"

namespace ssdvp::bench {

enum class line_kind { cycles, rb_low, rb_high, plane_ready, power_off };

struct onfi_line {
    line_kind kind = line_kind::cycles;
    sim_time when;
    sim_time end;
    sim_time data; // cycles with data: the first of them
    flash::channel_index channel;
    onfi::extension group; // of other kinds: LUN and plane
    std::uint32_t bytes = 0;
    bool taken = false;
    bool ready = false; // R/B#
};

class onfi_lines {
public:
    /// Throws host::trace_error or std::runtime_error.
    explicit onfi_lines(const std::string& file);
    /// False at the end.
    bool next(onfi_line& line);
    /// "FILE:LINE: what"
    [[nodiscard]] std::string at(const std::string& what) const
    {
        return m_text.at_column(1, what);
    }

private:
    void split(std::string_view line);
    /// Of the line at hand; empty: 0.
    [[nodiscard]] const std::string& text(const char* column) const;
    [[nodiscard]] std::uint64_t number(const char* column) const;
    [[nodiscard]] sim_time time(const char* column) const;
    [[nodiscard]] onfi::opcode code(const char* column) const;
    void read_group(onfi_line& line) const;

    host::trace_text m_text;
    std::map<std::string, std::size_t> m_columns; // number by name
    std::vector<std::string> m_fields;
};

} // namespace ssdvp::bench
