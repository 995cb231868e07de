// SPDX-License-Identifier: Apache-2.0
#include "platform/report/gzip_blocks.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>
#include <utility>
#include <zlib.h>

#include "platform/report/signals_blocked.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t block_length = 1u << 20; // bytes; shorter ones compress less well
constexpr int raw_deflate = -15;               // neither header nor trailer; a window of 32 KiB
constexpr int memory_level = 9;                // 256 KiB, for speed
constexpr std::size_t most_threads = 8;

// RFC 1952: magic number, deflate, no flags, no time, no extra flags, written by Unix.
constexpr std::string_view header("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
// RFC 1951: the last block, with fixed codes, that holds nothing.
constexpr std::string_view last_block("\x03\0", 2);

void put_le32(std::string& to, std::uint32_t value)
{
    for (int i = 0; i < 4; ++i, value >>= 8) {
        to += static_cast<char>(value);
    }
}

} // namespace

gzip_blocks::gzip_blocks(std::function<void(std::string_view)> to, int level)
    : m_to(std::move(to)),
      m_most_pending(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_threads)),
      m_level(level)
{
    m_block.reserve(block_length);
    m_to(header);
}

/// Ends at a byte, so that the next one can follow.
gzip_blocks::compressed gzip_blocks::compress(const std::string& block, int level)
{
    z_stream z{};
    if (deflateInit2(&z, level, Z_DEFLATED, raw_deflate, memory_level, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        throw std::runtime_error("out of memory to compress");
    }
    compressed done;
    done.length = block.size();
    done.crc = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(block.data()), block.size()));
    constexpr std::size_t flush_marker = 16; // what ending at a byte takes, and more
    done.bytes.resize(deflateBound(&z, static_cast<uLong>(block.size())) + flush_marker);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data())); // reads it only
    z.avail_in = static_cast<uInt>(block.size());
    z.next_out = reinterpret_cast<Bytef*>(done.bytes.data());
    z.avail_out = static_cast<uInt>(done.bytes.size());
    deflate(&z, Z_SYNC_FLUSH);
    done.bytes.resize(done.bytes.size() - z.avail_out);
    deflateEnd(&z);
    return done;
}

void gzip_blocks::write(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t part = std::min(text.size(), block_length - m_block.size());
        m_block.append(text.data(), part);
        text.remove_prefix(part);
        if (m_block.size() == block_length) {
            begin_block();
        }
    }
}

/// Where no thread is to be had, the block is compressed when it is taken.
void gzip_blocks::begin_block()
{
    if (m_pending.size() >= m_most_pending) {
        take_oldest();
    }
    const signals_blocked quiet;
    m_pending.push_back(std::async(
        std::launch::async | std::launch::deferred,
        [block = std::exchange(m_block, {}), level = m_level] { return compress(block, level); }));
    m_block.reserve(block_length);
}

void gzip_blocks::take_oldest()
{
    const compressed done = m_pending.front().get();
    m_pending.pop_front();
    m_to(done.bytes);
    m_crc = static_cast<std::uint32_t>(
        crc32_combine(m_crc, done.crc, static_cast<z_off_t>(done.length)));
    m_length += done.length;
}

void gzip_blocks::finish()
{
    if (!m_block.empty()) {
        begin_block();
    }
    while (!m_pending.empty()) {
        take_oldest();
    }
    std::string end(last_block);
    put_le32(end, m_crc);
    put_le32(end, static_cast<std::uint32_t>(m_length)); // modulo 2^32
    m_to(end);
}

} // namespace ssdvp::platform
