// SPDX-License-Identifier: Apache-2.0
//
// What clients may make the server hold.
#include <catch2/catch.hpp>
#include <malloc.h>
#include <memory>
#include <string>
#include <vector>

#include "platform/serve/nbd_connection.h"
#include "platform/serve/nbd_protocol.h"

namespace serve_nbd_connection_test {

using namespace ssdvp::platform;

namespace {

/// A client and its connection to a drive that answers when it is told to.
class client final : nbd_sink {
public:
    client(const nbd_export& what, hole_map& holes, nbd_memory& all)
        : m_link(what, holes, all, *this)
    {
        std::vector<unsigned char> words;
        nbd::put<std::uint32_t>(words, 3); // fixed newstyle, no zeroes
        nbd::put<std::uint64_t>(words, nbd::OPTION_MAGIC);
        nbd::put<std::uint32_t>(words, 1); // export name
        nbd::put<std::uint32_t>(words, 0);
        REQUIRE(m_link.feed(words.data(), words.size()) == words.size());
        REQUIRE(m_link.transmitting());
        take_replies();
    }
    void post(block_request& r) override { m_posted.push_back(&r); }
    /// False: the server takes no more for now.
    bool read(std::uint32_t bytes)
    {
        std::vector<unsigned char> words;
        nbd::put<std::uint32_t>(words, nbd::REQUEST_MAGIC);
        nbd::put<std::uint32_t>(words, 0); // no flags, CMD_READ
        nbd::put<std::uint64_t>(words, 7);
        nbd::put<std::uint64_t>(words, 0);
        nbd::put<std::uint32_t>(words, bytes);
        return m_link.feed(words.data(), words.size()) == words.size();
    }
    void answer_all()
    {
        std::vector<block_request*> posted;
        posted.swap(m_posted);
        for (block_request* r : posted) {
            m_link.returned(*r);
        }
        take_replies();
    }
    [[nodiscard]] std::size_t under_way() const { return m_posted.size(); }

private:
    void take_replies()
    {
        std::vector<unsigned char>().swap(m_link.output());
        m_link.set_unsent(0);
    }

    nbd_connection m_link;
    std::vector<block_request*> m_posted;
};

constexpr std::uint32_t mib = 1u << 20;

struct server {
    server() { what.bytes = 64 * mib; }
    client& connect()
    {
        clients.push_back(std::make_unique<client>(what, holes, all));
        return *clients.back();
    }
    nbd_export what;
    hole_map holes{64 * mib};
    nbd_memory all;
    std::vector<std::unique_ptr<client>> clients; // the last member: they know the others
};

} // namespace

TEST_CASE("all connections together hold so much, and each goes on with one request",
          "[serve][nbd]")
{
    server s;
    std::size_t under_way = 0;
    for (int i = 0; i < 8; ++i) {
        client& c = s.connect();
        while (c.read(mib)) {
        }
        under_way += c.under_way();
        CHECK(c.under_way() >= 1);
    }
    // Four have all that one may have, and the others a request each.
    CHECK(under_way == nbd_limits::bytes_of_all / mib + 4);
    client& last = *s.clients.back();
    CHECK_FALSE(last.read(mib));
    s.clients.erase(s.clients.begin()); // with what it had
    CHECK(last.read(mib));
    s.clients.clear();
    CHECK(s.all.bytes == 0);
}

TEST_CASE("an idle connection keeps few buffers", "[serve][nbd]")
{
    server s;
    client& c = s.connect();
    const auto used = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
    const std::size_t before = used();
    for (int i = 0; i < 200; ++i) { // 25 MB
        REQUIRE(c.read(nbd_limits::kept_buffer));
    }
    c.answer_all();
    CHECK(used() - before < nbd_limits::kept_buffers + mib);
    CHECK(s.all.bytes == 0);
}

} // namespace serve_nbd_connection_test
