// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/nbd_address.h"

#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <fmt/format.h>
#include <sys/un.h>

namespace ssdvp::platform {

nbd_address unix_address(const std::string& path)
{
    constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
    if (path.empty() || path.size() > longest) {
        throw serve_error(
            fmt::format("--nbd-unix: a path of {} characters; a socket's has 1 to {}: "
                        "use a shorter folder",
                        path.size(), longest));
    }
    nbd_address a;
    a.unix_path = path;
    return a;
}

nbd_address tcp_address(const std::string& text, bool allow_remote)
{
    const auto colon = text.rfind(':');
    unsigned port = 0;
    if (colon != std::string::npos) {
        const char* end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data() + colon + 1, end, port);
        if (error != std::errc() || at != end || colon + 1 == text.size()) {
            port = 65536;
        }
    }
    if (colon == std::string::npos || colon == 0 || port > 65535) {
        throw serve_error(
            fmt::format("--nbd-tcp {}: write ADDRESS:PORT, as in 127.0.0.1:10809", text));
    }
    nbd_address a;
    a.port = static_cast<std::uint16_t>(port);
    a.host = text.substr(0, colon);
    if (a.host.size() > 2 && a.host.front() == '[' && a.host.back() == ']') {
        a.host = a.host.substr(1, a.host.size() - 2);
    }
    a.host = a.host == "localhost" ? "127.0.0.1" : a.host;
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(a.host, error);
    if (error) {
        throw serve_error(fmt::format("--nbd-tcp {}: '{}' is no address; write numbers, as in "
                                      "127.0.0.1:10809 or [::1]:10809",
                                      text, a.host));
    }
    a.remote = !address.is_loopback();
    if (a.remote && !allow_remote) {
        throw serve_error(
            fmt::format("--nbd-tcp {}: {} can be reached from other machines, and NBD "
                        "asks nobody for a password; use 127.0.0.1, --nbd-unix, or "
                        "say --nbd-allow-remote",
                        text, a.host));
    }
    return a;
}

} // namespace ssdvp::platform
