// SPDX-License-Identifier: Apache-2.0
//
// BLOCK_STATUS: where nobody has written, and the drive reads as zeros. The reads are requests to
// the drive like a client's own.
#include "platform/serve/nbd_connection.h"

#include <algorithm>
#include <cstring>

#include "platform/serve/nbd_job.h"

namespace ssdvp::platform {

using namespace nbd;

namespace {

constexpr std::uint64_t unit = 4096; // bytes, aligned, that are zeros or are not

bool is_zero(const unsigned char* bytes, std::size_t length)
{
    return bytes[0] == 0 && std::memcmp(bytes, bytes + 1, length - 1) == 0;
}

} // namespace

void nbd_connection::job::add_extent(std::uint32_t bytes, std::uint32_t state)
{
    if (!extents.empty() && extents.back().state == state) {
        extents.back().bytes += bytes;
    } else {
        extents.push_back({bytes, state});
    }
    done += bytes;
}

/// Goes on with what the map knows, and reads what it takes for a hole. An answer may tell of less
/// than was asked for.
void nbd_connection::look_on(job& j)
{
    const std::size_t most = j.one ? 1 : nbd_limits::extents;
    while (j.done < j.length && j.extents.size() <= most && j.looked < nbd_limits::looked &&
           !closed()) {
        const std::uint64_t at = j.offset + j.done;
        const hole_map::range known = m_holes.at(at);
        const auto bytes =
            static_cast<std::uint32_t>(std::min(known.end, j.offset + j.length) - at);
        if (!known.hole) {
            j.add_extent(bytes, 0);
            continue;
        }
        if (j.counted == 0) {
            j.reserve(nbd_limits::zero_piece);
            m_bytes_under_way += j.counted = nbd_limits::zero_piece;
        }
        block_request& r = j.piece;
        r.owner = &j;
        r.fua = false;
        r.kind = host::request_kind::read;
        r.lba = at / sector_size;
        r.sectors = std::min(bytes, nbd_limits::zero_piece) / sector_size;
        r.data = j.data.get();
        m_sink.post(r);
        return;
    }
    j.extents.resize(std::min(j.extents.size(), most));
    answer(j, OK);
}

/// What was read of a hole.
void nbd_connection::looked(job& j)
{
    const std::uint32_t bytes = j.piece.sectors * sector_size;
    j.looked += bytes;
    for (std::uint32_t i = 0; i < bytes;) {
        const std::uint64_t at = j.offset + j.done;
        const auto length =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(unit - at % unit, bytes - i));
        const bool hole = is_zero(j.data.get() + i, length);
        if (!hole) {
            m_holes.written(at, at + length);
        }
        j.add_extent(length, hole ? STATE_HOLE | STATE_ZERO : 0);
        i += length;
    }
    look_on(j);
}

void nbd_connection::put_extents(const job& j)
{
    put<std::uint32_t>(m_out, STRUCTURED_REPLY_MAGIC);
    put<std::uint16_t>(m_out, REPLY_FLAG_DONE);
    put<std::uint16_t>(m_out, REPLY_BLOCK_STATUS);
    put<std::uint64_t>(m_out, j.cookie);
    put<std::uint32_t>(m_out, static_cast<std::uint32_t>(4 + 8 * j.extents.size()));
    put<std::uint32_t>(m_out, ALLOCATION_ID);
    for (const nbd_extent& e : j.extents) {
        put<std::uint32_t>(m_out, e.bytes);
        put<std::uint32_t>(m_out, e.state);
    }
}

/// LIST_META_CONTEXT and SET_META_CONTEXT: there is base:allocation.
void nbd_connection::take_meta_context(std::uint32_t option, reader data)
{
    const bool set = option == OPT_SET_META_CONTEXT;
    m_allocation = m_allocation && !set; // the last one counts
    const std::string_view name = data.text(data.take<std::uint32_t>());
    const auto queries = data.take<std::uint32_t>();
    bool wanted = !set && queries == 0;
    for (std::uint32_t i = 0; i < queries && data.good(); ++i) {
        const std::string_view query = data.text(data.take<std::uint32_t>());
        wanted = wanted || query == ALLOCATION || (!set && query == "base:");
    }
    if (!m_structured) {
        reply_text(REP_ERR_INVALID, "structured replies come first");
    } else if (!data.good() || data.left() != 0) {
        reply_text(REP_ERR_INVALID, "the lengths in the option do not fit its length");
    } else if (!known(name)) {
        reply_text(REP_ERR_UNKNOWN, "there is no such export");
    } else {
        if (wanted) {
            std::vector<unsigned char> out;
            put<std::uint32_t>(out, set ? ALLOCATION_ID : 0);
            out.insert(out.end(), ALLOCATION.begin(), ALLOCATION.end());
            reply_option(REP_META_CONTEXT, out);
            m_allocation = m_allocation || set;
        }
        reply_option(REP_ACK);
    }
}

} // namespace ssdvp::platform
