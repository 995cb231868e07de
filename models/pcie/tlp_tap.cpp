// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/tlp_tap.h"

#include <algorithm>

namespace ssdvp::pcie {

namespace {

constexpr std::uint32_t host_tags = 32; // what every requester may use
constexpr std::uint32_t first_of_ten_bits = 256;

/// Bytes of the doubleword at `dword` that lie in begin..end, a bit each.
std::uint8_t enables(std::uint64_t dword, std::uint64_t begin, std::uint64_t end)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 4; ++i) {
        bits |= dword + i >= begin && dword + i < end ? 1u << i : 0u;
    }
    return static_cast<std::uint8_t>(bits);
}

} // namespace

tlp_tap::tlp_tap(tlp_watch& to, const link_config& config, const wire_clock& clock)
    : m_to(to), m_config(config),
      m_clock(clock), m_streams{stream{tlp_kind::MWr,
                                       {},
                                       tlp_split::writes(config, {0, 0}),
                                       tlp_split::writes(config, {0, 0}),
                                       {},
                                       0},
                                stream{tlp_kind::MWr,
                                       {},
                                       tlp_split::writes(config, {0, 0}),
                                       tlp_split::writes(config, {0, 0}),
                                       {},
                                       0}}
{}

/// The link keeps account of tags, and gives them no numbers: here they go round.
std::uint16_t tlp_tap::tag(std::uint64_t number, bool of_drive) const
{
    const std::uint32_t tags = of_drive ? m_config.tags : host_tags;
    const std::uint32_t first = tags > first_of_ten_bits ? first_of_ten_bits : 0;
    return static_cast<std::uint16_t>(first + number % tags);
}

void tlp_tap::about(bool up, tlp_kind kind, std::uint64_t address, std::uint64_t length)
{
    const doublewords range(address, length);
    stream& s = m_streams[up ? 1 : 0];
    s.kind = kind;
    s.exact = {address, address + length};
    s.pieces = kind == tlp_kind::MWr ? tlp_split::writes(m_config, range)
                                     : tlp_split::requests(m_config, range);
    s.answers = tlp_split::writes(m_config, {0, 0});
    if (kind == tlp_kind::MRd) {
        m_announced[up ? 1 : 0] = s.number = m_reads[up ? 1 : 0];
    } else if (kind == tlp_kind::CplD) { // to whom the requests came from
        s.number = m_announced[up ? 0 : 1];
    }
}

void tlp_tap::put_request(packet& t, const stream& s, doublewords piece) const
{
    t.address = piece.begin;
    t.dwords = static_cast<std::uint32_t>(piece.length / 4);
    t.first_be = enables(piece.begin, s.exact.begin, s.exact.end);
    t.last_be =
        t.dwords > 1 ? enables(piece.begin + piece.length - 4, s.exact.begin, s.exact.end) : 0;
    t.wire_bytes =
        request_overhead(m_config, t.address) + (s.kind == tlp_kind::MWr ? 4 * t.dwords : 0);
}

packet tlp_tap::next_answer(stream& s, bool of_drive)
{
    if (s.answers.done()) {
        const doublewords request = s.pieces.next();
        s.answers = tlp_split::completions(m_config, request);
        s.request = {std::max(request.begin, s.exact.begin),
                     std::min(request.begin + request.length, s.exact.end)};
        ++s.number;
    }
    const doublewords piece = s.answers.next();
    const std::uint64_t first = std::max(piece.begin, s.request.begin);
    packet t;
    t.address = piece.begin;
    t.dwords = static_cast<std::uint32_t>(piece.length / 4);
    t.tag = tag(s.number - 1, of_drive);
    t.byte_count = static_cast<std::uint16_t>(s.request.end - first);
    t.lower_address = static_cast<std::uint8_t>(first & 0x7F);
    t.wire_bytes = completion_overhead(m_config) + 4 * t.dwords;
    return t;
}

packet tlp_tap::next(stream& s, bool up)
{
    packet t;
    if (s.kind == tlp_kind::CplD) {
        t = next_answer(s, !up);
    } else {
        put_request(t, s, s.pieces.next());
    }
    if (s.kind == tlp_kind::MRd) {
        t.tag = tag(s.number++, up);
        ++m_reads[up ? 1 : 0];
    }
    t.up = up;
    t.kind = s.kind;
    return t;
}

void tlp_tap::sent(bool up, std::uint64_t tlps, reservation::interval w)
{
    std::uint64_t before = 0; // bytes of the transfer
    for (std::uint64_t i = 1; i <= tlps; ++i) {
        packet t = next(m_streams[up ? 1 : 0], up);
        t.begin = w.begin + m_clock.time(before);
        before += t.wire_bytes;
        t.end = i == tlps ? w.end : w.begin + m_clock.time(before);
        m_to.sent(t);
    }
}

} // namespace ssdvp::pcie
