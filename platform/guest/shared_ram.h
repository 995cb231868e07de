// SPDX-License-Identifier: Apache-2.0
//
// The guest's memory, mapped here.
#pragma once

#include <vector>

#include "models/host/guest/guest_driver.h"
#include "platform/guest/proxy_channel.h"

namespace ssdvp::platform {

class shared_ram {
public:
    shared_ram() = default;
    ~shared_ram() { unmap(); }
    shared_ram(const shared_ram&) = delete;
    shared_ram& operator=(const shared_ram&) = delete;

    /// Replaces what was mapped before. Throws proxy_error when a piece cannot be mapped.
    const std::vector<host::guest_ram>& map(const share_memory& memory);

private:
    void unmap();

    std::vector<host::guest_ram> m_ram;
};

} // namespace ssdvp::platform
