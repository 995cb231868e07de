// SPDX-License-Identifier: Apache-2.0
//
// The hot or the cold part of the range, then the LRU stack model inside that part.
#include <optional>

#include "models/host/workload/hot_cold.h"
#include "models/host/workload/lru_stack.h"
#include "models/host/workload/pattern.h"

namespace ssdvp::host {

namespace {

class hclru final : public pattern {
public:
    hclru(const stream_config& config, std::uint64_t blocks)
        : m_parts(config, blocks), m_hot(config, m_parts.hot_blocks())
    {
        if (m_parts.cold_blocks() != 0) {
            m_cold.emplace(config, m_parts.cold_blocks());
        }
    }
    std::uint64_t next(rng& random) override
    {
        return m_parts.hot(random) ? m_hot.next(random)
                                   : m_parts.hot_blocks() + m_cold->next(random);
    }

private:
    hot_cold_parts m_parts;
    lru_region m_hot;
    std::optional<lru_region> m_cold;
};

} // namespace

std::unique_ptr<pattern> make_hclru(const stream_config& config, std::uint64_t blocks)
{
    return std::make_unique<hclru>(config, blocks);
}

} // namespace ssdvp::host
