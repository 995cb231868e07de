// SPDX-License-Identifier: Apache-2.0
//
// Admin commands on the RAM drive, and what becomes of the drive between them.
#pragma once

#include "tests/firmware/drive_bench.h"
#include "tests/support/nvme_pages.h"

namespace ssdvp::test {

constexpr std::uint16_t dnr = NVME_STATUS_DNR;
constexpr std::uint16_t invalid_field = NVME_SC_INVALID_FIELD | dnr;

inline nvme_sqe identify(std::uint32_t cns, std::uint32_t nsid)
{
    nvme_sqe q = admin(NVME_ADMIN_IDENTIFY, cns);
    q.nsid = nsid;
    return q;
}

inline host_completion get_feature(drive& d, std::uint32_t dword10, std::uint32_t dword11 = 0)
{
    return d.nand.execute(0, admin(NVME_ADMIN_GET_FEATURES, dword10, dword11));
}

inline std::uint16_t set_feature(drive& d, std::uint32_t dword10, std::uint32_t dword11)
{
    return d.nand.execute(0, admin(NVME_ADMIN_SET_FEATURES, dword10, dword11)).status;
}

/// `log`: dword 10 without the length.
inline std::vector<std::uint8_t> log_page(drive& d, std::uint32_t log, std::uint32_t bytes)
{
    std::vector<std::uint8_t> page(bytes);
    const nvme_sqe q = admin(NVME_ADMIN_GET_LOG_PAGE, log | (bytes / 4 - 1) << 16);
    REQUIRE(d.nand.execute(0, q, &page).status == 0);
    return page;
}

/// All that has been completed once nothing goes on by itself, by what submit() returned.
inline std::map<std::int64_t, host_completion> completed(drive& d)
{
    std::map<std::int64_t, host_completion> done;
    d.nand.settle();
    for (host_completion c; d.nand.completion(c);) {
        done[c.id] = c;
    }
    return done;
}

inline void reset(drive& d)
{
    d.nand.write_cc(0);
    while ((d.nand.csts() & NVME_CSTS_RDY) != 0) {
        REQUIRE(d.nand.step());
    }
    REQUIRE(d.nand.enable());
}

/// Power goes, and comes back; the controller is enabled, without I/O queues.
inline void restart(drive& d)
{
    d.nand.power_cut();
    d.nand.power_on();
    REQUIRE(d.nand.enable());
}

} // namespace ssdvp::test
