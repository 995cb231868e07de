// SPDX-License-Identifier: Apache-2.0
#include "platform/report/identities.h"

#include <fmt/format.h>

#include "platform/report/energy.h"
#include "platform/report/shares.h"

namespace ssdvp::platform {

namespace {

using sentences = std::vector<std::string>;

/// Decimal text of a 128-bit sum, which neither iostreams nor a double can show exactly.
std::string text(uint128 v)
{
    std::string digits;
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(v % 10)));
        v /= 10;
    } while (v != 0);
    return digits;
}

/// "<left name> <left> differs from <right name> <right>".
void expect_equal(sentences& out, const std::string& left_name, uint128 left,
                  const std::string& right_name, uint128 right)
{
    if (left != right) {
        out.push_back(fmt::format("{} ({}) differs from {} ({})", left_name, text(left), right_name,
                                  text(right)));
    }
}

void check_requests(sentences& out, const measurement& m, const request_statistics& requests)
{
    const driver_statistics& d = m.lifetime.driver;
    expect_equal(out, "requests taken from the workload", d.requests_in,
                 "requests completed plus lost plus in flight",
                 uint128{d.requests_out} + d.requests_lost + d.requests_in_flight);
    expect_equal(out, "requests completed by the driver", d.requests_out,
                 "requests seen by the statistics", requests.lifetime_requests());
    expect_equal(out, "requests completed in the measured part", m.measured.driver.requests_out,
                 "requests in the summary", requests.requests());
}

void check_parts(sentences& out, const request_statistics& requests)
{
    if (requests.bad_splits() != 0) {
        out.push_back(fmt::format("{} of {} requests have parts that do not sum to their latency, "
                                  "the first is request {}",
                                  requests.bad_splits(), requests.lifetime_requests(),
                                  requests.first_bad_split()));
    }
    for (std::size_t i = 0; i < host::request_kinds; ++i) {
        const kind_statistics& k = requests.kinds()[i];
        uint128 parts = 0;
        for (const uint128 part : k.parts) {
            parts += part;
        }
        const std::string kind = request_kind_names[i];
        expect_equal(out, "ps in the latency parts of all " + kind + " requests", parts,
                     "ps in their latencies", k.latency.sum());
        expect_equal(out, kind + " requests", k.requests, "latencies recorded for them",
                     k.latency.count());
    }
}

void check_flash_sums(sentences& out, const counters& c, const std::string& period)
{
    const flash_statistics& f = c.flash;
    purpose_statistics purposes;
    for (const purpose_statistics& p : f.by_purpose) {
        purposes.reads += p.reads;
        purposes.programs += p.programs;
        purposes.erases += p.erases;
        purposes.bytes_programmed += p.bytes_programmed;
    }
    const std::string by_purpose = "their sum over the purposes";
    expect_equal(out, "flash reads " + period, f.reads, by_purpose, purposes.reads);
    expect_equal(out, "flash programs " + period, f.programs, by_purpose, purposes.programs);
    expect_equal(out, "flash erases " + period, f.erases, by_purpose, purposes.erases);
    expect_equal(out, "flash bytes programmed " + period, f.bytes_programmed, by_purpose,
                 purposes.bytes_programmed);
}

/// Since power-on, not in the measured part: a die counts an operation when its array is done, the
/// channel when the host side of it is, and one under way at a border is in one count only.
void check_luns(sentences& out, const counters& c)
{
    if (c.channels.empty()) {
        return;
    }
    const flash_statistics& f = c.flash;
    lun_statistics luns;
    for (const channel_statistics& channel : c.channels) {
        for (const lun_statistics& lun : channel.luns) {
            luns.reads += lun.reads;
            luns.programs += lun.programs;
            luns.erases += lun.erases;
        }
    }
    const std::string by_lun = "their sum over the LUNs";
    const untold_statistics& cut = c.untold;
    expect_equal(out, "flash reads since power-on", f.reads + cut.reads, by_lun, luns.reads);
    expect_equal(out, "flash programs since power-on", f.programs + cut.programs, by_lun,
                 luns.programs);
    expect_equal(out, "flash erases since power-on", f.erases + cut.erases, by_lun, luns.erases);
}

/// What firmware says it wrote against what the dies programmed. Both count since power-on,
/// because what is under way when the measured part begins is in one count and not the other.
void check_programmed(sentences& out, const measurement& m)
{
    if (!m.lifetime.ftl || m.drive.map_unit == 0) {
        return;
    }
    const telemetry& t = *m.lifetime.ftl;
    const std::uint64_t ordered = units_ordered(t) * m.drive.map_unit;
    std::uint64_t programmed = m.lifetime.untold.bytes;
    for (const flash_purpose p :
         {FLASH_PURPOSE_HOST, FLASH_PURPOSE_GC, FLASH_PURPOSE_MERGE, FLASH_PURPOSE_REFRESH,
          FLASH_PURPOSE_WEAR, FLASH_PURPOSE_FOLD, FLASH_PURPOSE_MAP}) {
        programmed += m.lifetime.flash.by_purpose[p].bytes_programmed;
    }
    const std::uint64_t apart = ordered > programmed ? ordered - programmed : programmed - ordered;
    if (apart > m.program_bytes_in_flight) {
        out.push_back(fmt::format(
            "bytes programmed for host, gc, fold, merge, refresh, wear and map ({}) differ from "
            "what "
            "firmware wrote: ({} host + {} pad + {} gc + {} fold + {} wear + {} refresh + {} map + "
            "{} merge) units of {} bytes = {}, with {} in flight",
            programmed, t.host_units_written, t.pad_units, t.gc_units_moved, t.slc.folded,
            t.wear_units_moved, t.refresh_units_moved, t.map_units_written, t.copy_page_writes,
            m.drive.map_unit, ordered, m.program_bytes_in_flight));
    }
}

void check_map(sentences& out, const measurement& m)
{
    if (m.lifetime.ftl) {
        expect_equal(out, "logical units mapped at the end", m.lifetime.ftl->mapped,
                     "physical units valid", m.lifetime.ftl->valid);
    }
}

/// Nobody is busy for longer than has passed, to the picosecond: blocks book ahead, but tell of no
/// time before it has come. Less than nothing wraps.
class busy_check {
public:
    busy_check(sentences& out, sim_time elapsed) : m_out(out), m_elapsed(elapsed) {}
    void operator()(const std::string& who, sim_time busy) const
    {
        if (busy > m_elapsed) {
            m_out.push_back(fmt::format("{} was busy for {} ps of {} ps measured", who,
                                        static_cast<std::int64_t>(busy.ps()), m_elapsed.ps()));
        }
    }

private:
    sentences& m_out;
    sim_time m_elapsed;
};

void check_busy_in(sentences& out, const counters& c)
{
    const busy_check check(out, c.when);
    for (std::size_t i = 0; i < c.channels.size(); ++i) {
        check(fmt::format("channel {}", i), c.channels[i].busy);
        for (std::size_t lun = 0; lun < c.channels[i].luns.size(); ++lun) {
            check(fmt::format("LUN {} of channel {}", lun, i), c.channels[i].luns[lun].busy);
        }
    }
    for (std::size_t i = 0; i < c.cpu.size(); ++i) {
        check(fmt::format("core {}", i), c.cpu[i].busy);
    }
    if (c.dram) {
        check("the DRAM", c.dram->busy);
    }
    if (c.link) {
        check("the link towards the host", c.link->busy_up);
        check("the link towards the drive", c.link->busy_down);
    }
}

/// A core works for no more cycles than its busy time has. One is forgiven: cycles are whole, and
/// the measured part may begin and end within one.
void check_cycles(sentences& out, const counters& c)
{
    constexpr std::uint64_t ps = 1000000000000;
    for (std::size_t i = 0; i < c.cpu.size(); ++i) {
        const core_statistics& core = c.cpu[i];
        const std::uint64_t hz = core.clock.per_second();
        if (hz != 0 && core.cycles > 1 + uint128{core.busy.ps()} * hz / ps) {
            out.push_back(
                fmt::format("core {} worked for {} cycles of {} Hz and was busy for {} ps", i,
                            core.cycles, hz, core.busy.ps()));
        }
    }
}

/// The parts take sums of times over the drive; the other sum goes block by block.
void check_energy(sentences& out, const measurement& m)
{
    const counters& c = m.measured;
    for (std::size_t i = 0; i < c.channels.size(); ++i) {
        for (std::size_t l = 0; l < c.channels[i].luns.size(); ++l) {
            const lun_statistics& lun = c.channels[i].luns[l];
            sim_time arrays;
            for (const array_statistics& use : lun.arrays) {
                arrays += use.time;
            }
            if (arrays > lun.busy) {
                out.push_back(fmt::format("LUN {} of channel {}: its array read, programmed and "
                                          "erased for {} ps and was busy for {} ps",
                                          l, i, arrays.ps(), lun.busy.ps()));
            }
        }
    }
    expect_equal(out, "1e-27 J in the parts of the energy", energy_of(m).sum(),
                 "their sum over LUNs, channels, DRAM, link and cores", energy_of_blocks(m));
}

/// A share above 1 is of a whole that does not have its part.
void check_shares(sentences& out, const measurement& m)
{
    for (const share& s : shares_of(m)) {
        if (s.part > s.whole) {
            out.push_back(fmt::format("{}: {} of {}", s.what, s.part, s.whole));
        }
    }
}

void check_link(sentences& out, const measurement& m, const request_statistics& requests)
{
    if (m.lifetime.link && m.lifetime.link->bytes_up < requests.lifetime_read_bytes()) {
        out.push_back(fmt::format("bytes on the link towards the host ({}) are fewer than the "
                                  "bytes the host read ({})",
                                  m.lifetime.link->bytes_up, requests.lifetime_read_bytes()));
    }
}

} // namespace

std::vector<std::string> check_busy(const measurement& m)
{
    sentences out;
    check_busy_in(out, m.measured);
    check_cycles(out, m.measured);
    check_shares(out, m);
    return out;
}

std::vector<std::string> check_identities(const measurement& m, const request_statistics& requests)
{
    sentences out;
    check_requests(out, m, requests);
    check_parts(out, requests);
    check_flash_sums(out, m.lifetime, "since power-on");
    check_luns(out, m.lifetime);
    check_flash_sums(out, m.measured, "in the measured part");
    check_programmed(out, m);
    check_map(out, m);
    check_busy_in(out, m.measured);
    check_cycles(out, m.measured);
    check_shares(out, m);
    check_link(out, m, requests);
    check_energy(out, m);
    return out;
}

} // namespace ssdvp::platform
