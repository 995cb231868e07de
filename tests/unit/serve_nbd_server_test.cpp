// SPDX-License-Identifier: Apache-2.0
//
// Who gets a place at the NBD server, with real sockets and a drive that answers nothing.
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "platform/serve/nbd_server.h"

namespace serve_nbd_server_test {

using namespace ssdvp::platform;

namespace {

constexpr int patience = 20000; // ms, of a test that would fail

class peer {
public:
    explicit peer(const std::string& path) : m_socket(::socket(AF_UNIX, SOCK_STREAM, 0))
    {
        const timeval limit{patience / 1000, 0};
        ::setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
        REQUIRE(::connect(m_socket, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    }
    ~peer() { ::close(m_socket); }
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;

    void say(const std::string& bytes) const
    {
        REQUIRE(::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
    }
    /// Bytes that came, up to so many; fewer when the server hung up.
    [[nodiscard]] std::size_t hear(std::size_t wanted) const
    {
        std::array<char, 256> bytes{};
        std::size_t got = 0;
        for (ssize_t n = 1; got < wanted && n > 0; got += n > 0 ? static_cast<std::size_t>(n) : 0) {
            n = ::recv(m_socket, bytes.data(), std::min(wanted - got, bytes.size()), 0);
        }
        return got;
    }
    [[nodiscard]] bool gone() const
    {
        char byte = 0;
        return ::recv(m_socket, &byte, 1, 0) == 0;
    }
    [[nodiscard]] bool quiet() const
    {
        pollfd p{m_socket, POLLIN, 0};
        return ::poll(&p, 1, 0) == 0;
    }
    /// True: it may send requests now.
    [[nodiscard]] bool shake_hands() const
    {
        constexpr std::size_t greeting = 18;
        constexpr std::size_t export_info = 10;
        if (hear(greeting) != greeting) {
            return false;
        }
        say(std::string("\0\0\0\3IHAVEOPT\0\0\0\1\0\0\0\0", 20));
        return hear(export_info) == export_info;
    }
    void ask_for_a_read() const
    {
        say(std::string("\x25\x60\x95\x13\0\0\0\0"
                        "cookie..\0\0\0\0\0\0\0\0\0\0\2\0",
                        28));
    }

private:
    int m_socket;
};

/// A server with four places.
class fixture {
public:
    explicit fixture(int handshake_ms)
    {
        std::string name = (std::filesystem::temp_directory_path() / "ssdvp-nbd-XXXXXX").string();
        m_folder = ::mkdtemp(name.data());
        nbd_server_options options;
        options.address.unix_path = path();
        options.connections = 4;
        options.handshake = std::chrono::milliseconds(handshake_ms);
        m_server = std::make_unique<nbd_server>(options, m_gate);
        nbd_export what;
        what.bytes = 1u << 20;
        m_server->open(what);
    }
    ~fixture()
    {
        m_server->drain();
        while (!m_gate.ended()) {
            m_gate.let_in();
            m_gate.wait(wall_clock::now() + std::chrono::milliseconds(1));
        }
        m_server.reset();
        std::filesystem::remove_all(m_folder);
    }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;
    [[nodiscard]] std::string path() const { return (m_folder / "s").string(); }
    [[nodiscard]] std::vector<std::unique_ptr<peer>> peers(std::size_t n) const
    {
        std::vector<std::unique_ptr<peer>> all;
        while (all.size() < n) {
            all.push_back(std::make_unique<peer>(path()));
        }
        return all;
    }

private:
    std::filesystem::path m_folder;
    gate m_gate;
    std::unique_ptr<nbd_server> m_server;
};

} // namespace

TEST_CASE("silent clients make room for one that speaks, the oldest first", "[serve][nbd]")
{
    const fixture f(patience);
    const auto first = f.peers(1);
    REQUIRE(first[0]->shake_hands()); // has a place, and keeps it
    const auto silent = f.peers(3);
    for (const auto& s : silent) {
        REQUIRE(s->hear(18) == 18);
    }
    const auto others = f.peers(2);
    REQUIRE(others[0]->shake_hands());
    REQUIRE(others[1]->shake_hands());
    CHECK(silent[0]->gone());
    CHECK(silent[1]->gone());
    CHECK(silent[2]->quiet());
    CHECK(first[0]->quiet());
    const auto last = f.peers(1);
    REQUIRE(last[0]->shake_hands());
    CHECK(silent[2]->gone());
    const auto over = f.peers(1); // all four speak
    CHECK(over[0]->gone());
    CHECK(first[0]->quiet());
}

TEST_CASE("a handshake that does not come to its end is cut off", "[serve][nbd]")
{
    const fixture f(50);
    const auto peers = f.peers(3);
    REQUIRE(peers[0]->shake_hands());
    REQUIRE(peers[1]->hear(18) == 18);
    peers[1]->say(std::string("\0\0\0\3IHAVE", 9));
    CHECK(peers[1]->gone());
    REQUIRE(peers[2]->hear(18) == 18);
    CHECK(peers[2]->gone());
    CHECK(peers[0]->quiet()); // requests may take any time to come
}

TEST_CASE("clients that vanish with requests under way leave their places at once", "[serve][nbd]")
{
    const fixture f(patience);
    for (int turn = 0; turn < 2; ++turn) {
        const auto all = f.peers(turn == 0 ? 4 : 3);
        for (const auto& p : all) {
            REQUIRE(p->shake_hands());
            p->ask_for_a_read(); // which nobody answers
        }
    }
    const auto next = f.peers(1);
    CHECK(next[0]->shake_hands());
}

} // namespace serve_nbd_server_test
