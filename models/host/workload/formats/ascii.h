// SPDX-License-Identifier: Apache-2.0
//
// Formats of five fields between blanks: time device sector sectors operation.
#pragma once

#include <string>
#include <string_view>

#include "models/host/workload/formats/line_parser.h"

namespace ssdvp::host {

class ascii_parser : public line_parser {
protected:
    /// The time is a number of units of 10^exponent ps; `unit` names it in messages.
    ascii_parser(unsigned exponent, const char* unit) : m_exponent(exponent), m_unit(unit) {}
    std::string parse_line(std::string_view line, trace_record& out) final;
    /// Empty, or what is wrong with the last field.
    virtual std::string parse_kind(std::string_view text, request_kind& kind);

private:
    unsigned m_exponent;
    const char* m_unit;
};

} // namespace ssdvp::host
