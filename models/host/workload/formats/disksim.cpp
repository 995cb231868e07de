// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/ascii.h"

namespace ssdvp::host {

namespace {

class disksim_parser final : public ascii_parser {
public:
    disksim_parser() : ascii_parser(9, "a number of milliseconds") {}

private:
    /// Flags in hexadecimal, bit 0 = read.
    std::string parse_kind(std::string_view text, request_kind& kind) override
    {
        std::uint64_t flags = 0;
        if (!parse_number(text, flags, 16)) {
            return bad("flags", text, "a hexadecimal number");
        }
        kind = (flags & 1) == 0 ? request_kind::write : request_kind::read;
        return {};
    }
};

} // namespace

std::unique_ptr<line_parser> make_disksim()
{
    return std::make_unique<disksim_parser>();
}

} // namespace ssdvp::host
