// SPDX-License-Identifier: Apache-2.0
//
// One NBD connection without its socket: bytes of the client in, requests for the door and bytes
// for the client out. It believes nothing that a client says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/serve/block_door.h"
#include "platform/serve/hole_map.h"
#include "platform/serve/nbd_protocol.h"

namespace ssdvp::platform {

struct nbd_export {
    std::string name; // beside "", the default export
    std::string description;
    std::uint64_t bytes = 0;
    std::uint32_t preferred = 4096; // bytes of a request
    bool read_only = false;
};

/// What one connection may have under way. A client that wants more waits.
struct nbd_limits {
    static constexpr std::uint32_t block = 512;         // bytes; requests are multiples of it
    static constexpr std::uint32_t longest = 32u << 20; // bytes of a read or write
    static constexpr std::uint32_t option_bytes = 8192; // of one option
    static constexpr std::uint32_t options = 256;       // before transmission
    static constexpr std::uint32_t requests = 1024;     // under way
    static constexpr std::uint64_t bytes_under_way = 64u << 20; // data and unsent replies
    static constexpr std::uint64_t bytes_of_all = 256u << 20;   // of all connections together
    static constexpr std::uint32_t zero_piece = 1u << 20;       // bytes of WRITE_ZEROES at a time
    static constexpr std::uint32_t extents = 4096;              // of one BLOCK_STATUS
    static constexpr std::uint32_t looked = 64u << 20;          // bytes read for one
    static constexpr std::uint32_t kept_extents = 64;           // more are given up
    static constexpr std::uint32_t kept_buffer = 128u << 10; // a larger one is given up when idle
    static constexpr std::uint32_t kept_buffers = 2u << 20;  // likewise what is more, of all
};

/// What the connections of a server hold together. Clients that go leave their requests under way,
/// and others come.
struct nbd_memory {
    std::uint64_t bytes = 0;
};

/// Where requests go. They come back by nbd_connection::returned().
class nbd_sink {
public:
    virtual ~nbd_sink() = default;
    virtual void post(block_request& r) = 0;
};

class nbd_connection {
public:
    enum class phase : std::uint8_t { flags, option, option_data, request, payload, closed };

    /// `holes` and `all` are of all connections of the export.
    nbd_connection(const nbd_export& what, hole_map& holes, nbd_memory& all, nbd_sink& sink);
    ~nbd_connection();
    nbd_connection(const nbd_connection&) = delete;
    nbd_connection& operator=(const nbd_connection&) = delete;

    /// Takes bytes of the client and returns how many: fewer when it has enough under way, or at
    /// the end.
    std::size_t feed(const unsigned char* bytes, std::size_t length);
    /// The door has answered a request of this connection.
    void returned(block_request& r);
    /// No further request is taken.
    void close(std::string why);

    /// Bytes for the client; the caller takes them out.
    [[nodiscard]] std::vector<unsigned char>& output() { return m_out; }
    /// Reply bytes that the caller has taken and not sent yet: they count as under way.
    void set_unsent(std::size_t bytes)
    {
        m_unsent = bytes;
        (void)held();
    }

    [[nodiscard]] bool closed() const { return m_phase == phase::closed; }
    [[nodiscard]] bool transmitting() const
    {
        return m_phase == phase::request || m_phase == phase::payload;
    }
    /// Why it closed; empty: as the client asked.
    [[nodiscard]] const std::string& reason() const { return m_reason; }
    [[nodiscard]] std::uint32_t under_way() const { return m_under_way; }
    [[nodiscard]] std::uint64_t requests() const { return m_requests; }

private:
    struct job; // an NBD request under way

    std::size_t step(const unsigned char* bytes, std::size_t length);
    bool gather(const unsigned char*& bytes, std::size_t& length, std::size_t wanted);
    void take_flags();
    void take_option_header();
    void take_option();
    void take_go(std::uint32_t option, nbd::reader data);
    void take_export_name(nbd::reader data);
    void take_meta_context(std::uint32_t option, nbd::reader data);
    void reply_option(std::uint32_t type, const std::vector<unsigned char>& data = {});
    void reply_text(std::uint32_t type, std::string_view text);
    [[nodiscard]] bool known(std::string_view name) const;
    [[nodiscard]] std::uint16_t transmission_flags() const;
    void take_request();
    [[nodiscard]] std::uint32_t refusal(const job& j, std::uint16_t flags) const;
    void begin(job& j);
    void start(job& j);
    void answer(job& j, std::uint32_t error);
    void look_on(job& j);
    void looked(job& j);
    void put_extents(const job& j);
    job& take_job();
    void release(job& j);
    [[nodiscard]] std::uint64_t held();
    [[nodiscard]] bool has_room();

    const nbd_export& m_export;
    hole_map& m_holes;
    nbd_memory& m_all;
    nbd_sink& m_sink;
    phase m_phase = phase::flags;
    std::string m_reason;
    std::vector<unsigned char> m_out;
    std::vector<unsigned char> m_header; // of what is being taken
    std::uint32_t m_option = 0;
    std::uint32_t m_option_length = 0;
    std::uint32_t m_options = 0; // taken so far
    bool m_no_zeroes = false;
    bool m_structured = false;
    bool m_allocation = false; // the metadata context is chosen
    job* m_filling = nullptr;  // a write whose payload comes in
    std::size_t m_filled = 0;
    std::vector<std::unique_ptr<job>> m_jobs; // all
    std::vector<job*> m_free;
    std::uint32_t m_under_way = 0;
    std::uint64_t m_bytes_under_way = 0;
    std::size_t m_unsent = 0;
    std::uint64_t m_held = 0; // as m_all knows it
    std::uint64_t m_kept = 0; // bytes of buffers of m_free
    std::uint64_t m_requests = 0;
};

} // namespace ssdvp::platform
