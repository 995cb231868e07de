// SPDX-License-Identifier: Apache-2.0
//
// A trace, record by record: what both passes over the file do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "models/host/workload/trace.h"
#include "models/host/workload/trace_text.h"

namespace ssdvp::host {

class trace_reader {
public:
    /// `remedy`: what an error of a line says behind its cause.
    trace_reader(const trace_config& config, trace_format format, std::string remedy)
        : m_text(config.file), m_parser(make_line_parser(format)), m_remedy(std::move(remedy))
    {
        if (const std::string lack = m_parser->set_columns(config.csv); !lack.empty()) {
            throw trace_error(config.file + ": " + lack);
        }
    }

    /// The next record that holds a request; false at the end. Throws trace_error.
    bool next(trace_record& record)
    {
        std::string_view line;
        while (m_text.next(line)) {
            if (const std::string why = m_parser->parse(line, record); !why.empty()) {
                throw trace_error(m_text.at_column(m_parser->column(), why + m_remedy));
            }
            if (!record.empty) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] static std::uint64_t number_of(const trace_record& record)
    {
        return record.device & 0xFFFFFFFF;
    }
    [[nodiscard]] static bool is_wanted(const trace_config& config, const trace_record& record)
    {
        return config.device < 0 || number_of(record) == static_cast<std::uint64_t>(config.device);
    }
    [[nodiscard]] const trace_text& text() const { return m_text; }

private:
    trace_text m_text;
    std::unique_ptr<line_parser> m_parser;
    std::string m_remedy;
};

} // namespace ssdvp::host
