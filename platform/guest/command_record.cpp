// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/command_record.h"

#include <cstring>

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
    case NVME_IO_DSM:
        r.kind = host::request_kind::trim;
        return (sqe.cdw11 & NVME_DSM_DEALLOCATE) != 0;
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
    r.status = command.status;
    r.parts = m_ledger->parts(command.slot);
    if (r.req.kind == host::request_kind::trim) {
        trims(command, r);
    } else {
        tell(r);
    }
}

void command_record::tell(host::request_result& r)
{
    r.sequence = m_sequence++;
    m_to.on_complete(r);
}

/// The ranges lie in the guest's memory, in one page or two (PRP), and are there until now at
/// least: the guest does not know yet that the command has ended.
void command_record::trims(const ended& command, host::request_result& r)
{
    constexpr std::uint64_t page = 4096;
    const std::uint32_t more = command.lba_shift - sector_shift;
    const std::uint64_t in_first = page - command.sqe.prp1 % page;
    for (std::uint64_t i = 0; i <= (command.sqe.cdw10 & 0xFFu); ++i) {
        const std::uint64_t at = i * sizeof(nvme_dsm_range);
        const std::uint64_t address =
            at < in_first ? command.sqe.prp1 + at : command.sqe.prp2 + (at - in_first);
        nvme_dsm_range range{};
        const unsigned char* bytes = m_guest->look(address, sizeof range);
        if (bytes == nullptr) {
            return;
        }
        std::memcpy(&range, bytes, sizeof range);
        r.req.lba = range.slba << more;
        r.req.sectors = range.blocks << more;
        tell(r);
    }
}

} // namespace ssdvp::platform
