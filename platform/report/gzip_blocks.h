// SPDX-License-Identifier: Apache-2.0
//
// A gzip file whose blocks are compressed by themselves, several at once: by threads of its own,
// and by whoever writes, when so many wait that he would have to, and at the end. Each block is a
// member of the file (RFC 1952, section 2.2), and the bytes depend neither on the number of threads
// nor on their speed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ssdvp::platform {

class gzip_blocks {
public:
    // Of libdeflate. Above this one, text takes more time than it saves bytes.
    static constexpr int usual_level = 4;
    static constexpr int fastest_level = 1;
    // Short ones are compressed while the next ones are written, and what is left at the end is
    // shared evenly. Of shorter ones yet, the file becomes larger.
    static constexpr std::size_t block_length = 1u << 18; // bytes

    /// `to` takes what is compressed, in order, on the thread that writes. `threads`: besides that
    /// one, at most.
    explicit gzip_blocks(std::function<void(std::string_view)> to, int level = usual_level,
                         std::size_t threads = spare_cores());
    /// What was not finished is left.
    ~gzip_blocks();
    gzip_blocks(const gzip_blocks&) = delete;
    gzip_blocks& operator=(const gzip_blocks&) = delete;

    void write(std::string_view text);
    /// Compresses what waits, with the others, and waits for them. Throws what went wrong.
    void finish();

private:
    class compressor;
    struct block {
        std::string text;
        std::string member; // compressed
        std::exception_ptr failure;
        bool done = false;
    };
    using lock = std::unique_lock<std::mutex>;

    [[nodiscard]] static std::size_t spare_cores();
    void begin_block();
    void start();
    void run();
    bool compress_next(lock& held, compressor& with);
    void take_done(lock& held);
    void help(lock& held);
    void stop();

    std::function<void(std::string_view)> m_to;
    std::string m_block; // being filled
    std::unique_ptr<compressor> m_own;
    std::size_t m_most_threads;
    int m_level;
    bool m_empty = true; // no block was begun
    std::vector<std::thread> m_threads;
    std::mutex m_mutex; // of what follows
    std::condition_variable m_changed;
    std::deque<block> m_blocks; // the oldest first
    std::size_t m_begun = 0;    // of them
    std::vector<std::string> m_spare;
    bool m_ends = false;
};

} // namespace ssdvp::platform
