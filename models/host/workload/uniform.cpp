// SPDX-License-Identifier: Apache-2.0
//
// Every block equally likely.
#include "models/host/workload/pattern.h"

namespace ssdvp::host {

namespace {

class uniform final : public pattern {
public:
    explicit uniform(std::uint64_t blocks) : m_blocks(blocks) {}
    std::uint64_t next(rng& random) override { return random.below(m_blocks); }

private:
    std::uint64_t m_blocks;
};

} // namespace

std::unique_ptr<pattern> make_uniform(const stream_config&, std::uint64_t blocks)
{
    return std::make_unique<uniform>(blocks);
}

} // namespace ssdvp::host
