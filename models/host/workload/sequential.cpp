// SPDX-License-Identifier: Apache-2.0
//
// From the first block of the range to the last, then again from the first.
#include "models/host/workload/pattern.h"

namespace ssdvp::host {

namespace {

class sequential final : public pattern {
public:
    explicit sequential(std::uint64_t blocks) : m_blocks(blocks) {}
    std::uint64_t next(rng&) override
    {
        const std::uint64_t block = m_next;
        m_next = m_next + 1 == m_blocks ? 0 : m_next + 1;
        return block;
    }

private:
    std::uint64_t m_blocks;
    std::uint64_t m_next = 0;
};

} // namespace

std::unique_ptr<pattern> make_sequential(const stream_config&, std::uint64_t blocks)
{
    return std::make_unique<sequential>(blocks);
}

} // namespace ssdvp::host
