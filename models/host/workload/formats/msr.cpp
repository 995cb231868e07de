// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/line_parser.h"

namespace ssdvp::host {

namespace {

/// timestamp,host,disk,Read|Write,offset,size[,response]; timestamp in 100 ns
class msr_parser final : public line_parser {
    std::string parse_line(std::string_view line, trace_record& out) override
    {
        const line_fields f = split_commas(line);
        if (f.count != 7 && f.count != 6) {
            return bad_count(f.count, "7 separated by commas");
        }
        std::uint64_t disk = 0;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
        if (!parse_decimal(f.text[0], 5, out.time)) {
            return bad("timestamp", f.text[0], "a number of 100 ns units");
        }
        if (!parse_number(f.text[2], disk) || disk > 0xFFFFFFFF) {
            return bad("disk", f.text[2], "a number");
        }
        if (!parse_operation(f.text[3], out.kind)) {
            return bad("operation", f.text[3], "Read or Write");
        }
        if (!parse_number(f.text[4], offset)) {
            return bad("offset", f.text[4], "a number of bytes");
        }
        if (!parse_number(f.text[5], bytes)) {
            return bad("size", f.text[5], "a number of bytes");
        }
        out.device = name_index(f.text[1]) << 32 | disk;
        return set_bytes(out, offset, bytes, f.text[5]);
    }
};

} // namespace

std::unique_ptr<line_parser> make_msr()
{
    return std::make_unique<msr_parser>();
}

} // namespace ssdvp::host
