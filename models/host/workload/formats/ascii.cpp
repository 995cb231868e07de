// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/ascii.h"

namespace ssdvp::host {

std::string ascii_parser::parse_line(std::string_view line, trace_record& out)
{
    const line_fields f = split_spaces(line);
    if (f.count != 5) {
        return bad_count(f.count, "5 separated by blanks");
    }
    std::uint64_t sectors = 0;
    if (!parse_decimal(f.text[0], m_exponent, out.time)) {
        return bad("time", f.text[0], m_unit);
    }
    if (!parse_number(f.text[1], out.device) || out.device > 0xFFFFFFFF) {
        return bad("device", f.text[1], "a number");
    }
    if (!parse_number(f.text[2], out.sector) || out.sector > (1ull << 53)) {
        return bad("sector", f.text[2], "a sector number");
    }
    if (!parse_number(f.text[3], sectors) || sectors > 0xFFFFFFFF) {
        return bad("length", f.text[3], "a number of sectors");
    }
    if (sectors == 0) {
        return bad_at(f.text[3], "request of length 0");
    }
    out.sectors = static_cast<std::uint32_t>(sectors);
    return parse_kind(f.text[4], out.kind);
}

std::string ascii_parser::parse_kind(std::string_view text, request_kind& kind)
{
    std::uint64_t operation = 0;
    if (!parse_number(text, operation) || operation > 1) {
        return bad("operation", text, "0 (write) or 1 (read)");
    }
    kind = operation == 0 ? request_kind::write : request_kind::read;
    return {};
}

} // namespace ssdvp::host
