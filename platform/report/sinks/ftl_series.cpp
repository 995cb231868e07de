// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sinks/ftl_series.h"

#include <fmt/format.h>
#include <iterator>

#include "models/common/data_mode.h"
#include "platform/report/sinks/series_sink.h"

namespace ssdvp::platform {

namespace {

// What a program and an erase cost, a read being 1.
constexpr std::uint64_t program_cost = 7;
constexpr std::uint64_t erase_cost = 63;

std::uint64_t pages_of(const host::request& r, std::uint32_t page)
{
    const std::uint64_t sectors = page / sector_size;
    return (r.lba + r.sectors - 1) / sectors - r.lba / sectors + 1;
}

} // namespace

ftl_series::reading ftl_series::reading_of(const counters& now)
{
    reading r;
    r.by_purpose = now.flash.by_purpose;
    r.scans = now.ftl ? now.ftl->scan_page_reads : 0;
    r.when = now.when;
    return r;
}

bool ftl_series::completed(const host::request_result& result)
{
    const host::request& r = result.req;
    if (r.sectors == 0 ||
        (r.kind != host::request_kind::read && r.kind != host::request_kind::write)) {
        return false;
    }
    ++m_open.requests;
    m_open.pages += pages_of(r, m_page);
    return m_open.requests == requests_per_line;
}

void ftl_series::take(const counters& now)
{
    const reading r = reading_of(now);
    m_open.spent.when = r.when;
    m_open.spent.scans = r.scans - m_last.scans;
    for (std::size_t p = 0; p < FLASH_PURPOSES; ++p) {
        purpose_statistics& spent = m_open.spent.by_purpose[p];
        spent.reads = r.by_purpose[p].reads - m_last.by_purpose[p].reads;
        spent.programs = r.by_purpose[p].programs - m_last.by_purpose[p].programs;
        spent.erases = r.by_purpose[p].erases - m_last.by_purpose[p].erases;
    }
    m_lines.push_back(m_open);
    m_open = {};
    m_last = r;
}

void ftl_series::end(const counters& now)
{
    if (m_open.requests != 0) {
        take(now);
    }
}

std::string ftl_series::csv() const
{
    std::string text = "requests,pages,R,W,E,T,scan,T_scan,host_r,host_w,copy_r,copy_w,map_r,map_w,"
                       "end_ns\n";
    for (const line& l : m_lines) {
        const auto& host = l.spent.by_purpose[FLASH_PURPOSE_HOST];
        const auto& map = l.spent.by_purpose[FLASH_PURPOSE_MAP];
        const auto& gc = l.spent.by_purpose[FLASH_PURPOSE_GC];
        const auto& fold = l.spent.by_purpose[FLASH_PURPOSE_FOLD];
        const auto& merge = l.spent.by_purpose[FLASH_PURPOSE_MERGE];
        const std::uint64_t copy_r = gc.reads + fold.reads + merge.reads;
        const std::uint64_t copy_w = gc.programs + fold.programs + merge.programs;
        const std::uint64_t R = host.reads + copy_r + map.reads;
        const std::uint64_t W = host.programs + copy_w + map.programs;
        std::uint64_t E = 0; // with those of wear levelling, without those of recovery's records
        for (std::size_t p = 0; p < FLASH_PURPOSES; ++p) {
            E += p == FLASH_PURPOSE_RECOVERY ? 0 : l.spent.by_purpose[p].erases;
        }
        const std::uint64_t T = R + program_cost * W + erase_cost * E;
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                       l.requests, l.pages, R, W, E, T, l.spent.scans, T + l.spent.scans,
                       host.reads, host.programs, copy_r, copy_w, map.reads, map.programs,
                       l.spent.when.ps() / 1000);
    }
    return text;
}

std::unique_ptr<report_sink> make_ftl_series(const std::string& value, const sink_subject& of)
{
    return std::make_unique<series_sink<ftl_series>>(value, "--ftl-series",
                                                     ftl_series(of.page_size));
}

} // namespace ssdvp::platform
