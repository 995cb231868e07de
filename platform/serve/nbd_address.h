// SPDX-License-Identifier: Apache-2.0
//
// Where a server listens: a Unix socket, or a TCP port of this machine.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ssdvp::platform {

/// The server cannot be started as asked. what() names the option, the reason and the remedy.
class serve_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct nbd_address {
    std::string unix_path; // either this ...
    std::string host;      // ... or these
    std::uint16_t port = 0;
    bool remote = false; // not of this machine: reachable from elsewhere
    [[nodiscard]] bool is_unix() const { return !unix_path.empty(); }
};

/// Of --nbd-unix PATH. Throws serve_error.
[[nodiscard]] nbd_address unix_address(const std::string& path);
/// Of --nbd-tcp HOST:PORT. Throws serve_error; also for another host than this one, unless allowed.
[[nodiscard]] nbd_address tcp_address(const std::string& text, bool allow_remote);

} // namespace ssdvp::platform
