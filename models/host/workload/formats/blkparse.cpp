// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/line_parser.h"

#include <algorithm>
#include <iterator>

namespace ssdvp::host {

namespace {

/// blkparse's letters: F for a Flush before it, then W, D (discard), R, F (a Flush alone) or N (no
/// request of ours), then F for Force Unit Access and others that do not matter here.
bool parse_rwbs(std::string_view text, trace_record& out)
{
    out.flush_first = text.size() > 1 && text[0] == 'F';
    text.remove_prefix(out.flush_first ? 1 : 0);
    if (text.empty()) {
        return false;
    }
    switch (text[0]) {
    case 'R':
        out.kind = request_kind::read;
        break;
    case 'W':
        out.kind = request_kind::write;
        break;
    case 'D':
        out.kind = request_kind::trim;
        break;
    case 'F':
        out.kind = request_kind::flush;
        break;
    case 'N':
        out.empty = true;
        break;
    default:
        return false;
    }
    out.fua = out.kind == request_kind::write && text.find('F') != std::string_view::npos;
    return text.find_first_not_of("RWDFNEASM") == std::string_view::npos;
}

/// major,minor as one number, as the kernel keeps it.
bool parse_block_device(std::string_view text, std::uint64_t& out)
{
    const std::size_t comma = text.find(',');
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    if (comma == std::string_view::npos || !parse_number(text.substr(0, comma), major) ||
        !parse_number(text.substr(comma + 1), minor) || major >= 1u << 11 || minor >= 1u << 20) {
        return false;
    }
    out = major << 20 | minor;
    return true;
}

bool is_one_of(std::string_view text, const std::string_view* begin, const std::string_view* end)
{
    return std::find(begin, end, text) != end;
}

/// What the kernel does with a request, as blkparse's manual lists it.
bool is_action(std::string_view text)
{
    constexpr std::string_view known[] = {"A", "B", "C", "D", "F", "G",  "I", "M", "P",
                                          "Q", "R", "S", "T", "U", "UT", "X", "m"};
    return is_one_of(text, std::begin(known), std::end(known));
}

/// A line of the totals behind the records.
bool is_total(const line_fields& f)
{
    constexpr std::string_view known[] = {"Total", "Reads", "Read",       "Writes", "Write", "PC",
                                          "IO",    "Timer", "Throughput", "Events", "Skips"};
    return f.text[0].substr(0, 3) == "CPU" ||
           is_one_of(f.text[0], std::begin(known), std::end(known));
}

/// major,minor cpu number seconds pid action rwbs [sector + sectors] [process]. Requests are the
/// records with action Q (queued); others tell what the kernel then did with them. After the
/// records blkparse prints totals.
class blkparse_parser final : public line_parser {
    std::string parse_line(std::string_view line, trace_record& out) override
    {
        const line_fields f = split_spaces(line);
        if (is_total(f)) {
            out.empty = true;
            return {};
        }
        if (!parse_block_device(f.text[0], out.device)) {
            return bad("device", f.text[0], "major,minor");
        }
        if (f.count < 6 || (f.count == 6 && f.text[5] == "Q")) {
            return bad_count(f.count, "7 or more separated by blanks");
        }
        if (!parse_decimal(f.text[3], 12, out.time)) {
            return bad("time", f.text[3], "a number of seconds");
        }
        if (!is_action(f.text[5])) {
            return bad("action", f.text[5], "a letter of blkparse");
        }
        out.empty = f.text[5] != "Q";
        return out.empty ? std::string() : parse_request(line, f, out);
    }
    std::string parse_request(std::string_view line, const line_fields& f, trace_record& out)
    {
        if (!parse_rwbs(f.text[6], out)) {
            return bad("operation", f.text[6], "R, W, D or F with blkparse's letters around it");
        }
        if (f.count < 10 || f.text[8] != "+") { // a Flush alone is an empty write
            const bool flush = out.flush_first || out.kind == request_kind::flush;
            out.kind = request_kind::flush;
            return flush || out.empty ? std::string()
                                      : bad_at(line.substr(line.size()), "no \"sector + sectors\"");
        }
        if (out.kind == request_kind::flush) {
            return {};
        }
        std::uint64_t sectors = 0;
        if (!parse_number(f.text[7], out.sector) || out.sector > (1ull << 53)) {
            return bad("sector", f.text[7], "a sector number");
        }
        if (!parse_number(f.text[9], sectors) || sectors > 0xFFFFFFFF) {
            return bad("length", f.text[9], "a number of sectors");
        }
        out.sectors = static_cast<std::uint32_t>(sectors);
        return sectors != 0 || out.empty ? std::string() : bad_at(f.text[9], "request of length 0");
    }
};

} // namespace

std::unique_ptr<line_parser> make_blkparse()
{
    return std::make_unique<blkparse_parser>();
}

} // namespace ssdvp::host
