// SPDX-License-Identifier: Apache-2.0
#include "platform/control/what_if.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "platform/control/rerun.h"
#include "platform/report/format.h"

namespace ssdvp::platform {

namespace {

namespace json = boost::json;

/// "read IOPS: 48.2 k, then 57.8 k (+19.9 %)".
std::string change_of(const json::value& before, const json::value& after, const char* kind,
                      const char* key, const char* name)
{
    const std::string pointer = fmt::format("/host/{}/{}", kind, key);
    const double a = number_at(before, pointer);
    const double b = number_at(after, pointer);
    if (a == 0.0 || b == 0.0) {
        return {};
    }
    return fmt::format("              {} {}: {}, then {} ({:+.1f} %)\n", kind, name, text_rough(a),
                       text_rough(b), 100.0 * (b / a - 1.0));
}

} // namespace

std::string what_if(const command_line& line, const std::filesystem::path& directory,
                    const bottleneck& limit)
{
    const auto& [key, value] = limit.what_if;
    if (key.empty()) {
        return "  what if     no part of the drive limits it: nothing is tried\n";
    }
    const json::value after = rerun(line, directory, {"--what-if", key, value, "what_if"});
    const json::value before = summary_in(directory);
    std::string text =
        fmt::format("  what if     {}={}: 20 % faster, from the same state\n", key, value);
    for (const char* kind : {"read", "write"}) {
        text += change_of(before, after, kind, "iops", "IOPS");
        text += change_of(before, after, kind, "latency_ns/mean", "mean latency, ns");
        text += change_of(before, after, kind, "latency_ns/p99", "p99 latency, ns");
    }
    return text + fmt::format("              more in {}\n", (directory / "what_if").string());
}

} // namespace ssdvp::platform
