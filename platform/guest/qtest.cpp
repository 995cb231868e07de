// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/qtest.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace ssdvp::platform {

bool qtest::connect(const std::string& path)
{
    file_handle s(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    if (!s || path.size() >= sizeof a.sun_path) {
        return false;
    }
    std::memcpy(a.sun_path, path.c_str(), path.size() + 1);
    if (::connect(s.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) {
        return false;
    }
    m_socket = std::move(s);
    return true;
}

void qtest::write_long(std::uint64_t address, std::uint32_t data)
{
    const std::string line = fmt::format("writel {:#x} {:#x}\n", address, data);
    std::size_t sent = 0;
    while (m_socket && sent < line.size()) {
        const ssize_t n =
            ::send(m_socket.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            m_socket.close();
            return;
        }
        sent += static_cast<std::size_t>(n);
    }
    drop_answers();
}

void qtest::drop_answers()
{
    std::array<char, 4096> answers{};
    while (m_socket && ::recv(m_socket.get(), answers.data(), answers.size(), MSG_DONTWAIT) > 0) {
    }
}

} // namespace ssdvp::platform
