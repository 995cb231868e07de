// SPDX-License-Identifier: Apache-2.0
//
// What comes before transmission: flags and options.
#include <fmt/format.h>

#include "platform/serve/nbd_job.h"

namespace ssdvp::platform {

using namespace nbd;

void nbd_connection::take_flags()
{
    const auto flags = reader(m_header.data(), m_header.size()).take<std::uint32_t>();
    m_header.clear();
    if ((flags & ~std::uint32_t{FIXED_NEWSTYLE | NO_ZEROES}) != 0) {
        close(fmt::format("unknown handshake flags {:#x}", flags));
        return;
    }
    if ((flags & FIXED_NEWSTYLE) == 0) {
        close("the client does not know the fixed newstyle handshake");
        return;
    }
    m_no_zeroes = (flags & NO_ZEROES) != 0;
    m_phase = phase::option;
}

void nbd_connection::take_option_header()
{
    reader r(m_header.data(), m_header.size());
    const auto magic = r.take<std::uint64_t>();
    m_option = r.take<std::uint32_t>();
    m_option_length = r.take<std::uint32_t>();
    m_header.clear();
    if (magic != OPTION_MAGIC) {
        close(fmt::format("an option begins with {:#018x}, not {:#018x}", magic, OPTION_MAGIC));
    } else if (m_option_length > nbd_limits::option_bytes) {
        close(fmt::format("an option of {} bytes: {} at most", m_option_length,
                          nbd_limits::option_bytes));
    } else if (++m_options > nbd_limits::options) {
        close(fmt::format("more than {} options", nbd_limits::options));
    } else if (m_option_length == 0) {
        take_option();
    } else {
        m_phase = phase::option_data;
    }
}

void nbd_connection::take_option()
{
    const std::vector<unsigned char> bytes = std::move(m_header);
    m_header.clear();
    m_phase = phase::option;
    const reader data(bytes.data(), bytes.size());
    switch (m_option) {
    case OPT_EXPORT_NAME:
        take_export_name(data);
        break;
    case OPT_ABORT:
        reply_option(REP_ACK);
        close({});
        break;
    case OPT_LIST: {
        if (!bytes.empty()) {
            reply_text(REP_ERR_INVALID, "NBD_OPT_LIST has no data");
            break;
        }
        std::vector<unsigned char> entry;
        put<std::uint32_t>(entry, static_cast<std::uint32_t>(m_export.name.size()));
        entry.insert(entry.end(), m_export.name.begin(), m_export.name.end());
        reply_option(REP_SERVER, entry);
        reply_option(REP_ACK);
        break;
    }
    case OPT_INFO:
    case OPT_GO:
        take_go(m_option, data);
        break;
    case OPT_LIST_META_CONTEXT:
    case OPT_SET_META_CONTEXT:
        take_meta_context(m_option, data);
        break;
    case OPT_STRUCTURED_REPLY:
        if (!bytes.empty()) {
            reply_text(REP_ERR_INVALID, "NBD_OPT_STRUCTURED_REPLY has no data");
            break;
        }
        m_structured = true;
        reply_option(REP_ACK);
        break;
    default:
        reply_text(REP_ERR_UNSUP, "this server does not have the option");
        break;
    }
}

void nbd_connection::reply_option(std::uint32_t type, const std::vector<unsigned char>& data)
{
    put<std::uint64_t>(m_out, OPTION_REPLY_MAGIC);
    put<std::uint32_t>(m_out, m_option);
    put<std::uint32_t>(m_out, type);
    put<std::uint32_t>(m_out, static_cast<std::uint32_t>(data.size()));
    m_out.insert(m_out.end(), data.begin(), data.end());
}

void nbd_connection::reply_text(std::uint32_t type, std::string_view text)
{
    reply_option(type, {text.begin(), text.end()});
}

bool nbd_connection::known(std::string_view name) const
{
    return name.empty() || name == m_export.name;
}

std::uint16_t nbd_connection::transmission_flags() const
{
    std::uint16_t flags = FLAG_HAS_FLAGS | FLAG_SEND_FLUSH | FLAG_SEND_FUA | FLAG_SEND_TRIM |
                          FLAG_SEND_WRITE_ZEROES | FLAG_CAN_MULTI_CONN;
    flags |= m_export.read_only ? FLAG_READ_ONLY : 0;
    flags |= m_structured ? FLAG_SEND_DF : 0;
    return flags;
}

void nbd_connection::take_export_name(reader data)
{
    const std::string_view name = data.text(data.left());
    if (!known(name)) { // this option has no way to say so
        close("the client asks for an export that does not exist");
        return;
    }
    put<std::uint64_t>(m_out, m_export.bytes);
    put<std::uint16_t>(m_out, transmission_flags());
    if (!m_no_zeroes) {
        m_out.insert(m_out.end(), 124, 0);
    }
    m_phase = phase::request;
}

void nbd_connection::take_go(std::uint32_t option, reader data)
{
    const auto name_length = data.take<std::uint32_t>();
    const std::string_view name = data.text(name_length);
    const auto wishes = data.take<std::uint16_t>();
    if (!data.good() || data.left() != std::size_t{wishes} * 2) {
        reply_text(REP_ERR_INVALID, "the lengths in the option do not fit its length");
        return;
    }
    if (!known(name)) {
        reply_text(REP_ERR_UNKNOWN, "there is no such export");
        return;
    }
    bool wants_name = false;
    bool wants_description = false;
    for (std::uint16_t i = 0; i < wishes; ++i) {
        const auto what = data.take<std::uint16_t>();
        wants_name = wants_name || what == INFO_NAME;
        wants_description = wants_description || what == INFO_DESCRIPTION;
    }
    std::vector<unsigned char> out;
    put<std::uint16_t>(out, INFO_EXPORT);
    put<std::uint64_t>(out, m_export.bytes);
    put<std::uint16_t>(out, transmission_flags());
    reply_option(REP_INFO, out);
    out.clear();
    put<std::uint16_t>(out, INFO_BLOCK_SIZE); // whether asked for or not: they matter
    put<std::uint32_t>(out, nbd_limits::block);
    put<std::uint32_t>(out, m_export.preferred);
    put<std::uint32_t>(out, nbd_limits::longest);
    reply_option(REP_INFO, out);
    const auto text = [&](bool wanted, info what, const std::string& value) {
        if (wanted) {
            out.clear();
            put<std::uint16_t>(out, what);
            out.insert(out.end(), value.begin(), value.end());
            reply_option(REP_INFO, out);
        }
    };
    text(wants_name, INFO_NAME, m_export.name);
    text(wants_description, INFO_DESCRIPTION, m_export.description);
    reply_option(REP_ACK);
    if (option == OPT_GO) {
        m_phase = phase::request;
    }
}

} // namespace ssdvp::platform
