// SPDX-License-Identifier: Apache-2.0
//
// From the last block to the first, and again.
#include "models/host/workload/pattern.h"

namespace ssdvp::host {

namespace {

class backwards final : public pattern {
public:
    explicit backwards(std::uint64_t blocks) : m_blocks(blocks), m_next(blocks) {}
    std::uint64_t next(rng& /*random*/) override
    {
        m_next = m_next == 0 ? m_blocks - 1 : m_next - 1;
        return m_next;
    }

private:
    std::uint64_t m_blocks;
    std::uint64_t m_next;
};

} // namespace

std::unique_ptr<pattern> make_backwards(const stream_config& /*config*/, std::uint64_t blocks)
{
    return std::make_unique<backwards>(blocks);
}

} // namespace ssdvp::host
