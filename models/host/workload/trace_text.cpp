// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/trace_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "models/host/workload/trace.h"

namespace ssdvp::host {

namespace {

constexpr std::size_t chunk = 64 * 1024;
constexpr std::size_t longest_line = 4096;

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace

/// The C libraries, not Boost.Iostreams' filters: a file cut short must be an error, and those
/// take the end of the compressed bytes for the end of the text.
class trace_text::input {
public:
    explicit input(const std::string& file) : m_name(file)
    {
        std::array<unsigned char, 4> magic{};
        if (std::filesystem::is_directory(file)) {
            throw trace_error(file + ": is a folder; give a trace file");
        }
        m_file = std::fopen(file.c_str(), "rb");
        if (m_file == nullptr) {
            throw trace_error(fmt::format("{}: cannot be read: {}; check the path and its "
                                          "permissions",
                                          file, std::strerror(errno)));
        }
        const std::size_t got = std::fread(magic.data(), 1, magic.size(), m_file);
        std::rewind(m_file);
        const bool gzip = got >= 2 && magic[0] == 0x1F && magic[1] == 0x8B;
        const bool zstd = got == 4 && magic[0] == 0x28 && magic[1] == 0xB5 && magic[2] == 0x2F &&
                          magic[3] == 0xFD;
        if ((ends_with(file, ".gz") && !gzip) || (ends_with(file, ".zst") && !zstd)) {
            std::fclose(m_file);
            throw trace_error(fmt::format("{}: is not compressed as its name says; remove the "
                                          "ending .gz or .zst",
                                          file));
        }
        if (gzip) {
            m_kind = kind::gzip;
            inflateInit2(&m_gzip, 15 + 16);
        } else if (zstd) {
            m_kind = kind::zstd;
            m_zstd = ZSTD_createDStream();
        }
        m_compressed.resize(m_kind == kind::plain ? 0 : chunk);
    }
    ~input()
    {
        std::fclose(m_file);
        if (m_kind == kind::gzip) {
            inflateEnd(&m_gzip);
        }
        ZSTD_freeDStream(m_zstd);
    }
    input(const input&) = delete;
    input& operator=(const input&) = delete;

    /// Up to `room` bytes; 0 at the end.
    std::size_t read(char* to, std::size_t room)
    {
        switch (m_kind) {
        case kind::plain:
            return read_file(to, room);
        case kind::gzip:
            return read_gzip(to, room);
        case kind::zstd:
            break;
        }
        return read_zstd(to, room);
    }

private:
    enum class kind : std::uint8_t { plain, gzip, zstd };

    std::size_t read_file(char* to, std::size_t room)
    {
        const std::size_t got = std::fread(to, 1, room, m_file);
        if (got == 0 && std::ferror(m_file) != 0) {
            throw trace_error(m_name + ": read error; check the medium that holds it");
        }
        return got;
    }
    /// More compressed bytes; false at the end of the file.
    bool refill()
    {
        if (m_used < m_available) {
            return true;
        }
        m_used = 0;
        m_available = read_file(m_compressed.data(), m_compressed.size());
        return m_available != 0;
    }
    [[noreturn]] void damaged(const char* how) const
    {
        throw trace_error(fmt::format("{}: compressed data {}; copy the file again", m_name, how));
    }
    std::size_t read_gzip(char* to, std::size_t room)
    {
        m_gzip.next_out = reinterpret_cast<Bytef*>(to);
        m_gzip.avail_out = static_cast<uInt>(room);
        while (m_gzip.avail_out == room) {
            if (!refill()) {
                if (m_in_member) {
                    damaged("ends too early");
                }
                return 0;
            }
            m_gzip.next_in = reinterpret_cast<Bytef*>(m_compressed.data() + m_used);
            m_gzip.avail_in = static_cast<uInt>(m_available - m_used);
            m_in_member = true;
            const int result = inflate(&m_gzip, Z_NO_FLUSH);
            m_used = m_available - m_gzip.avail_in;
            if (result == Z_STREAM_END) {
                m_in_member = false; // another member may follow
                inflateReset(&m_gzip);
            } else if (result != Z_OK && result != Z_BUF_ERROR) {
                damaged("is not valid gzip");
            }
        }
        return room - m_gzip.avail_out;
    }
    std::size_t read_zstd(char* to, std::size_t room)
    {
        ZSTD_outBuffer out = {to, room, 0};
        while (out.pos == 0) {
            // A frame may hold more text than fits `to`: then no new input is needed.
            if (!refill() && !m_in_member) {
                return 0;
            }
            ZSTD_inBuffer in = {m_compressed.data(), m_available, m_used};
            const std::size_t result = ZSTD_decompressStream(m_zstd, &out, &in);
            if (ZSTD_isError(result) != 0) {
                damaged("is not valid zstd");
            }
            const bool progress = in.pos != m_used || out.pos != 0;
            m_used = in.pos;
            m_in_member = result != 0;
            if (!progress && m_available == 0) {
                damaged("ends too early");
            }
        }
        return out.pos;
    }

    std::string m_name;
    std::FILE* m_file = nullptr; // closed by the destructor
    kind m_kind = kind::plain;
    z_stream m_gzip{};
    ZSTD_DStream* m_zstd = nullptr; // freed by the destructor
    std::vector<char> m_compressed;
    std::size_t m_used = 0;
    std::size_t m_available = 0;
    bool m_in_member = false;
};

trace_text::trace_text(const std::string& file)
    : m_file(file), m_input(std::make_unique<input>(file)), m_buffer(chunk + longest_line)
{}

trace_text::~trace_text() = default;

std::string trace_text::at_column(std::size_t column, const std::string& what) const
{
    return fmt::format("{}:{}:{}: {}", m_file, m_line, m_indent + column, what);
}

bool trace_text::fill()
{
    std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
    m_end -= m_begin;
    m_begin = 0;
    const std::size_t got = m_input->read(m_buffer.data() + m_end, m_buffer.size() - m_end);
    m_end += got;
    m_ended = got == 0;
    return got != 0;
}

bool trace_text::raw_line(std::string_view& line)
{
    for (;;) {
        const char* first = m_buffer.data() + m_begin;
        const std::size_t have = m_end - m_begin;
        const void* newline = std::memchr(first, '\n', have);
        if (newline == nullptr && have <= longest_line && !m_ended && fill()) {
            continue;
        }
        if (newline == nullptr && have == 0) {
            return false;
        }
        ++m_line;
        const std::size_t length =
            newline == nullptr
                ? have
                : static_cast<std::size_t>(static_cast<const char*>(newline) - first);
        if (length > longest_line) {
            throw trace_error(at_column(longest_line + 1,
                                        "line longer than 4096 characters; this is not a trace"));
        }
        // fill() may have moved the bytes, but then the loop started again with a new `first`.
        line = std::string_view(m_buffer.data() + m_begin, length);
        m_begin += length + (newline == nullptr ? 0 : 1);
        return true;
    }
}

bool trace_text::next(std::string_view& line)
{
    while (raw_line(line)) {
        m_indent = 0;
        while (!line.empty() &&
               (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
            line.remove_suffix(1);
        }
        while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
            line.remove_prefix(1);
            ++m_indent;
        }
        if (!line.empty()) {
            return true;
        }
    }
    return false;
}

} // namespace ssdvp::host
