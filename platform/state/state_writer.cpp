// SPDX-License-Identifier: Apache-2.0
#include "platform/state/state_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "platform/report/output_file.h"
#include "platform/state/resident_pages.h"
#include "platform/state/state_error.h"

namespace ssdvp::platform {

namespace {

// Zeros of this length between two stretches are written rather than made two mappings of, of
// which a process may have some 65,000.
constexpr std::uint64_t joined_gap = 2u << 20;

} // namespace

state_writer::state_writer(std::filesystem::path file, std::string identity, std::string remedy)
    : m_name(std::move(file)), m_partial(partial_name(m_name)), m_remedy(std::move(remedy))
{
    const output_place place = place_of(m_name, "--save-state");
    if (!place.replaced) {
        throw state_error(fmt::format("{}: is no regular file, and a state needs one; {}",
                                      m_name.string(), m_remedy));
    }
    m_target = place.path;
    m_index.identity = std::move(identity);
    m_buffer.reserve(state_block);
    ::unlink(m_partial.c_str()); // left over by a killed process of the same number
    m_file = ::open(m_partial.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (m_file < 0) {
        failed(errno);
    }
    m_end = page_bytes; // the header's
    if (::lseek(m_file, page_bytes, SEEK_SET) < 0) {
        failed(errno);
    }
}

state_writer::~state_writer()
{
    if (m_file >= 0) {
        ::close(m_file);
        ::unlink(m_partial.c_str());
    }
}

void state_writer::failed(int error) const
{
    throw state_error(fmt::format("{}: cannot be written: {}; {}", m_name.string(),
                                  std::strerror(error), m_remedy));
}

void state_writer::bytes(void* at, std::size_t count)
{
    const auto* from = static_cast<const unsigned char*>(at);
    m_index.values.insert(m_index.values.end(), from, from + count);
}

void state_writer::pages(unsigned char* at, std::size_t used)
{
    state_section s;
    s.bytes = used;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    for_each_stretch(at, used, [&](std::size_t offset, std::size_t bytes) {
        if (end != 0 && offset - end > joined_gap) {
            stretch(s, at, begin, end - begin);
            end = 0;
        }
        begin = end == 0 ? offset : begin;
        end = offset + bytes;
    });
    if (end != 0) {
        stretch(s, at, begin, end - begin);
    }
    m_index.sections.push_back(std::move(s));
}

void state_writer::stretch(state_section& s, const unsigned char* from, std::uint64_t offset,
                           std::uint64_t bytes)
{
    s.extents.push_back({offset, bytes, m_end});
    put(from + offset, bytes);
    fill_page();
}

void state_writer::put(const void* from, std::size_t bytes)
{
    const auto* next = static_cast<const unsigned char*>(from);
    m_end += bytes;
    while (bytes != 0) {
        const std::size_t part = std::min(bytes, state_block - m_buffer.size());
        m_buffer.insert(m_buffer.end(), next, next + part);
        next += part;
        bytes -= part;
        if (m_buffer.size() == state_block) {
            sum_blocks();
        }
    }
}

/// A stretch begins where a page of the file does.
void state_writer::fill_page()
{
    const std::vector<unsigned char> zeros(whole_pages_of(m_end) - m_end);
    put(zeros.data(), zeros.size());
}

/// The buffer goes to the file as one block.
void state_writer::sum_blocks()
{
    m_index.sums.push_back(checksum(m_buffer.data(), m_buffer.size()));
    for (std::size_t done = 0; done < m_buffer.size();) {
        const ssize_t n = ::write(m_file, m_buffer.data() + done, m_buffer.size() - done);
        if (n < 0 && errno != EINTR) {
            failed(errno);
        }
        done += n < 0 ? 0 : static_cast<std::size_t>(n);
    }
    m_buffer.clear();
}

void state_writer::finish()
{
    if (!m_buffer.empty()) {
        sum_blocks();
    }
    const std::string index = m_index.pack();
    state_header h{};
    h.magic = state_magic;
    h.version = state_version;
    h.page_bytes = page_bytes;
    h.index_offset = m_end;
    h.file_bytes = m_end + index.size();
    h.index_sum = checksum(index.data(), index.size());
    h.header_sum = header_sum(first_page(h));
    const state_first_page first = first_page(h);
    const auto all = [](ssize_t n, std::size_t of) {
        return n >= 0 && static_cast<std::size_t>(n) == of;
    };
    if (!all(::write(m_file, index.data(), index.size()), index.size()) ||
        !all(::pwrite(m_file, first.data(), first.size(), 0), first.size())) {
        failed(errno != 0 ? errno : ENOSPC);
    }
    if (::rename(m_partial.c_str(), m_target.c_str()) != 0) {
        failed(errno);
    }
    ::close(std::exchange(m_file, -1));
}

} // namespace ssdvp::platform
