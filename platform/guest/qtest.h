// SPDX-License-Identifier: Apache-2.0
//
// Interrupt messages without KVM: what QEMU's qtest socket writes to an address does what a
// device's write would.
#pragma once

#include <cstdint>
#include <string>

#include "platform/guest/file_handle.h"

namespace ssdvp::platform {

class qtest {
public:
    /// Tries to connect to the socket at `path`; false: QEMU does not listen yet.
    bool connect(const std::string& path);
    /// A write of 32 bits. Answers are read and dropped.
    void write_long(std::uint64_t address, std::uint32_t data);

private:
    void drop_answers();

    file_handle m_socket;
};

} // namespace ssdvp::platform
