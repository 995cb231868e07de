// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/data_map.h"

#include <algorithm>

namespace ssdvp::nvme {

namespace {

constexpr std::uint32_t dword = 4;

/// Bytes of a block's metadata that the host has. With PRACT, protection information is the
/// controller's: base 1.4 section 8.3.1.
std::uint64_t metadata_of(const nvme_sqe& sqe, std::uint32_t format)
{
    constexpr std::uint32_t pract = 8u << NVME_PRINFO_SHIFT;
    constexpr std::uint64_t protection = 8;
    const std::uint64_t each = (format & FE_NS_FORMAT_METADATA_MASK) >> FE_NS_FORMAT_METADATA_SHIFT;
    const bool stripped = (format & FE_NS_FORMAT_PROTECTED) != 0 && each == protection &&
                          sqe.opcode != NVME_IO_COMPARE && (sqe.cdw12 & pract) != 0;
    return stripped ? 0 : each;
}

struct admin_data {
    std::uint8_t opcode;
    nvme_data data;
};

/// Of the admin commands that there are, whether this drive's firmware has them or not.
constexpr admin_data data_of_admin[] = {
#define SSDVP_DATA_OF(ID, opcode, handler, landed, data, ...) {NVME_ADMIN_##ID, NVME_DATA_##data},
    NVME_ADMIN_COMMANDS(SSDVP_DATA_OF)
#undef SSDVP_DATA_OF
};

nvme_data data_of(std::uint8_t opcode)
{
    for (const admin_data& command : data_of_admin) {
        if (command.opcode == opcode) {
            return command.data;
        }
    }
    return NVME_DATA_NONE;
}

std::uint64_t dwords(std::uint64_t zero_based)
{
    return (zero_based + 1) * dword;
}

host_run sgl_run_at(const data_map& map, std::uint32_t offset, std::uint32_t left,
                    std::uint32_t limit)
{
    const auto at =
        std::upper_bound(map.runs.begin(), map.runs.end(), offset,
                         [](std::uint32_t byte, const sgl_run& run) { return byte < run.end; });
    const std::uint32_t begin = at == map.runs.begin() ? 0 : (at - 1)->end;
    host_run run{at->address + (offset - begin), std::min(left, at->end - offset), at->bucket};
    if (run.length > limit) {
        run.length = limit - static_cast<std::uint32_t>(run.address % host_page);
    }
    return run;
}

} // namespace

std::uint16_t data_map::refusal(std::uint32_t offset, std::uint32_t bytes) const
{
    const std::uint64_t end = std::uint64_t{offset} + bytes;
    if (by_runs && error != 0) {
        return error;
    }
    if (!by_runs && bad_page != ~0ull && page_of(end - 1) >= bad_page) {
        return error;
    }
    return end > length ? std::uint16_t{NVME_SC_DATA_TRANSFER_ERROR} : std::uint16_t{0};
}

host_run run_at(const data_map& map, std::uint32_t offset, std::uint32_t left, std::uint32_t limit)
{
    if (map.by_runs) {
        return sgl_run_at(map, offset, left, limit);
    }
    const std::uint64_t in_pages = std::uint64_t{offset} + map.first_offset();
    std::size_t page = static_cast<std::size_t>(in_pages / host_page);
    const std::uint32_t in_page = static_cast<std::uint32_t>(in_pages % host_page);
    std::uint64_t base = page == 0 ? map.first - map.first_offset() : map.pages[page - 1];
    host_run run{base + in_page, std::min(left, host_page - in_page)};
    while (run.length < left && run.length + host_page <= limit &&
           map.pages[page] == base + host_page) {
        base = map.pages[page];
        ++page;
        run.length += std::min(left - run.length, host_page);
    }
    return run;
}

transfer_size admin_size(const nvme_sqe& sqe)
{
    switch (data_of(sqe.opcode)) {
    case NVME_DATA_PAGE:
        return {host_page, 0};
    case NVME_DATA_DWORDS: // NUMD
        return {dwords(sqe.cdw10), 0};
    case NVME_DATA_LOG: {
        const std::uint64_t upper = sqe.cdw11 & 0xFFFFu; // NUMDU, zero-based dwords
        return {dwords((upper << 16) | (sqe.cdw10 >> 16)), 0};
    }
    case NVME_DATA_NONE:
        break;
    }
    return {};
}

transfer_size io_size(const nvme_sqe& sqe, std::uint32_t format, std::uint32_t lba_shift)
{
    switch (sqe.opcode) {
    case NVME_IO_READ:
    case NVME_IO_WRITE:
    case NVME_IO_COMPARE:
    case NVME_IO_ZONE_APPEND: {
        const std::uint64_t blocks = (sqe.cdw12 & 0xFFFFu) + std::uint64_t{1};
        const std::uint32_t own = format & FE_NS_FORMAT_SHIFT_MASK;
        const std::uint64_t metadata = blocks * metadata_of(sqe, format);
        const std::uint64_t data = blocks << (own != 0 ? own : lba_shift) % 32;
        return (format & FE_NS_FORMAT_EXTENDED) != 0 ? transfer_size{data + metadata, 0}
                                                     : transfer_size{data, metadata};
    }
    case NVME_IO_DSM:
        return {((sqe.cdw10 & 0xFFu) + std::uint64_t{1}) * sizeof(nvme_dsm_range), 0};
    case NVME_IO_COPY: { // ranges of 32 bytes, in descriptor format 1h of 40
        const std::uint64_t range = ((sqe.cdw12 >> 8) & 0xFu) == 1 ? 40 : 32;
        return {((sqe.cdw12 & 0xFFu) + std::uint64_t{1}) * range, 0};
    }
    case NVME_IO_ZONE_RECEIVE:
        return {dwords(sqe.cdw12), 0};
    case NVME_IO_ZONE_SEND: // Set Zone Descriptor Extension: 64 bytes are the unit of its size
    default:
        return {};
    }
}

} // namespace ssdvp::nvme
