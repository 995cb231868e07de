// SPDX-License-Identifier: Apache-2.0
//
// Transmission: requests of the client and what becomes of them.
#include "platform/serve/nbd_connection.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "platform/serve/nbd_job.h"

namespace ssdvp::platform {

using namespace nbd;

nbd_connection::nbd_connection(const nbd_export& what, hole_map& holes, nbd_memory& all,
                               nbd_sink& sink)
    : m_export(what), m_holes(holes), m_all(all), m_sink(sink)
{
    put<std::uint64_t>(m_out, GREETING);
    put<std::uint64_t>(m_out, OPTION_MAGIC);
    put<std::uint16_t>(m_out, FIXED_NEWSTYLE | NO_ZEROES);
}

nbd_connection::~nbd_connection()
{
    m_all.bytes -= m_held;
}

void nbd_connection::close(std::string why)
{
    if (m_phase == phase::closed) {
        return;
    }
    m_phase = phase::closed;
    m_reason = std::move(why);
    if (m_filling != nullptr) {
        release(*m_filling);
        m_filling = nullptr;
    }
}

/// Bytes of data and replies; the sum of all connections follows them.
std::uint64_t nbd_connection::held()
{
    const std::uint64_t now = m_bytes_under_way + m_out.size() + m_unsent;
    m_all.bytes += now - m_held;
    m_held = now;
    return now;
}

/// One request at a time goes on, whatever others hold.
bool nbd_connection::has_room()
{
    const std::uint64_t own = held();
    return m_under_way < nbd_limits::requests && own < nbd_limits::bytes_under_way &&
           (own == 0 || m_all.bytes < nbd_limits::bytes_of_all);
}

std::size_t nbd_connection::feed(const unsigned char* bytes, std::size_t length)
{
    std::size_t taken = 0;
    while (taken < length && !closed()) {
        if (m_phase == phase::request && m_header.empty() && !has_room()) {
            break;
        }
        taken += step(bytes + taken, length - taken);
    }
    return taken;
}

/// Adds to m_header until it holds `wanted` bytes.
bool nbd_connection::gather(const unsigned char*& bytes, std::size_t& length, std::size_t wanted)
{
    const std::size_t more = std::min(length, wanted - m_header.size());
    m_header.insert(m_header.end(), bytes, bytes + more);
    bytes += more;
    length -= more;
    return m_header.size() == wanted;
}

/// At least one byte, unless an option without data ends.
std::size_t nbd_connection::step(const unsigned char* bytes, std::size_t length)
{
    const std::size_t before = length;
    switch (m_phase) {
    case phase::flags:
        if (gather(bytes, length, 4)) {
            take_flags();
        }
        break;
    case phase::option:
        if (gather(bytes, length, OPTION_HEADER)) {
            take_option_header();
        }
        break;
    case phase::option_data:
        if (gather(bytes, length, m_option_length)) {
            take_option();
        }
        break;
    case phase::request:
        if (gather(bytes, length, REQUEST_HEADER)) {
            take_request();
        }
        break;
    case phase::payload: {
        const std::size_t more = std::min(length, m_filling->length - m_filled);
        std::memcpy(m_filling->data.get() + m_filled, bytes, more);
        m_filled += more;
        length -= more;
        if (m_filled == m_filling->length) {
            m_phase = phase::request;
            begin(*std::exchange(m_filling, nullptr));
        }
        break;
    }
    case phase::closed:
        break;
    }
    return before - length;
}

nbd_connection::job& nbd_connection::take_job()
{
    if (m_free.empty()) {
        m_jobs.push_back(std::make_unique<job>());
        m_free.push_back(m_jobs.back().get());
    }
    job& j = *m_free.back();
    m_free.pop_back();
    m_kept -= j.capacity;
    ++m_under_way;
    return j;
}

void nbd_connection::release(job& j)
{
    --m_under_way;
    m_bytes_under_way -= j.counted;
    j.counted = 0;
    (void)held();
    if (j.capacity > nbd_limits::kept_buffer || m_kept + j.capacity > nbd_limits::kept_buffers) {
        j.data.reset();
        j.capacity = 0;
    }
    m_kept += j.capacity;
    if (j.extents.capacity() > nbd_limits::kept_extents) {
        j.extents = {};
    }
    m_free.push_back(&j);
}

void nbd_connection::take_request()
{
    reader r(m_header.data(), m_header.size());
    const auto magic = r.take<std::uint32_t>();
    const auto flags = r.take<std::uint16_t>();
    const auto type = r.take<std::uint16_t>();
    const auto cookie = r.take<std::uint64_t>();
    const auto offset = r.take<std::uint64_t>();
    const auto length = r.take<std::uint32_t>();
    m_header.clear();
    if (magic != REQUEST_MAGIC) {
        close(fmt::format("a request begins with {:#010x}, not {:#010x}", magic, REQUEST_MAGIC));
        return;
    }
    if (type == CMD_DISC) {
        close({});
        return;
    }
    if (type == CMD_WRITE && length > nbd_limits::longest) {
        close(fmt::format("a write of {} bytes: {} at most", length, nbd_limits::longest));
        return;
    }
    ++m_requests;
    job& j = take_job();
    j.type = type;
    j.cookie = cookie;
    j.offset = offset;
    j.length = length;
    j.done = 0;
    j.fua = (flags & CMD_FLAG_FUA) != 0;
    j.one = (flags & CMD_FLAG_REQ_ONE) != 0;
    j.looked = 0;
    j.extents.clear();
    j.error = refusal(j, flags);
    if (type == CMD_WRITE || (type == CMD_READ && j.error == OK)) {
        j.reserve(length);
        m_bytes_under_way += j.counted = length;
    }
    if (type == CMD_WRITE && length != 0) { // the payload comes, whatever is wrong
        m_filling = &j;
        m_filled = 0;
        m_phase = phase::payload;
        return;
    }
    begin(j);
}

/// The error that a request gets at once, or OK.
std::uint32_t nbd_connection::refusal(const job& j, std::uint16_t flags) const
{
    const bool writes = j.type == CMD_WRITE || j.type == CMD_TRIM || j.type == CMD_WRITE_ZEROES;
    std::uint16_t allowed = CMD_FLAG_FUA;
    allowed |= j.type == CMD_WRITE_ZEROES ? CMD_FLAG_NO_HOLE : 0;
    allowed |= j.type == CMD_BLOCK_STATUS ? CMD_FLAG_REQ_ONE : 0;
    allowed |= j.type == CMD_READ && m_structured ? CMD_FLAG_DF : 0;
    if ((flags & ~allowed) != 0) {
        return EINVAL_;
    }
    if (j.type == CMD_FLUSH) {
        return j.offset == 0 && j.length == 0 ? OK : EINVAL_;
    }
    const bool status = j.type == CMD_BLOCK_STATUS && m_allocation;
    if (j.type != CMD_READ && !status && !writes) {
        return EINVAL_;
    }
    if (writes && m_export.read_only) {
        return EPERM_;
    }
    if (j.length == 0 || j.length % nbd_limits::block != 0 || j.offset % nbd_limits::block != 0) {
        return EINVAL_;
    }
    if (j.length > m_export.bytes || j.offset > m_export.bytes - j.length) {
        return writes ? ENOSPC_ : EINVAL_;
    }
    return j.type == CMD_READ && j.length > nbd_limits::longest ? EINVAL_ : OK;
}

void nbd_connection::begin(job& j)
{
    if (j.error != OK) {
        answer(j, j.error);
        return;
    }
    if (j.type == CMD_BLOCK_STATUS) {
        look_on(j);
        return;
    }
    if (j.type == CMD_WRITE || j.type == CMD_WRITE_ZEROES) {
        m_holes.written(j.offset, j.offset + j.length);
    }
    start(j);
}

/// Hands the next piece of the job to the door: all of it, but of WRITE_ZEROES.
void nbd_connection::start(job& j)
{
    block_request& r = j.piece;
    r.owner = &j;
    r.fua = j.fua && (j.type == CMD_WRITE || j.type == CMD_WRITE_ZEROES);
    r.lba = (j.offset + j.done) / sector_size;
    r.sectors = static_cast<std::uint32_t>((j.length - j.done) / sector_size);
    r.data = nullptr;
    switch (j.type) {
    case CMD_READ:
        r.kind = host::request_kind::read;
        r.data = j.data.get();
        break;
    case CMD_WRITE:
        r.kind = host::request_kind::write;
        r.data = j.data.get();
        break;
    case CMD_TRIM:
        r.kind = host::request_kind::trim;
        break;
    case CMD_WRITE_ZEROES: {
        // Written, not trimmed: what a trimmed sector reads as is the firmware's choice.
        const std::uint32_t bytes = std::min(j.length - j.done, nbd_limits::zero_piece);
        if (j.done == 0) {
            j.reserve(bytes);
            std::memset(j.data.get(), 0, bytes);
            m_bytes_under_way += j.counted = bytes;
        }
        r.kind = host::request_kind::write;
        r.sectors = bytes / sector_size;
        r.data = j.data.get();
        break;
    }
    default:
        r.kind = host::request_kind::flush;
        r.lba = 0;
        r.sectors = 0;
        break;
    }
    m_sink.post(r);
}

void nbd_connection::returned(block_request& r)
{
    job& j = *static_cast<job*>(r.owner);
    std::uint32_t error = OK;
    if (r.image_failed) {
        error = ENOSPC_;
    } else if (r.lost || r.status != 0) {
        error = EIO_;
    }
    if (error == OK && j.type == CMD_BLOCK_STATUS) {
        looked(j);
        return;
    }
    if (error == OK && !j.flushing) {
        j.done += r.sectors * sector_size;
        if (j.done < j.length) {
            start(j);
            return;
        }
        if (j.type == CMD_TRIM) {
            m_holes.trimmed(j.offset, j.offset + j.length);
        }
        if (j.fua && j.type == CMD_TRIM) { // the interfaces know no FUA of a trim
            j.flushing = true;
            r.kind = host::request_kind::flush;
            r.sectors = 0;
            m_sink.post(r);
            return;
        }
    }
    j.flushing = false;
    answer(j, error);
}

void nbd_connection::answer(job& j, std::uint32_t error)
{
    const bool data = j.type == CMD_READ && error == OK;
    if (j.type == CMD_BLOCK_STATUS && error == OK) {
        put_extents(j);
    } else if ((j.type == CMD_READ || j.type == CMD_BLOCK_STATUS) && m_structured) {
        put<std::uint32_t>(m_out, STRUCTURED_REPLY_MAGIC);
        put<std::uint16_t>(m_out, REPLY_FLAG_DONE);
        put<std::uint16_t>(m_out, data ? REPLY_OFFSET_DATA : REPLY_ERROR);
        put<std::uint64_t>(m_out, j.cookie);
        put<std::uint32_t>(m_out, data ? j.length + 8 : 6);
        if (data) {
            put<std::uint64_t>(m_out, j.offset);
        } else {
            put<std::uint32_t>(m_out, error);
            put<std::uint16_t>(m_out, 0); // no text
        }
    } else {
        put<std::uint32_t>(m_out, SIMPLE_REPLY_MAGIC);
        put<std::uint32_t>(m_out, error);
        put<std::uint64_t>(m_out, j.cookie);
    }
    if (data) {
        m_out.insert(m_out.end(), j.data.get(), j.data.get() + j.length);
    }
    release(j);
}

} // namespace ssdvp::platform
