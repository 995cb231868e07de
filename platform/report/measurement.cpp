// SPDX-License-Identifier: Apache-2.0
#include "platform/report/measurement.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "models/regs/telemetry_join.h"
#include "platform/report/format.h"

namespace ssdvp::platform {

const std::array<const char*, FLASH_PURPOSES> purpose_names = {
    "host", "gc", "map", "merge", "refresh", "wear", "recovery", "scan", "precondition", "fold"};

std::uint64_t units_ordered(const telemetry& t)
{
    return t.host_units_written + t.pad_units + t.gc_units_moved + t.wear_units_moved +
           t.refresh_units_moved + t.slc.folded + t.map_units_written +
           t.copy_page_writes; // a page is a unit
}

telemetry together(const telemetry& a, const telemetry& b)
{
    telemetry d = a;
    if (a.magic != TELEMETRY_MAGIC || b.magic != TELEMETRY_MAGIC) {
        d = a.magic == TELEMETRY_MAGIC ? a : b;
        d.ready = 0;
        return d;
    }
    telemetry_join(&d, &b);
    return d;
}

std::string sampling_text(const sampling_figures& s)
{
    return fmt::format("in {} windows, {:.3g} % of {} requests; {:.1f} times fewer are simulated",
                       s.windows, 100.0 * s.share, text_count(s.requests),
                       static_cast<double>(s.requests) / static_cast<double>(s.simulated));
}

std::optional<double> write_amplification(const flash_statistics& flash,
                                          std::uint64_t host_bytes_written)
{
    if (host_bytes_written == 0) {
        return std::nullopt;
    }
    const std::uint64_t bytes =
        flash.bytes_programmed - flash.by_purpose[FLASH_PURPOSE_PRECONDITION].bytes_programmed;
    return static_cast<double>(bytes) / static_cast<double>(host_bytes_written);
}

std::uint64_t buffer_growth(const counters& end, const counters& begin)
{
    if (!end.ftl || !begin.ftl || end.ftl->buffer_dirty < begin.ftl->buffer_dirty) {
        return 0;
    }
    return end.ftl->buffer_dirty - begin.ftl->buffer_dirty;
}

std::int64_t data_growth(const counters& end, const counters& begin)
{
    return !end.ftl || !begin.ftl ? 0
                                  : static_cast<std::int64_t>(end.ftl->mapped) -
                                        static_cast<std::int64_t>(begin.ftl->mapped);
}

double fraction(sim_time busy, sim_time elapsed)
{
    return elapsed == sim_time()
               ? 0.0
               : static_cast<double>(busy.ps()) / static_cast<double>(elapsed.ps());
}

std::uint64_t peak_rss_bytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024; // Linux counts KiB
}

} // namespace ssdvp::platform
