// SPDX-License-Identifier: Apache-2.0
#include "platform/control/load_writes.h"

#include "platform/config/derived.h"

namespace ssdvp::platform {

load_writes::load_writes(const ssd_config& config, std::uint64_t filled)
    : m_addresses(config, overwrite_source::own, filled), m_buffer(buffer_held(config))
{}

std::uint64_t load_writes::next()
{
    for (;;) {
        if (const auto leaves = m_buffer.write(m_addresses.next())) {
            return *leaves;
        }
    }
}

} // namespace ssdvp::platform
