// SPDX-License-Identifier: Apache-2.0
#include "platform/report/gzip_blocks.h"

#include <algorithm>
#include <libdeflate.h>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "platform/report/signals_blocked.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t block_length = 1u << 20; // bytes; shorter ones compress less well
constexpr std::size_t most_threads = 8;

} // namespace

gzip_blocks::gzip_blocks(std::function<void(std::string_view)> to, int level)
    : m_to(std::move(to)),
      m_most_pending(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_threads)),
      m_level(level)
{
    m_block.reserve(block_length);
}

std::string gzip_blocks::compress(const std::string& block, int level)
{
    const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
        libdeflate_alloc_compressor(level), libdeflate_free_compressor);
    if (!compressor) {
        throw std::runtime_error("out of memory to compress");
    }
    std::string member(libdeflate_gzip_compress_bound(compressor.get(), block.size()), '\0');
    member.resize(libdeflate_gzip_compress(compressor.get(), block.data(), block.size(),
                                           member.data(), member.size()));
    return member;
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
    m_empty = false;
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
    const std::string member = m_pending.front().get();
    m_pending.pop_front();
    m_to(member);
}

/// Of nothing, the file has an empty member.
void gzip_blocks::finish()
{
    if (!m_block.empty() || m_empty) {
        begin_block();
    }
    while (!m_pending.empty()) {
        take_oldest();
    }
}

} // namespace ssdvp::platform
