// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/proxy_channel.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include "platform/guest/guest_error.h"

namespace ssdvp::platform {

namespace {

// enum MPQemuCmd
constexpr std::int32_t sync_sysmem = 0, ret = 1, config_write = 2, config_read = 3, bar_write = 4,
                       bar_read = 5, set_irqfd = 6, reset = 7;
constexpr std::size_t most_files = 8;

struct header {
    std::int32_t command;
    std::uint32_t padding;
    std::uint64_t size;
};
struct memory_payload {
    std::array<std::uint64_t, most_files> addresses, sizes, offsets;
};
struct config_payload {
    std::uint32_t address;
    std::uint32_t value;
    std::int32_t length;
};
struct bar_payload {
    std::uint64_t address;
    std::uint64_t value;
    std::uint32_t size;
    bool memory;
};
static_assert(sizeof(header) == 16 && sizeof(memory_payload) == 192 &&
              sizeof(config_payload) == 12 && sizeof(bar_payload) == 24);
constexpr std::uint64_t most_bytes = sizeof(memory_payload);

using payload_bytes = std::array<unsigned char, most_bytes>;

template <typename Payload>
Payload take(const payload_bytes& bytes, const header& h)
{
    if (h.size != sizeof(Payload)) {
        throw proxy_error(
            fmt::format("message {} has {} bytes, not {}", h.command, h.size, sizeof(Payload)));
    }
    Payload p;
    std::memcpy(&p, bytes.data(), sizeof p);
    return p;
}

proxy_message memory_of(const memory_payload& p, std::vector<file_handle> files)
{
    share_memory m;
    for (std::size_t i = 0; i < files.size() && i < most_files; ++i) {
        m.pieces.push_back({std::move(files[i]), p.addresses[i], p.sizes[i], p.offsets[i]});
    }
    return m;
}

bool is_one_of(unsigned length, unsigned most)
{
    return length != 0 && length <= most && (length & (length - 1)) == 0;
}

proxy_message config_of(const config_payload& p, bool write)
{
    const auto length = static_cast<unsigned>(p.length);
    if (!is_one_of(length, 4)) {
        throw proxy_error(fmt::format("an access to configuration space of {} bytes", p.length));
    }
    return config_access{write, p.address, p.value, length};
}

proxy_message bar_of(const bar_payload& p, bool write)
{
    if (!is_one_of(p.size, 8)) {
        throw proxy_error(fmt::format("an access to a BAR of {} bytes", p.size));
    }
    return bar_access{write, p.address, p.value, p.size};
}

/// The files that came along with what was received.
void keep_files(msghdr& m, std::vector<file_handle>& files)
{
    for (cmsghdr* c = CMSG_FIRSTHDR(&m); c != nullptr; c = CMSG_NXTHDR(&m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            files.emplace_back(fd);
        }
    }
}

} // namespace

bool proxy_channel::wait(int milliseconds) const
{
    pollfd p{m_socket.get(), POLLIN, 0};
    return ::poll(&p, 1, milliseconds) > 0;
}

/// False: the other side has gone before the first byte.
bool proxy_channel::read(void* to, std::size_t length, std::vector<file_handle>& files)
{
    auto* bytes = static_cast<unsigned char*>(to);
    std::size_t got = 0;
    while (got < length) {
        alignas(cmsghdr) std::array<char, CMSG_SPACE(most_files * sizeof(int))> control{};
        iovec part{bytes + got, length - got};
        msghdr m{};
        m.msg_iov = &part;
        m.msg_iovlen = 1;
        m.msg_control = control.data();
        m.msg_controllen = control.size();
        const ssize_t n = ::recvmsg(m_socket.get(), &m, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        keep_files(m, files);
        got += static_cast<std::size_t>(n);
    }
    return true;
}

std::optional<proxy_message> proxy_channel::receive()
{
    header h{};
    payload_bytes bytes{};
    std::vector<file_handle> files;
    if (!read(&h, sizeof h, files)) {
        return std::nullopt;
    }
    if (h.size > most_bytes) {
        throw proxy_error(fmt::format("message {} of {} bytes", h.command, h.size));
    }
    if (!read(bytes.data(), h.size, files)) {
        return std::nullopt;
    }
    switch (h.command) {
    case sync_sysmem:
        return memory_of(take<memory_payload>(bytes, h), std::move(files));
    case config_write:
    case config_read:
        return config_of(take<config_payload>(bytes, h), h.command == config_write);
    case bar_write:
    case bar_read:
        return bar_of(take<bar_payload>(bytes, h), h.command == bar_write);
    case set_irqfd: // for KVM alone
        return not_for_us{};
    case reset:
        return device_reset{};
    default:
        throw proxy_error(fmt::format("message {} is not of the protocol", h.command));
    }
}

void proxy_channel::reply(std::uint64_t value)
{
    struct {
        header h;
        std::uint64_t value;
    } const answer{{ret, 0, sizeof value}, value};
    const auto* bytes = reinterpret_cast<const unsigned char*>(&answer);
    std::size_t sent = 0;
    while (sent < sizeof answer) {
        const ssize_t n = ::send(m_socket.get(), bytes + sent, sizeof answer - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return; // the next receive() says that it has gone
        }
        sent += static_cast<std::size_t>(n);
    }
}

} // namespace ssdvp::platform
