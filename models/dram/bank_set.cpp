// SPDX-License-Identifier: Apache-2.0
#include "models/dram/bank_set.h"

namespace ssdvp::dram {

void bank_set::give_room()
{
    m_uses.erase(m_uses.begin(), m_uses.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
}

} // namespace ssdvp::dram
