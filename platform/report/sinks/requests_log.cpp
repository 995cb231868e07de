// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sinks/requests_log.h"

#include <algorithm>
#include <array>
#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cstring>
#include <fmt/format.h>

#include "platform/report/output_file.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

namespace io = boost::iostreams;

namespace {

constexpr std::size_t buffer_size = 1u << 20;
constexpr std::uint64_t sector_bytes = 512;
constexpr const char* iolog_header = "fio version 3 iolog\n0 drive add\n0 drive open\n";
constexpr std::size_t longest_line = 864; // 33 fields of at most 21 digits, with separators
constexpr std::size_t number_fields = 13; // all but the kind, the parts and what blocked
constexpr std::size_t longest_words = 16 + 32;
static_assert((number_fields + latency_parts) * 26 + longest_words < longest_line);

char* put(char* at, std::uint64_t n)
{
    const fmt::format_int digits(n);
    std::memcpy(at, digits.data(), digits.size());
    return at + digits.size();
}

char* put_field(char* at, std::uint64_t n)
{
    *at++ = ',';
    return put(at, n);
}

char* put_field(char* at, sim_time t)
{
    at = put_field(at, t.ns());
    const auto ps = static_cast<unsigned>(t.ps() % 1000);
    *at++ = '.';
    *at++ = static_cast<char>('0' + ps / 100);
    *at++ = static_cast<char>('0' + ps / 10 % 10);
    *at++ = static_cast<char>('0' + ps % 10);
    return at;
}

char* put_field(char* at, const char* text)
{
    *at++ = ',';
    return std::copy_n(text, std::strlen(text), at);
}

/// Of a channel or LUN: empty where the command had no flash operation.
char* put_place(char* at, std::uint16_t place)
{
    if (place == latency_place::nowhere) {
        *at++ = ',';
        return at;
    }
    return put_field(at, std::uint64_t{place});
}

/// gc_program, host_erase, gc_room, none.
char* put_blocker(char* at, blocker b)
{
    if (b.work == blocking_work::none) {
        return put_field(at, blocking_work_names.front());
    }
    at = put_field(at, purpose_names[b.purpose]);
    *at++ = '_';
    const char* work = blocking_work_names[static_cast<std::size_t>(b.work)];
    return std::copy_n(work, std::strlen(work), at);
}

} // namespace

std::string requests_log_header()
{
    std::string header = "sequence,stream,kind,lba,sectors,arrival_ns,submitted_ns,completed_ns,"
                         "latency_ns,status";
    for (const char* part : latency_part_names) {
        header += fmt::format(",{}_ns", part);
    }
    return header + ",queue,channel,lun,blocked_by,blocked_ns";
}

/// The end of the chain. The file keeps an error of writing by itself, because closing a chain
/// swallows what its devices throw.
class chain_end {
public:
    using char_type = char;
    using category = io::sink_tag;
    explicit chain_end(output_file& file) : m_file(&file) {}

    std::streamsize write(const char* text, std::streamsize length)
    {
        m_file->write({text, static_cast<std::size_t>(length)});
        return length;
    }

private:
    output_file* m_file;
};

struct requests_log::sink {
    sink(const std::filesystem::path& name, const char* option) : file(name, option) {}
    output_file file;
    io::filtering_ostream stream;
};

requests_log::requests_log(const std::filesystem::path& file, log_format format, const char* option)
    : m_format(format), m_sink(std::make_unique<sink>(file, option)), m_buffer(buffer_size)
{
    if (file.extension() == ".zst") {
        m_sink->stream.push(io::zstd_compressor());
    } else if (file.extension() == ".gz") {
        m_sink->stream.push(io::gzip_compressor());
    }
    m_sink->stream.push(chain_end(m_sink->file));
    const std::string header =
        format == log_format::csv ? requests_log_header() + '\n' : iolog_header;
    std::memcpy(m_buffer.data(), header.data(), header.size());
    m_used = header.size();
}

requests_log::~requests_log()
{
    try {
        finish();
    } catch (const std::exception&) { // what is on its way now says more
    }
}

void requests_log::on_complete(const host::request_result& r)
{
    if (!m_enabled || m_sink->file.failed()) {
        return;
    }
    if (m_buffer.size() - m_used < longest_line) {
        flush();
    }
    char* at = m_buffer.data() + m_used;
    at = m_format == log_format::csv ? put_csv(at, r) : put_iolog(at, r);
    *at++ = '\n';
    m_used = static_cast<std::size_t>(at - m_buffer.data());
}

char* requests_log::put_csv(char* at, const host::request_result& r) const
{
    at = put(at, r.sequence);
    at = put_field(at, std::uint64_t{r.req.stream});
    at = put_field(at, request_kind_names[static_cast<std::size_t>(r.req.kind)]);
    at = put_field(at, r.req.lba);
    at = put_field(at, std::uint64_t{r.req.sectors});
    at = put_field(at, r.req.arrival);
    at = put_field(at, r.submitted);
    at = put_field(at, r.completed);
    at = put_field(at, r.latency());
    at = put_field(at, std::uint64_t{r.status});
    for (const sim_time part : r.parts) {
        at = put_field(at, part);
    }
    at = put_field(at, std::uint64_t{r.queue});
    at = put_place(at, r.place.channel);
    at = put_place(at, r.place.lun);
    at = put_blocker(at, r.place.behind);
    return put_field(at, r.place.blocked);
}

char* requests_log::put_iolog(char* at, const host::request_result& r)
{
    constexpr std::array<const char*, host::request_kinds> actions = {
        " drive read ", " drive write ", " drive trim ", " drive sync "};
    m_first = m_begun ? m_first : r.req.arrival;
    m_begun = true;
    const std::uint64_t us = r.req.arrival < m_first ? 0 : (r.req.arrival - m_first).ns() / 1000;
    m_last_us = std::max(m_last_us, us);
    at = put(at, m_last_us);
    const char* action = actions[static_cast<std::size_t>(r.req.kind)];
    at = std::copy_n(action, std::strlen(action), at);
    at = put(at, r.req.lba * sector_bytes);
    *at++ = ' ';
    return put(at, std::uint64_t{r.req.sectors} * sector_bytes);
}

void requests_log::flush()
{
    m_sink->stream.write(m_buffer.data(), static_cast<std::streamsize>(m_used));
    m_used = 0;
}

void requests_log::close()
{
    m_open = false;
    flush();
    m_sink->stream.reset(); // ends the compressed frame
}

void requests_log::finish()
{
    if (m_open) {
        close();
        m_sink->file.finish();
    }
}

std::unique_ptr<report_sink> make_requests_log(const std::string& value, const sink_subject&)
{
    return std::make_unique<requests_log_sink>(value, log_format::csv, "--requests-log");
}

} // namespace ssdvp::platform
