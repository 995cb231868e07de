// SPDX-License-Identifier: Apache-2.0
#include "platform/state/state_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "models/common/address_space.h"
#include "platform/report/signals_blocked.h"
#include "platform/state/resident_pages.h"
#include "platform/state/state_error.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t lookers = 4; // threads that compare checksums

constexpr const char* unknown = "is no kept state: name a file that --save-state has made";

bool read_at(int file, void* to, std::size_t bytes, std::uint64_t offset)
{
    auto* next = static_cast<unsigned char*>(to);
    while (bytes != 0) {
        const ssize_t n = ::pread(file, next, bytes, static_cast<off_t>(offset));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        const std::size_t got = n < 0 ? 0 : static_cast<std::size_t>(n);
        next += got;
        offset += got;
        bytes -= got;
    }
    return true;
}

} // namespace

state_reader::state_reader(std::filesystem::path file, std::string remedy)
    : m_name(std::move(file)), m_remedy(std::move(remedy))
{
    open();
    state_header h{};
    state_first_page first{};
    struct stat s {};
    const bool regular = ::fstat(m_file, &s) == 0 && S_ISREG(s.st_mode);
    const auto begun =
        std::min<std::uint64_t>(sizeof first, regular ? static_cast<std::uint64_t>(s.st_size) : 0);
    if (!read_at(m_file, first.data(), begun, 0)) {
        refuse(unknown);
    }
    std::memcpy(&h, first.data(), sizeof h);
    if (h.magic != state_magic) {
        refuse(unknown);
    }
    if (h.version != state_version || h.page_bytes != page_bytes) {
        refuse(fmt::format("is a state of format {}, and this ssdvp reads format {}; {}", h.version,
                           state_version, m_remedy));
    }
    if (h.header_sum != header_sum(first)) {
        refuse(fmt::format("is damaged: its header is not what it was; {}", m_remedy));
    }
    if (static_cast<std::uint64_t>(s.st_size) != h.file_bytes) {
        refuse(fmt::format("is cut short: {} of {} bytes; copy it again, or {}", s.st_size,
                           h.file_bytes, m_remedy));
    }
    read_index(h);
    const signals_blocked quiet;
    for (std::size_t i = 0; i < lookers; ++i) {
        m_whole.push_back(std::async(std::launch::async, [this, i] { return sums_hold(i); }));
    }
}

state_reader::~state_reader()
{
    m_given_up = true;
    m_whole.clear(); // waits for them
    if (m_file >= 0) {
        ::close(m_file); // what is mapped stays
    }
}

void state_reader::open()
{
    m_file = ::open(m_name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (m_file < 0) {
        refuse(fmt::format("cannot be read: {}; check its name and who may read it",
                           std::strerror(errno)));
    }
    if (::flock(m_file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        refuse("is locked by another process; wait for it, or copy the file");
    }
}

void state_reader::refuse(const std::string& what) const
{
    const std::string text = fmt::format("{}: {}", m_name.string(), what);
    if (m_file >= 0) {
        ::close(m_file);
    }
    throw state_error(text);
}

void state_reader::read_index(const state_header& h)
{
    std::string index;
    if (h.index_offset < page_bytes || h.index_offset > h.file_bytes) {
        refuse(fmt::format("is damaged: its header is not what it was; {}", m_remedy));
    }
    index.resize(h.file_bytes - h.index_offset);
    if (!read_at(m_file, index.data(), index.size(), h.index_offset) ||
        checksum(index.data(), index.size()) != h.index_sum || !m_index.unpack(index)) {
        refuse(fmt::format("is damaged: its index is not what it was; {}", m_remedy));
    }
    m_pages_end = h.index_offset;
    const std::uint64_t blocks = (m_pages_end - page_bytes + state_block - 1) / state_block;
    const bool sound = std::all_of(m_index.sections.begin(), m_index.sections.end(),
                                   [this](const state_section& s) { return fits(s); });
    if (m_index.sums.size() != blocks || !sound) {
        refuse(fmt::format("is damaged: its index does not fit its pages; {}", m_remedy));
    }
}

bool state_reader::fits(const state_section& s) const
{
    return std::all_of(s.extents.begin(), s.extents.end(), [&](const state_extent& e) {
        return e.offset % page_bytes == 0 && e.in_file % page_bytes == 0 && e.bytes <= s.bytes &&
               e.offset <= s.bytes - e.bytes && e.in_file >= page_bytes &&
               e.in_file <= m_pages_end && whole_pages_of(e.bytes) <= m_pages_end - e.in_file;
    });
}

/// Those of blocks `first`, `first` + lookers, ...
bool state_reader::sums_hold(std::size_t first) const
{
    std::vector<unsigned char> block(state_block);
    for (std::size_t i = first; i < m_index.sums.size() && !m_given_up; i += lookers) {
        const std::uint64_t at = page_bytes + i * state_block;
        const std::size_t bytes = std::min<std::uint64_t>(state_block, m_pages_end - at);
        if (!read_at(m_file, block.data(), bytes, at) ||
            checksum(block.data(), bytes) != m_index.sums[i]) {
            return false;
        }
    }
    return true;
}

bool state_reader::looked_through(std::chrono::milliseconds patience) const
{
    return std::all_of(m_whole.begin(), m_whole.end(), [&](const std::future<bool>& f) {
        return f.wait_for(patience) == std::future_status::ready;
    });
}

void state_reader::need_whole()
{
    std::vector<std::future<bool>> asked;
    asked.swap(m_whole);
    for (std::future<bool>& f : asked) {
        m_damaged = !f.get() || m_damaged;
    }
    if (m_damaged) {
        throw state_error(fmt::format("{}: is damaged: its pages are not what they were; {}",
                                      m_name.string(), m_remedy));
    }
}

void state_reader::bytes(void* at, std::size_t count)
{
    need_whole();
    if (count > m_index.values.size() - m_values_read) {
        throw state_error(
            fmt::format("{}: has fewer values than this drive; {}", m_name.string(), m_remedy));
    }
    if (count != 0) {
        std::memcpy(at, m_index.values.data() + m_values_read, count);
    }
    m_values_read += count;
}

void state_reader::pages(unsigned char* at, std::size_t used)
{
    need_whole();
    if (m_sections_read == m_index.sections.size() ||
        m_index.sections[m_sections_read].bytes != used) {
        throw state_error(fmt::format("{}: table {} has another size in this drive; {}",
                                      m_name.string(), m_sections_read, m_remedy));
    }
    if (used != 0) {
        map_zeros(at, whole_pages_of(used));
    }
    for (const state_extent& e : m_index.sections[m_sections_read++].extents) {
        if (::mmap(at + e.offset, whole_pages_of(e.bytes), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, m_file,
                   static_cast<off_t>(e.in_file)) == MAP_FAILED) {
            throw state_error(fmt::format("{}: cannot be mapped: {}; raise vm.max_map_count, or "
                                          "run without --load-state",
                                          m_name.string(), std::strerror(errno)));
        }
    }
}

void state_reader::finish()
{
    if (m_values_read != m_index.values.size() || m_sections_read != m_index.sections.size()) {
        throw state_error(
            fmt::format("{}: holds more than this drive; {}", m_name.string(), m_remedy));
    }
}

} // namespace ssdvp::platform
