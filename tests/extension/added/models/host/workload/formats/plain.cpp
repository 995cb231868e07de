// SPDX-License-Identifier: Apache-2.0
//
// Lines of microseconds, r or w, sector and sectors.
#include "models/host/workload/formats/line_parser.h"

namespace ssdvp::host {

namespace {

class plain_parser final : public line_parser {
    std::string parse_line(std::string_view line, trace_record& out) override
    {
        const line_fields f = split_spaces(line);
        std::uint64_t sectors = 0;
        if (f.count != 4) {
            return bad_count(f.count, "4 separated by blanks");
        }
        if (!parse_decimal(f.text[0], 6, out.time)) {
            return bad("time", f.text[0], "a number of microseconds");
        }
        if (!parse_operation(f.text[1], out.kind)) {
            return bad("operation", f.text[1], "r or w");
        }
        if (!parse_number(f.text[2], out.sector) || out.sector > (1ull << 53)) {
            return bad("sector", f.text[2], "a sector number");
        }
        if (!parse_number(f.text[3], sectors) || sectors == 0 || sectors > 0xFFFFFFFF) {
            return bad("length", f.text[3], "a number of sectors");
        }
        out.sectors = static_cast<std::uint32_t>(sectors);
        return {};
    }
};

} // namespace

std::unique_ptr<line_parser> make_plain()
{
    return std::make_unique<plain_parser>();
}

} // namespace ssdvp::host
