// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/ecc/code_words.h"

#include <algorithm>

namespace ssdvp::flash {

/// The words of a page share its parity evenly; what is no whole byte is rounded up per transfer.
code_words::code_words(const channel_config& config)
    : m_size(std::min(config.ecc.codeword, config.die.geo.page_size))
{
    if (!config.ecc_parity || config.ecc.parity == 0) {
        return;
    }
    const std::uint64_t all = (config.die.geo.page_size + m_size - 1) / m_size;
    for (std::uint64_t words = 0; words <= all; ++words) {
        m_parity.push_back(static_cast<std::uint32_t>((words * config.ecc.parity + all - 1) / all));
    }
}

} // namespace ssdvp::flash
