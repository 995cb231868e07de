// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/command_record.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint32_t sector_shift = 9;
constexpr std::uint32_t fua = 1u << 30; // CDW12

/// False: it is no request of the kinds that there are.
bool request_of(const nvme_sqe& sqe, std::uint32_t lba_shift, host::request& r)
{
    const std::uint32_t more = lba_shift - sector_shift;
    switch (sqe.opcode) {
    case NVME_IO_READ:
        r.kind = host::request_kind::read;
        break;
    case NVME_IO_WRITE:
    case NVME_IO_WRITE_ZEROES:
        r.kind = host::request_kind::write;
        break;
    case NVME_IO_FLUSH:
        r.kind = host::request_kind::flush;
        return true;
    case NVME_IO_DSM: // its ranges lie in the guest's memory
        r.kind = host::request_kind::trim;
        return true;
    default:
        return false;
    }
    r.fua = (sqe.cdw12 & fua) != 0;
    r.lba = (std::uint64_t{sqe.cdw11} << 32 | sqe.cdw10) << more;
    r.sectors = ((sqe.cdw12 & 0xFFFFu) + 1) << more;
    return true;
}

} // namespace

void command_record::on_command(const ended& command, sim_time when)
{
    if (command.sq == 0) {
        ++m_admin;
        return;
    }
    host::request_result r;
    if (!request_of(command.sqe, command.lba_shift, r.req)) {
        ++m_others;
        return;
    }
    r.req.arrival = r.submitted = command.rung;
    r.completed = when;
    r.sequence = m_sequence++;
    r.status = command.status;
    r.parts = m_ledger->parts(command.slot);
    m_to.on_complete(r);
}

} // namespace ssdvp::platform
