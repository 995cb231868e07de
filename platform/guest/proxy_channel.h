// SPDX-License-Identifier: Apache-2.0
//
// QEMU's multi-process protocol on a stream socket, the side of the device (x-pci-proxy-dev): a
// header {int32 command, 4 bytes of padding, uint64 size}, then `size` bytes; little endian.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "platform/guest/file_handle.h"

namespace ssdvp::platform {

/// The guest's memory from now on: pieces of files.
struct share_memory {
    struct piece {
        file_handle file;
        std::uint64_t address; // in the guest
        std::uint64_t size;
        std::uint64_t offset; // in the file
    };
    std::vector<piece> pieces;
};

/// An access to the configuration space.
struct config_access {
    bool write;
    std::uint32_t offset;
    std::uint32_t value; // of a write
    unsigned length;     // 1, 2 or 4
};

/// An access to a BAR.
struct bar_access {
    bool write;
    std::uint64_t address; // in the guest
    std::uint64_t value;   // of a write
    unsigned length;       // 1, 2, 4 or 8
};

struct device_reset {};

/// Something that needs no answer and tells us nothing.
struct not_for_us {};

using proxy_message =
    std::variant<not_for_us, share_memory, config_access, bar_access, device_reset>;

class proxy_channel {
public:
    explicit proxy_channel(file_handle socket) : m_socket(std::move(socket)) {}

    /// Is there a message, or will there be one within `milliseconds`? Also true when the other
    /// side has gone.
    [[nodiscard]] bool wait(int milliseconds) const;
    /// The next message; none: the other side has gone. Throws proxy_error when it is malformed.
    std::optional<proxy_message> receive();
    /// Answers the access or the reset that came last.
    void reply(std::uint64_t value);

private:
    bool read(void* to, std::size_t length, std::vector<file_handle>& files);

    file_handle m_socket;
};

} // namespace ssdvp::platform
