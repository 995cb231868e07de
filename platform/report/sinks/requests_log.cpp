// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sinks/requests_log.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "platform/report/compressed_file.h"
#include "platform/report/sinks/request_row.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t buffer_size = 1u << 20;
constexpr std::uint64_t sector_bytes = 512;
constexpr const char* iolog_header = "fio version 3 iolog\n0 drive add\n0 drive open\n";

} // namespace

requests_log::requests_log(const std::filesystem::path& file, log_format format, const char* option)
    : m_format(format), m_file(std::make_unique<compressed_file>(file, option)),
      m_buffer(buffer_size)
{
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
    if (!m_enabled || m_file->failed()) {
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
    m_file->write({m_buffer.data(), m_used});
    m_used = 0;
}

void requests_log::finish()
{
    if (m_open) {
        m_open = false;
        flush();
        m_file->finish();
    }
}

std::unique_ptr<report_sink> make_requests_log(const std::string& value, const sink_subject&)
{
    return std::make_unique<requests_log_sink>(value, log_format::csv, "--requests-log");
}

} // namespace ssdvp::platform
