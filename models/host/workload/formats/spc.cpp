// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/line_parser.h"

#include "models/common/data_mode.h"

namespace ssdvp::host {

namespace {

/// asu,lba,size,r|w,time; lba in sectors, size in bytes, time in seconds
class spc_parser final : public line_parser {
    std::string parse_line(std::string_view line, trace_record& out) override
    {
        const line_fields f = split_commas(line);
        if (f.count < 5) {
            return bad_count(f.count, "5 separated by commas");
        }
        std::uint64_t lba = 0;
        std::uint64_t bytes = 0;
        if (!parse_number(f.text[0], out.device) || out.device > 0xFFFFFFFF) {
            return bad("asu", f.text[0], "a number");
        }
        if (!parse_number(f.text[1], lba) || lba > (1ull << 53)) {
            return bad("lba", f.text[1], "a sector number");
        }
        if (!parse_number(f.text[2], bytes)) {
            return bad("size", f.text[2], "a number of bytes");
        }
        if (!parse_operation(f.text[3], out.kind)) {
            return bad("operation", f.text[3], "r or w");
        }
        if (!parse_decimal(f.text[4], 12, out.time)) {
            return bad("time", f.text[4], "a number of seconds");
        }
        return set_bytes(out, lba * sector_size, bytes, f.text[2]);
    }
};

} // namespace

std::unique_ptr<line_parser> make_spc()
{
    return std::make_unique<spc_parser>();
}

} // namespace ssdvp::host
