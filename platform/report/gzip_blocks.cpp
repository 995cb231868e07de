// SPDX-License-Identifier: Apache-2.0
#include "platform/report/gzip_blocks.h"

#include <algorithm>
#include <libdeflate.h>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "platform/report/signals_blocked.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t most_threads = 8;
constexpr std::size_t waiting_for_each = 4; // blocks, of each thread that compresses

} // namespace

/// Of one thread. It keeps its memory: to get it anew for each block takes a fifth of the time.
class gzip_blocks::compressor {
public:
    explicit compressor(int level) : m_level(level) {}

    std::string compress(const std::string& text)
    {
        if (!m_state) {
            m_state.reset(libdeflate_alloc_compressor(m_level));
            if (!m_state) {
                throw std::runtime_error("out of memory to compress");
            }
            m_room.resize(libdeflate_gzip_compress_bound(m_state.get(), block_length));
        }
        return {m_room.data(), libdeflate_gzip_compress(m_state.get(), text.data(), text.size(),
                                                        m_room.data(), m_room.size())};
    }

private:
    struct freed {
        void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
    };
    int m_level;
    std::unique_ptr<libdeflate_compressor, freed> m_state;
    std::vector<char> m_room;
};

std::size_t gzip_blocks::spare_cores()
{
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, most_threads) - 1;
}

gzip_blocks::gzip_blocks(std::function<void(std::string_view)> to, int level, std::size_t threads)
    : m_to(std::move(to)), m_own(std::make_unique<compressor>(level)), m_most_threads(threads),
      m_level(level)
{
    m_block.reserve(block_length);
}

gzip_blocks::~gzip_blocks()
{
    {
        const lock held(m_mutex);
        m_begun = m_blocks.size();
    }
    stop();
}

void gzip_blocks::write(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t part = std::min(text.size(), block_length - m_block.size());
        m_block.append(text.data(), part);
        text.remove_prefix(part);
        if (m_block.size() == block_length) {
            start();
            begin_block();
        }
    }
}

/// Where no thread is to be had, whoever writes compresses.
void gzip_blocks::start()
{
    const signals_blocked quiet;
    try {
        while (m_threads.size() < m_most_threads) {
            m_threads.emplace_back([this] { run(); });
        }
    } catch (const std::system_error&) {
        m_most_threads = m_threads.size();
    }
}

void gzip_blocks::run()
{
    compressor own(m_level);
    lock held(m_mutex);
    while (true) {
        m_changed.wait(held, [this] { return m_begun < m_blocks.size() || m_ends; });
        if (!compress_next(held, own)) {
            return;
        }
    }
}

/// The oldest block that nobody has begun. False: there is none.
bool gzip_blocks::compress_next(lock& held, compressor& with)
{
    if (m_begun == m_blocks.size()) {
        return false;
    }
    block& b = m_blocks[m_begun++]; // stays where it is, and is not taken until it is done
    held.unlock();
    try {
        b.member = with.compress(b.text);
    } catch (...) {
        b.failure = std::current_exception();
    }
    held.lock();
    b.done = true;
    m_changed.notify_all();
    return true;
}

void gzip_blocks::begin_block()
{
    m_empty = false;
    lock held(m_mutex);
    m_blocks.emplace_back();
    m_blocks.back().text.swap(m_block);
    m_changed.notify_all();
    if (!m_spare.empty()) {
        m_block.swap(m_spare.back());
        m_spare.pop_back();
    }
    take_done(held);
    while (m_blocks.size() >= waiting_for_each * (m_threads.size() + 1)) {
        help(held);
        take_done(held);
    }
    m_block.clear();
    m_block.reserve(block_length);
}

/// Hands on the oldest blocks, as far as they are done.
void gzip_blocks::take_done(lock& held)
{
    while (!m_blocks.empty() && m_blocks.front().done) {
        block b = std::move(m_blocks.front());
        m_blocks.pop_front();
        --m_begun;
        m_spare.push_back(std::move(b.text));
        held.unlock();
        if (b.failure) {
            std::rethrow_exception(b.failure);
        }
        m_to(b.member);
        held.lock();
    }
}

/// Instead of waiting for the others, compresses what waits.
void gzip_blocks::help(lock& held)
{
    if (!compress_next(held, *m_own)) {
        m_changed.wait(held, [this] { return m_blocks.front().done; });
    }
}

/// Of nothing, the file has an empty member.
void gzip_blocks::finish()
{
    if (!m_block.empty() || m_empty) {
        begin_block();
    }
    lock held(m_mutex);
    while (!m_blocks.empty()) {
        help(held);
        take_done(held);
    }
}

void gzip_blocks::stop()
{
    {
        const lock held(m_mutex);
        m_ends = true;
    }
    m_changed.notify_all();
    for (std::thread& t : m_threads) {
        t.join();
    }
}

} // namespace ssdvp::platform
