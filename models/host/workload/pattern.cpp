// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/pattern.h"

#include <stdexcept>

namespace ssdvp::host {

namespace {

struct maker {
    pattern_kind kind;
    std::unique_ptr<pattern> (*make)(const stream_config&, std::uint64_t);
};

constexpr maker makers[] = {
    {pattern_kind::uniform, make_uniform},   {pattern_kind::sequential, make_sequential},
    {pattern_kind::hot_cold, make_hot_cold}, {pattern_kind::lru, make_lru},
    {pattern_kind::hclru, make_hclru},       {pattern_kind::zipf, make_zipf},
};

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
