// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/cut_workload.h"

#include <algorithm>

namespace ssdvp::test {

void exercised::add(const telemetry& t)
{
    collected += t.gc_units_moved;
    levelled += t.wear_units_moved;
    refreshed += t.refresh_units_moved;
    trimmed += t.trimmed_units;
    programs_failed += t.retired[0];
    erases_failed += t.retired[1];
    retried += t.recovered_reads;
    folded += t.slc.folded;
    lent += t.hmb.hits;
    damaged += t.hmb.damaged;
}

void exercised::add(const exercised& o)
{
    collected += o.collected;
    levelled += o.levelled;
    refreshed += o.refreshed;
    trimmed += o.trimmed;
    programs_failed += o.programs_failed;
    erases_failed += o.erases_failed;
    retried += o.retried;
    copied += o.copied;
    folded += o.folded;
    lent += o.lent;
    damaged += o.damaged;
}

void asked::add(const asked& o)
{
    reads += o.reads;
    writes += o.writes;
    partial += o.partial;
    forced += o.forced;
    flushes += o.flushes;
    zeroes += o.zeroes;
    small_trims += o.small_trims;
    large_trims += o.large_trims;
    idles += o.idles;
    comresets += o.comresets;
    formats += o.formats;
}

/// A place and length: one half whole units, half of all in the hot quarter of the drive; the last
/// quarter is hardly ever written, so that its blocks stay young.
host_op cut_workload::access(const cut_setup& s)
{
    const std::uint64_t all = s.sectors();
    const std::uint64_t kind = below(100);
    const std::uint64_t space = kind < 50 ? all / 4 : (kind < 97 ? all / 4 * 3 : all);
    const std::uint32_t unit = s.unit_sectors();
    host_op op;
    op.lba = below(space);
    std::uint64_t length = 1 + below(std::min<std::uint64_t>(3 * unit, s.transfer_sectors()));
    if (below(2) == 0) {
        op.lba -= op.lba % unit;
        length = (length + unit - 1) / unit * unit;
    }
    op.sectors = static_cast<std::uint32_t>(
        std::min({length, all - op.lba, std::uint64_t{s.transfer_sectors()}}));
    return op;
}

host_op cut_workload::trim(const cut_setup& s)
{
    host_op op;
    op.opcode = NVME_IO_DSM;
    const bool large = below(6) == 0;
    for (std::uint64_t n = large ? 1 : 1 + below(3); n != 0; --n) {
        const std::uint64_t start = below(s.sectors());
        const std::uint64_t most = large ? s.sectors() / 4 : 3 * s.unit_sectors();
        const std::uint64_t length = std::min(1 + below(most), s.sectors() - start);
        op.ranges.emplace_back(start, static_cast<std::uint32_t>(length));
    }
    ++(large ? was_asked.large_trims : was_asked.small_trims);
    return op;
}

host_op cut_workload::next(const cut_setup& s)
{
    const std::uint64_t kind = below(100);
    if (kind < 4) {
        return trim(s);
    }
    host_op op;
    if (kind < 8) {
        op.opcode = NVME_IO_FLUSH;
        ++was_asked.flushes;
        return op;
    }
    op = access(s);
    op.opcode = kind < 28 ? NVME_IO_READ : (kind < 31 ? NVME_IO_WRITE_ZEROES : NVME_IO_WRITE);
    op.fua = kind >= 30 && kind < 36;
    was_asked.reads += op.opcode == NVME_IO_READ ? 1 : 0;
    was_asked.zeroes += op.opcode == NVME_IO_WRITE_ZEROES ? 1 : 0;
    was_asked.writes += op.opcode == NVME_IO_WRITE ? 1 : 0;
    was_asked.forced += op.fua ? 1 : 0;
    const bool whole = op.lba % s.unit_sectors() == 0 && op.sectors % s.unit_sectors() == 0;
    was_asked.partial += op.opcode == NVME_IO_WRITE && !whole ? 1 : 0;
    return op;
}

bool cut_workload::post(cut_drive& d, const host_op& op)
{
    while (!d.host.start(op)) {
        if (!d.host.pump()) {
            return d.host.drain() && d.host.start(op); // says so when the drive is stuck
        }
    }
    return true;
}

bool cut_workload::fill(cut_drive& d)
{
    host_op op;
    op.opcode = NVME_IO_WRITE;
    for (op.lba = 0; op.lba < d.setup.sectors(); op.lba += op.sectors) {
        op.sectors = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(d.setup.transfer_sectors(), d.setup.sectors() - op.lba));
        if (!post(d, op)) {
            return false;
        }
    }
    host_op flush;
    flush.opcode = NVME_IO_FLUSH;
    return d.host.drain() && post(d, flush) && d.host.drain();
}

/// With what is in flight; sometimes everything is compared at once.
bool cut_workload::reset(cut_drive& d)
{
    ++was_asked.comresets;
    return d.host.reset() && (below(4) != 0 || d.host.check_everything());
}

/// Of a drive that shuts down, as a rule, and is given no time to end that.
bool cut_workload::call_off(cut_drive& d)
{
    if (below(4) != 0 && !d.host.begin_shutdown()) {
        return false;
    }
    for (std::uint64_t k = below(1 + below(150)); k != 0 && d.host.pump(); --k) {
    }
    return d.nand.powered() && reset(d);
}

/// With what is in flight; what comes before it has ended is refused. Then a part of the drive is
/// written in order, so that it does not stay empty.
bool cut_workload::format(cut_drive& d)
{
    ++was_asked.formats;
    host_op op;
    op.opcode = NVME_ADMIN_FORMAT;
    if (!post(d, op)) {
        return false;
    }
    for (std::uint64_t k = below(60); k != 0 && d.host.pump(); --k) {
        if (below(8) == 0 && !post(d, next(d.setup))) {
            return false;
        }
    }
    if (d.setup.resets && below(4) == 0) {
        return d.nand.powered() && reset(d);
    }
    op.opcode = NVME_IO_WRITE;
    for (op.sectors = d.setup.transfer_sectors();
         d.nand.powered() && below(40) != 0 && op.lba + op.sectors <= d.setup.sectors();
         op.lba += op.sectors) {
        if (!post(d, op)) {
            return false;
        }
    }
    return d.nand.powered();
}

bool cut_workload::run(cut_drive& d, std::uint64_t requests)
{
    for (std::uint64_t i = 0; i < requests; ++i) {
        if (below(40) == 0) {
            ++was_asked.idles;
            if (!d.host.idle(static_cast<std::uint32_t>(below(4)))) {
                return false;
            }
        }
        if (d.host.sata() && below(50) == 0 && !reset(d)) {
            return false;
        }
        if (d.setup.resets && below(20) == 0 && !call_off(d)) {
            return false;
        }
        if (d.setup.formats && !d.host.sata() && below(100) == 0 && !format(d)) {
            return false;
        }
        if (!post(d, next(d.setup))) {
            return false;
        }
        for (std::uint64_t k = below(7); k != 0 && d.host.pump(); --k) {
        }
        if (!d.nand.powered() || !d.host.found.good()) {
            return false;
        }
    }
    return true;
}

} // namespace ssdvp::test
