// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/prp.h"

#include <algorithm>

namespace ssdvp::nvme {

host_run run_at(const page_map& map, std::uint32_t offset, std::uint32_t left, std::uint32_t limit)
{
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

std::uint64_t data_length(const nvme_sqe& sqe, bool admin, std::uint32_t lba_shift)
{
    constexpr std::uint32_t dword = 4;
    if (admin) {
        switch (sqe.opcode) {
        case NVME_ADMIN_IDENTIFY:
        case NVME_ADMIN_SET_FEATURES:
        case NVME_ADMIN_GET_FEATURES:
            return host_page;
        case NVME_ADMIN_NS_MANAGEMENT:
        case NVME_ADMIN_NS_ATTACHMENT:
            return host_page;
        case NVME_ADMIN_FW_DOWNLOAD:
            return (std::uint64_t{sqe.cdw10} + 1) * dword;
        case NVME_ADMIN_GET_LOG_PAGE: {
            const std::uint64_t upper = sqe.cdw11 & 0xFFFFu; // NUMDU, zero-based dwords
            return (((upper << 16) | (sqe.cdw10 >> 16)) + 1) * dword;
        }
        default:
            return 0;
        }
    }
    switch (sqe.opcode) {
    case NVME_IO_READ:
    case NVME_IO_WRITE:
    case NVME_IO_COMPARE:
        return ((sqe.cdw12 & 0xFFFFu) + std::uint64_t{1}) << lba_shift;
    case NVME_IO_DSM:
        return ((sqe.cdw10 & 0xFFu) + std::uint64_t{1}) * sizeof(nvme_dsm_range);
    case NVME_IO_COPY:
        return ((sqe.cdw12 & 0xFFu) + std::uint64_t{1}) * sizeof(nvme_copy_range);
    default:
        return 0;
    }
}

} // namespace ssdvp::nvme
