// SPDX-License-Identifier: Apache-2.0
//
// The LRU stack model over the range: temporal locality without a fixed set of popular blocks.
#include "models/host/workload/lru_stack.h"
#include "models/host/workload/pattern.h"

namespace ssdvp::host {

namespace {

class lru final : public pattern {
public:
    lru(const stream_config& config, std::uint64_t blocks) : m_region(config, blocks) {}
    std::uint64_t next(rng& random) override { return m_region.next(random); }

private:
    lru_region m_region;
};

} // namespace

std::unique_ptr<pattern> make_lru(const stream_config& config, std::uint64_t blocks)
{
    return std::make_unique<lru>(config, blocks);
}

} // namespace ssdvp::host
