// SPDX-License-Identifier: Apache-2.0
//
// A gzip file whose blocks are compressed by themselves, several at once, on threads of their own;
// whoever writes goes on meanwhile. It is one member, which every reader of gzip reads, and its
// bytes depend neither on the number of threads nor on their speed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <string>
#include <string_view>

namespace ssdvp::platform {

class gzip_blocks {
public:
    // Above this one, levels of zlib take more time than they save bytes; below it, text grows.
    static constexpr int usual_level = 4;
    static constexpr int fastest_level = 1;

    /// `to` takes what is compressed, in order, on the thread that writes.
    explicit gzip_blocks(std::function<void(std::string_view)> to, int level = usual_level);

    void write(std::string_view text);
    /// Waits for all blocks.
    void finish();

private:
    struct compressed {
        std::string bytes;
        std::uint32_t crc = 0;
        std::size_t length = 0; // of what was compressed
    };
    static compressed compress(const std::string& block, int level);
    void begin_block();
    void take_oldest();

    std::function<void(std::string_view)> m_to;
    std::string m_block;                           // being filled
    std::deque<std::future<compressed>> m_pending; // the oldest first
    std::size_t m_most_pending;
    int m_level;
    std::uint32_t m_crc = 0;    // of all that was taken
    std::uint64_t m_length = 0; // ...
};

} // namespace ssdvp::platform
