// SPDX-License-Identifier: Apache-2.0
#include "platform/report/traces/tlp_header.h"

#include <fmt/format.h>

namespace ssdvp::platform {

namespace {

constexpr std::uint16_t id_of_root_complex = 0x0000; // 00:00.0
constexpr std::uint16_t id_of_drive = 0x0100;        // 01:00.0, behind the only root port

/// Fmt and Type.
std::uint32_t type_bits(pcie::tlp_kind k)
{
    switch (k) {
    case pcie::tlp_kind::MRd:
        return 0x20; // four doublewords, no data
    case pcie::tlp_kind::MWr:
        return 0x60; // four, data
    default:
        return 0x4A; // three, data: completion
    }
}

} // namespace

std::uint16_t requester_of(const pcie::packet& t)
{
    return t.up == (t.kind != pcie::tlp_kind::CplD) ? id_of_drive : id_of_root_complex;
}

std::uint16_t completer_of(const pcie::packet& t)
{
    return t.up ? id_of_drive : id_of_root_complex;
}

std::string text_of_id(std::uint16_t id)
{
    return fmt::format("{:02x}:{:02x}.{}", id >> 8, (id >> 3) & 0x1F, id & 7);
}

std::vector<std::uint32_t> header_of(const pcie::packet& t)
{
    const std::uint32_t tag = t.tag;
    const std::uint32_t high_tag = (tag >> 9 & 1) << 23 | (tag >> 8 & 1) << 19; // 10-bit tags
    const std::uint32_t first =
        type_bits(t.kind) << 24 | high_tag | (t.dwords & 0x3FF); // 0: 1024 doublewords
    const auto ids = [](std::uint16_t id) { return std::uint32_t{id} << 16; };
    if (t.kind == pcie::tlp_kind::CplD) {
        return {first, ids(completer_of(t)) | (t.byte_count & 0xFFFu),
                ids(requester_of(t)) | (tag & 0xFF) << 8 | t.lower_address};
    }
    return {first,
            ids(requester_of(t)) | (tag & 0xFF) << 8 | std::uint32_t{t.last_be} << 4 | t.first_be,
            static_cast<std::uint32_t>(t.address >> 32), static_cast<std::uint32_t>(t.address)};
}

} // namespace ssdvp::platform
