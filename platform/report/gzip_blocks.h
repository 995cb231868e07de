// SPDX-License-Identifier: Apache-2.0
//
// A gzip file whose blocks are compressed by themselves, several at once, on threads of their own;
// whoever writes goes on meanwhile. Each block is a member of the file (RFC 1952, section 2.2), and
// the bytes depend neither on the number of threads nor on their speed.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <string>
#include <string_view>

namespace ssdvp::platform {

class gzip_blocks {
public:
    // Of libdeflate. Above this one, text takes more time than it saves bytes.
    static constexpr int usual_level = 4;
    static constexpr int fastest_level = 1;

    /// `to` takes what is compressed, in order, on the thread that writes.
    explicit gzip_blocks(std::function<void(std::string_view)> to, int level = usual_level);

    void write(std::string_view text);
    /// Waits for all blocks.
    void finish();

private:
    static std::string compress(const std::string& block, int level);
    void begin_block();
    void take_oldest();

    std::function<void(std::string_view)> m_to;
    std::string m_block;                            // being filled
    std::deque<std::future<std::string>> m_pending; // the oldest first
    std::size_t m_most_pending;
    int m_level;
    bool m_empty = true; // no block was begun
};

} // namespace ssdvp::platform
