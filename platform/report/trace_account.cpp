// SPDX-License-Identifier: Apache-2.0
#include "platform/report/trace_account.h"

#include <fmt/format.h>

#include "platform/report/format.h"

namespace ssdvp::platform {

boost::json::object trace_section(const trace_account& t)
{
    return {{"requests", t.requests},
            {"repeat", t.repeat},
            {"raised_times", t.raised},
            {"folded", t.folded}};
}

std::string trace_text(const trace_account& t)
{
    std::string text = text_count(t.requests) + " requests";
    if (t.repeat != 1) {
        text += fmt::format(", replayed {} times", text_count(t.repeat));
    }
    if (t.raised != 0) {
        text += fmt::format(", {} with a time before the last one's, raised to it",
                            text_count(t.raised));
    }
    if (t.folded != 0) {
        text += fmt::format(", {} beyond the drive's end, folded", text_count(t.folded));
    }
    return text;
}

} // namespace ssdvp::platform
