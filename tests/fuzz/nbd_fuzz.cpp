// SPDX-License-Identifier: Apache-2.0
//
// Bytes of an NBD client against one connection with a disk of RAM behind it. The first byte says
// how it begins: bit 0, with a handshake that is right; bit 1, with structured replies and
// base:allocation; bits 2 to 4, in what pieces the rest comes; bits 5 to 7, how many requests wait
// before one is answered.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <systemc>
#include <vector>

#include "platform/serve/nbd_connection.h"

namespace {

using namespace ssdvp;
using namespace ssdvp::platform;

constexpr std::uint64_t disk_bytes = 1u << 20;

void check(bool condition, const char* what)
{
    if (!condition) {
        std::fprintf(stderr, "nbd_fuzz: %s\n", what);
        std::abort();
    }
}

/// Answers out of turn: of those that wait, the first and the last alternate.
class ram_disk final : public nbd_sink {
public:
    void post(block_request& r) override
    {
        const std::uint64_t sectors = disk_bytes / sector_size;
        check(r.sectors <= sectors && r.lba <= sectors - r.sectors, "a request beyond the end");
        check(r.kind == host::request_kind::flush || r.sectors != 0, "a request of nothing");
        check(r.data != nullptr || r.kind == host::request_kind::flush ||
                  r.kind == host::request_kind::trim,
              "a request without data");
        m_waiting.push_back(&r);
    }
    bool answer(nbd_connection& c)
    {
        if (m_waiting.empty()) {
            return false;
        }
        m_turn = !m_turn;
        block_request& r = m_turn ? *m_waiting.front() : *m_waiting.back();
        m_turn ? m_waiting.pop_front() : m_waiting.pop_back();
        const std::size_t bytes = std::size_t{r.sectors} * sector_size;
        unsigned char* at = m_bytes.data() + r.lba * sector_size;
        if (r.kind == host::request_kind::read) {
            std::memcpy(r.data, at, bytes);
        } else if (r.kind == host::request_kind::write) {
            std::memcpy(at, r.data, bytes);
        }
        r.status = 0;
        r.lost = ++m_answers % 64 == 0;
        r.image_failed = m_answers % 96 == 0;
        c.returned(r);
        return true;
    }
    [[nodiscard]] std::size_t waiting() const { return m_waiting.size(); }

private:
    std::vector<unsigned char> m_bytes = std::vector<unsigned char>(disk_bytes);
    std::deque<block_request*> m_waiting;
    std::uint32_t m_answers = 0;
    bool m_turn = false;
};

std::vector<unsigned char> preface(unsigned char how)
{
    std::vector<unsigned char> bytes;
    if ((how & 1) == 0) {
        return bytes;
    }
    nbd::put<std::uint32_t>(bytes, nbd::FIXED_NEWSTYLE | nbd::NO_ZEROES);
    if ((how & 2) != 0) {
        nbd::put<std::uint64_t>(bytes, nbd::OPTION_MAGIC);
        nbd::put<std::uint32_t>(bytes, nbd::OPT_STRUCTURED_REPLY);
        nbd::put<std::uint32_t>(bytes, 0);
        nbd::put<std::uint64_t>(bytes, nbd::OPTION_MAGIC);
        nbd::put<std::uint32_t>(bytes, nbd::OPT_SET_META_CONTEXT);
        nbd::put<std::uint32_t>(bytes, 27);
        nbd::put<std::uint32_t>(bytes, 0);
        nbd::put<std::uint32_t>(bytes, 1);
        nbd::put<std::uint32_t>(bytes, 15);
        bytes.insert(bytes.end(), nbd::ALLOCATION.begin(), nbd::ALLOCATION.end());
    }
    nbd::put<std::uint64_t>(bytes, nbd::OPTION_MAGIC);
    nbd::put<std::uint32_t>(bytes, nbd::OPT_EXPORT_NAME);
    nbd::put<std::uint32_t>(bytes, 0);
    return bytes;
}

void talk(const std::uint8_t* bytes, std::size_t length)
{
    static ram_disk disk; // one for all inputs: 1 MiB each would be most of the time
    nbd_export what;
    what.name = "disk";
    what.description = "of a fuzzer";
    what.bytes = disk_bytes;
    hole_map holes(disk_bytes);
    nbd_memory memory;
    nbd_connection c(what, holes, memory, disk);
    std::vector<unsigned char> in = preface(bytes[0]);
    const std::size_t piece = std::size_t{1} << (bytes[0] >> 2 & 7) * 2;
    const std::size_t patience = bytes[0] >> 5;
    in.insert(in.end(), bytes + 1, bytes + length);
    for (std::size_t at = 0; at < in.size() && !c.closed();) {
        const std::size_t offered = std::min(piece, in.size() - at);
        const std::size_t taken = c.feed(in.data() + at, offered);
        check(taken <= offered, "more taken than offered");
        check(c.under_way() <= nbd_limits::requests, "too many requests under way");
        at += taken;
        while (disk.waiting() > patience) {
            disk.answer(c);
        }
        c.output().clear();
        check(taken != 0 || c.closed() || disk.answer(c), "it takes nothing more");
    }
    c.close("the end of the input");
    while (disk.answer(c)) {
    }
    check(c.under_way() == 0, "requests under way that the disk has answered");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length)
{
    if (length != 0) {
        talk(bytes, length);
    }
    return 0;
}

/// SystemC's library has a main that calls it; libFuzzer's main is the one in use.
int sc_main(int, char*[])
{
    return 0;
}
