// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sinks/requests_log.h"

#include <algorithm>
#include <array>
#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cstring>

#include "platform/report/output_file.h"
#include "platform/report/sinks/request_row.h"

namespace ssdvp::platform {

namespace io = boost::iostreams;

namespace {

constexpr std::size_t buffer_size = 1u << 20;
constexpr std::uint64_t sector_bytes = 512;
constexpr const char* iolog_header = "fio version 3 iolog\n0 drive add\n0 drive open\n";

} // namespace

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
        format == log_format::csv ? request_row_header() + '\n' : iolog_header;
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
    if (m_buffer.size() - m_used < longest_request_row) {
        flush();
    }
    char* at = m_buffer.data() + m_used;
    at = m_format == log_format::csv ? put_request_row(at, r) : put_iolog(at, r);
    *at++ = '\n';
    m_used = static_cast<std::size_t>(at - m_buffer.data());
}

char* requests_log::put_iolog(char* at, const host::request_result& r)
{
    constexpr std::array<const char*, host::request_kinds> actions = {
        " drive read ", " drive write ", " drive trim ", " drive sync "};
    m_first = m_begun ? m_first : r.req.arrival;
    m_begun = true;
    const std::uint64_t us = r.req.arrival < m_first ? 0 : (r.req.arrival - m_first).ns() / 1000;
    m_last_us = std::max(m_last_us, us);
    at = put_number(at, m_last_us);
    const char* action = actions[static_cast<std::size_t>(r.req.kind)];
    at = std::copy_n(action, std::strlen(action), at);
    at = put_number(at, r.req.lba * sector_bytes);
    *at++ = ' ';
    return put_number(at, std::uint64_t{r.req.sectors} * sector_bytes);
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
