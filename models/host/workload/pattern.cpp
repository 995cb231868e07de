// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/pattern.h"

#include <stdexcept>

namespace ssdvp::host {

namespace {

struct maker {
    pattern_kind kind;
    std::unique_ptr<pattern> (*make)(const stream_config&, std::uint64_t);
};

#define SSDVP_PATTERN_MAKER(id, about) {pattern_kind::id, make_##id},
constexpr maker makers[] = {HOST_PATTERNS(SSDVP_PATTERN_MAKER)};
#undef SSDVP_PATTERN_MAKER

} // namespace

std::unique_ptr<pattern> make_pattern(const stream_config& config, std::uint64_t blocks)
{
    for (const maker& m : makers) {
        if (m.kind == config.pattern) {
            return m.make(config, blocks);
        }
    }
    throw std::invalid_argument("stream " + config.name + ": pattern without implementation");
}

} // namespace ssdvp::host
