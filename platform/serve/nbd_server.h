// SPDX-License-Identifier: Apache-2.0
//
// The NBD server: one thread of its own for all sockets and signals. It knows the simulation only
// by a block_door and its gate.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "platform/serve/block_door.h"
#include "platform/serve/nbd_address.h"
#include "platform/serve/nbd_connection.h"

namespace ssdvp::platform {

struct nbd_server_options {
    nbd_address address;
    std::uint32_t connections = 16;              // at a time
    std::chrono::milliseconds handshake{10000};  // from the connection to the first request's turn
    std::function<void(const std::string&)> log; // called by the server's thread
    void (*second_signal)(int) = nullptr;        // see serve_options
};

/// Of the whole life of a server.
struct nbd_server_counts {
    std::uint64_t connections = 0;
    std::uint64_t requests = 0;
    std::uint64_t refused = 0; // connections beyond the limit
    std::uint64_t broken = 0;  // connections closed for what the client sent
};

class nbd_server {
public:
    /// Binds, so that clients wait from here on. Throws serve_error.
    nbd_server(const nbd_server_options& options, gate& way);
    /// Closes everything. No request may be under way.
    ~nbd_server();
    nbd_server(const nbd_server&) = delete;
    nbd_server& operator=(const nbd_server&) = delete;

    [[nodiscard]] block_door& door();
    /// The port or path, as clients name it: an NBD URI.
    [[nodiscard]] std::string uri() const;
    /// Begins to take connections.
    void open(const nbd_export& what);
    /// From now on the export takes no writes.
    void make_read_only();
    /// As a signal does: no new connection or request; the gate ends when all is answered.
    void drain();
    /// SIGINT or SIGTERM that came, else 0.
    [[nodiscard]] int signal() const;
    /// After the gate has ended.
    [[nodiscard]] nbd_server_counts counts() const;

private:
    class state;
    std::unique_ptr<state> m_state;
};

} // namespace ssdvp::platform
