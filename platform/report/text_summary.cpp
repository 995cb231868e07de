// SPDX-License-Identifier: Apache-2.0
#include "platform/report/text_summary.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <string_view>
#include <unistd.h>

#include "platform/report/bottleneck.h"
#include "platform/report/counter_table.h"
#include "platform/report/energy_output.h"
#include "platform/report/format.h"
#include "platform/report/interval_texts.h"
#include "platform/report/json_numbers.h"
#include "platform/report/power_output.h"
#include "platform/report/text_shares.h"
#include "platform/report/thermal_output.h"
#include "platform/report/validity.h"

namespace ssdvp::platform {

namespace {

constexpr std::size_t warnings_on_top = 3;
constexpr double shown_share = 0.0005; // a part below it prints as 0.0 %

class writer {
public:
    writer(const measurement& m, const request_statistics& requests, const text_style& style)
        : m_run(m), m_requests(requests), m_style(style), m_intervals(m, requests)
    {}

    void head();
    void trust();
    void warnings();
    void throughput();
    void latency();
    void parts();
    void flash();
    void utilisation();
    void energy();
    using rows = std::vector<std::pair<std::string, std::string>>;
    void table(const char* name, const rows& of);
    void heat();
    void firmware();
    void health(const telemetry& t);
    void merges(const telemetry& t);
    void verdict(const std::vector<std::string>& violations);
    void speed();
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args)
    {
        fmt::format_to(std::back_inserter(m_text), format, std::forward<Args>(args)...);
        while (!m_text.empty() && m_text.back() == ' ') {
            m_text.pop_back();
        }
        m_text.push_back('\n');
    }
    void row(const std::string& name, const std::string& value)
    {
        line("  {:<11} {}", name, value); // a space, however long the name
    }
    void sentence(const std::string& name, const std::string& text, const char* colour = "");
    void counts(std::string_view name) // of firmware, where the drive has such
    {
        const std::string text = counted(m_run, name);
        if (!text.empty()) {
            row(std::string(name), text);
        }
    }
    [[nodiscard]] std::string painted(const char* code, const std::string& text) const
    {
        return m_style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
    }
    /// Title padded before it is painted: escapes have no width.
    [[nodiscard]] std::string title(const std::string& text, std::size_t width = 14) const
    {
        return painted("1", fmt::format("{:<{}}", text, width));
    }
    /// So that the parts of all four kinds fit side by side.
    static std::size_t bar_width(std::size_t kinds) { return kinds > 3 ? 4 : 8; }
    [[nodiscard]] std::vector<std::size_t> kinds_present() const;
    void throughput_row(const std::string& name, const kind_statistics& k);
    void busy_row(const counters& c);

    const measurement& m_run;
    const request_statistics& m_requests;
    text_style m_style;
    interval_texts m_intervals;
    std::string m_text;
};

std::vector<std::size_t> writer::kinds_present() const
{
    std::vector<std::size_t> present;
    for (std::size_t i = 0; i < host::request_kinds; ++i) {
        if (m_requests.kinds()[i].requests != 0) {
            present.push_back(i);
        }
    }
    return present;
}

void writer::head()
{
    line("{}  {}  seed {}{}", painted("1", "ssdvp " + m_run.version), m_run.config_name, m_run.seed,
         m_run.complete ? "" : painted("33", "  stopped early: " + what_is_told(m_run)));
    for (const auto& [name, value] : m_run.drive.rows) {
        row(name, value);
    }
    row("measured", what_was_measured(m_run, m_requests));
    trust();
    for (const auto& [name, text] : second_runs_told(m_run, m_requests)) {
        sentence(name, text);
    }
}

/// What the numbers are worth stands before them.
void writer::trust()
{
    if (m_run.samples.empty() || m_requests.requests() == 0) {
        return;
    }
    sentence("limit", bottleneck_of(m_run, m_requests).text);
    const validity v = validity_of(m_run, m_requests);
    if (v.steady) {
        row("steady", *v.steady ? "over the measured part" : painted("33", "not yet"));
    }
    for (std::size_t i = 0; i < std::min(v.warnings.size(), warnings_on_top); ++i) {
        sentence("warning", v.warnings[i].text, "33");
    }
    if (v.warnings.size() > warnings_on_top) {
        row("", fmt::format("{} more below", v.warnings.size() - warnings_on_top));
    }
}

/// Those that have no place on top.
void writer::warnings()
{
    const validity v = validity_of(m_run, m_requests);
    if (m_run.samples.empty() || m_requests.requests() == 0 ||
        v.warnings.size() <= warnings_on_top) {
        return;
    }
    line("");
    line("{}", title("Further warnings"));
    for (std::size_t i = warnings_on_top; i < v.warnings.size(); ++i) {
        sentence("warning", v.warnings[i].text, "33");
    }
}

/// On as many lines as it takes.
void writer::sentence(const std::string& name, const std::string& text, const char* colour)
{
    constexpr std::size_t width = 86; // beside the name, 100 columns in all
    std::string rest = text;
    for (bool first = true; !rest.empty(); first = false) {
        std::size_t cut = rest.size() <= width ? rest.size() : rest.rfind(' ', width);
        cut = cut == std::string::npos ? rest.size() : cut;
        const std::string part = rest.substr(0, cut);
        row(first ? name : "", *colour == '\0' ? part : painted(colour, part));
        rest = cut == rest.size() ? "" : rest.substr(cut + 1);
    }
}

void writer::throughput_row(const std::string& name, const kind_statistics& k)
{
    const sim_time t = m_run.measured.when;
    const std::string errors = fmt::format("{:>10}", text_count(k.errors));
    line("  {:<12}{:>14}{:>13}{}{:>14}{:>14}{:>12}", name, text_count(k.requests),
         text_bytes(static_cast<double>(k.bytes)), k.errors != 0 ? painted("31", errors) : errors,
         text_rough(per_second(static_cast<double>(k.requests), t)),
         text_byte_rate(per_second(static_cast<double>(k.bytes), t)),
         m_intervals.of("host." + name + ".iops"));
}

void writer::throughput()
{
    line("");
    line("{}{:>14}{:>13}{:>10}{:>14}{:>14}{:>12}", title("Throughput"), "requests", "data",
         "errors", "IOPS", "bandwidth", m_intervals.head());
    for (const std::size_t i : kinds_present()) {
        throughput_row(request_kind_names[i], m_requests.kinds()[i]);
    }
    if (kinds_present().size() != 1) {
        throughput_row("all", m_requests.overall());
    }
}

void writer::latency()
{
    const std::vector<std::size_t> present = kinds_present();
    if (present.empty()) {
        return;
    }
    line("");
    line("{}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}{:>12}", title("Latency"), "min", "mean", "p50",
         "p99", "p99.9", "p99.99", "max");
    for (const std::size_t i : present) {
        const histogram& h = m_requests.kinds()[i].latency;
        const std::string key = fmt::format("host.{}.latency_ns.", request_kind_names[i]);
        const auto cell = [&](const char* name, std::uint32_t ppm) {
            return m_intervals.latency(key + name, static_cast<double>(h.percentile(ppm).ps()));
        };
        line("  {:<12}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}{:>12}", request_kind_names[i],
             m_intervals.extreme(h.min()), m_intervals.latency(key + "mean", h.mean()),
             cell("p50", 500000), cell("p99", 990000), cell("p99.9", 999000),
             cell("p99.99", 999900), m_intervals.extreme(h.max()));
        if (const std::string known = m_intervals.below(key); !known.empty()) {
            line("{}", known);
        }
    }
}

void writer::parts()
{
    const std::vector<std::size_t> present = kinds_present();
    if (present.empty()) {
        return;
    }
    line("");
    line("{}", title("Where the time goes, per request"));
    const std::size_t columns = bar_width(present.size());
    std::string kinds = fmt::format("  {:<12}", "");
    for (const std::size_t i : present) {
        kinds += fmt::format("{:>9}{:>6}  {:<{}}", request_kind_names[i], "%", "", columns);
    }
    line("{}", kinds);
    for (std::size_t part = 0; part < latency_parts; ++part) {
        std::string cells = fmt::format("  {:<12}", latency_part_names[part]);
        double largest = 0.0;
        for (const std::size_t i : present) {
            const kind_statistics& k = m_requests.kinds()[i];
            const auto total = static_cast<double>(k.latency.sum());
            const auto ps = static_cast<double>(k.parts[part]);
            const double share = total == 0.0 ? 0.0 : ps / total;
            largest = std::max(largest, share);
            // Blocks are several bytes and one column each, which fmt counts right.
            cells +=
                share < shown_share
                    ? fmt::format("{:>9}{:>6}  {:<{}}", "-", "", "", columns)
                    : fmt::format("{:>9}{:>6.1f}  {:<{}}",
                                  text_time(ps / static_cast<double>(k.requests)), 100.0 * share,
                                  share_bar(share, columns, m_style.unicode), columns);
        }
        if (largest >= shown_share) {
            line("{}", cells);
        }
    }
}

void writer::flash()
{
    const flash_statistics& f = m_run.measured.flash;
    const std::uint64_t host_bytes = m_requests.kind(host::request_kind::write).bytes;
    line("");
    line("{}{:>14}{:>14}{:>12}{:>14}{:>14}", title("Flash"), "reads", "programs", "erases",
         "programmed", "per byte");
    const auto show = [this, host_bytes](const char* name, const purpose_statistics& s) {
        line("  {:<12}{:>14}{:>14}{:>12}{:>14}{:>14}", name, text_count(s.reads),
             text_count(s.programs), text_count(s.erases),
             text_bytes(static_cast<double>(s.bytes_programmed)),
             host_bytes == 0 ? "-"
                             : fmt::format("{:.3f}", static_cast<double>(s.bytes_programmed) /
                                                         static_cast<double>(host_bytes)));
    };
    for (std::size_t p = 0; p < f.by_purpose.size(); ++p) {
        const purpose_statistics& s = f.by_purpose[p];
        if (s.reads + s.programs + s.erases != 0) {
            show(purpose_names[p], s);
        }
    }
    show("all", {f.reads, f.programs, f.erases, f.bytes_programmed});
    const auto waf = write_amplification(f, host_bytes);
    if (waf) {
        row("WAF", fmt::format("{:.3f} flash bytes programmed per byte written by the host", *waf));
    }
    if (f.suspends && *f.suspends != 0) {
        row("suspends", text_count(*f.suspends));
    }
    if (f.joined) {
        row("joined", text_count(*f.joined) + " in another's multi-plane sequence");
    }
    if (f.cached) {
        row("cached", text_count(*f.cached) + " by cache read or cache program");
    }
    if (f.overlapped) {
        row("overlapped", text_count(*f.overlapped) + " reads beside one of another plane");
    }
    if (f.snap_reads) {
        row("snap reads", text_count(*f.snap_reads) + " reads that sensed a part of their page");
    }
}

void writer::busy_row(const counters& c)
{
    constexpr std::size_t per_line = 16;
    for (std::size_t first = 0; first < c.channels.size(); first += per_line) {
        std::string cells;
        for (std::size_t i = first; i < std::min(first + per_line, c.channels.size()); ++i) {
            cells += fmt::format("{:>5.0f}", 100.0 * fraction(c.channels[i].busy, c.when));
        }
        row(first == 0 ? "each, %" : "", cells);
    }
}

void writer::utilisation()
{
    const counters& c = m_run.measured;
    line("");
    line("{}", title("Busy"));
    shares_text channels;
    shares_text luns;
    for (const channel_statistics& channel : c.channels) {
        channels.add(fraction(channel.busy, c.when));
        for (const lun_statistics& lun : channel.luns) {
            luns.add(fraction(lun.busy, c.when));
        }
    }
    if (!channels.empty()) {
        row("channels", channels.text());
        busy_row(c);
    }
    if (!luns.empty()) {
        row("LUNs", luns.text());
    }
    if (c.dram) {
        row("DRAM",
            fmt::format("{}   {} read, {} written", text_percent(fraction(c.dram->busy, c.when)),
                        text_bytes(static_cast<double>(c.dram->bytes_read)),
                        text_bytes(static_cast<double>(c.dram->bytes_written))));
    }
    if (c.dram && c.dram->banks) {
        row("DRAM rows", fmt::format("{} hits, {} misses, {} conflicts", c.dram->row_hits,
                                     c.dram->row_misses, c.dram->row_conflicts));
    }
    if (c.link) {
        row("link", fmt::format("{} up, {} down   {} up, {} down",
                                text_percent(fraction(c.link->busy_up, c.when)),
                                text_percent(fraction(c.link->busy_down, c.when)),
                                text_bytes(static_cast<double>(c.link->bytes_up)),
                                text_bytes(static_cast<double>(c.link->bytes_down))));
    }
    if (c.link && c.link->credit_stalls_up + c.link->credit_stalls_down + c.link->tag_stalls != 0) {
        row("link waits",
            fmt::format("{} up and {} down for credits, {} for tags", c.link->credit_stalls_up,
                        c.link->credit_stalls_down, c.link->tag_stalls));
    }
    if (c.link && c.link->replays_up + c.link->replays_down != 0) {
        row("link replays",
            fmt::format("{} up, {} down", c.link->replays_up, c.link->replays_down));
    }
    for (std::size_t i = 0; i < c.cpu.size(); ++i) {
        row(fmt::format("core {}", i),
            fmt::format("{}   {}{}{}instructions, {} cycles{}",
                        text_percent(fraction(c.cpu[i].busy, c.when)),
                        c.cpu[i].role.empty() ? "" : c.cpu[i].role + ", ",
                        text_rough(static_cast<double>(c.cpu[i].instructions)),
                        c.cpu[i].core.empty() ? " " : " " + c.cpu[i].core + " ",
                        text_rough(static_cast<double>(c.cpu[i].cycles)),
                        c.cpu[i].timing.empty() ? "" : ", timing " + c.cpu[i].timing));
    }
}

void writer::table(const char* name, const rows& of)
{
    line("");
    line("{}", title(name));
    for (const auto& [part, value] : of) {
        row(part, value);
    }
}

void writer::energy()
{
    if (m_run.energy.any()) {
        table("Energy", energy_rows(m_run, m_requests));
    }
    if (m_run.measured.states) {
        table("Power states", power_state_rows(*m_run.measured.states));
    }
}

void writer::heat()
{
    if (m_run.measured.thermal) {
        table("Heat", thermal_rows(*m_run.measured.thermal));
    }
}

void writer::health(const telemetry& t)
{
    const auto sum = [](const auto& list) {
        return std::accumulate(std::begin(list), std::end(list), std::uint64_t{0});
    };
    const std::string lost = fmt::format("{} units lost", text_count(t.lost_units));
    row("health",
        fmt::format("{} of {} read retries helped, {} unrecovered, {}",
                    text_count(t.recovered_reads), text_count(sum(t.retries)),
                    text_count(t.media_errors), t.lost_units != 0 ? painted("31", lost) : lost));
    row("", fmt::format("{} refreshes moved {} units, {} blocks retired, {} % spare left, {} % of "
                        "the endurance used",
                        text_count(t.refresh_runs), text_count(t.refresh_units_moved),
                        text_count(sum(t.retired)), t.spare_percent, t.used_percent));
}

void writer::merges(const telemetry& t)
{
    std::string text = counted(m_run, "merges");
    if (t.merged_logs != 0) {
        text += fmt::format("; {:.2f} logical blocks each, {} at most",
                            static_cast<double>(t.merged_logical_blocks) /
                                static_cast<double>(t.merged_logs),
                            text_count(t.merged_logical_blocks_max));
    }
    row("merges", text);
    row("", fmt::format("{} pages copied, {} searched, {} at worst that the host waited",
                        text_count(t.copy_page_writes), text_count(t.scan_page_reads),
                        text_time(static_cast<double>(t.blocking_max_ns) * 1000.0)));
}

void writer::firmware()
{
    if (!m_run.measured.ftl) {
        return;
    }
    const telemetry& t = *m_run.measured.ftl;
    line("");
    line("{}", title("Firmware"));
    row(m_run.drive.scheme, fmt::format("{} of RAM, {} free and {} bad blocks",
                                        text_bytes(static_cast<double>(t.ram_bytes)),
                                        text_count(t.free_blocks), text_count(t.bad_blocks)));
    if (m_run.drive.map_is_paged) {
        row("map",
            fmt::format("memory has room for {:.3g} % of it", 100.0 * m_run.drive.map_share));
    }
    counts("gc");
    counts("placement");
    if (m_run.drive.merges) {
        merges(t);
    }
    if (m_run.worst_blocking) {
        row("blocking", fmt::format("{} at worst", text_time(*m_run.worst_blocking)));
    }
    if (t.erase_blocks != 0) {
        row("wear",
            fmt::format("{} .. {} erases per block, mean {:.2f}", text_count(t.erase_min),
                        text_count(t.erase_max),
                        static_cast<double>(t.erase_sum) / static_cast<double>(t.erase_blocks)));
    }
    if (!m_run.drive.cache_policy.empty() && m_run.drive.cache_policy != "none") {
        const auto rough = [](std::uint64_t n) { return text_rough(static_cast<double>(n)); };
        row("cache", fmt::format("{}: reads {} hit, {} missed; writes {} hit, {} missed",
                                 m_run.drive.cache_policy, rough(t.cache_read_hits),
                                 rough(t.cache_read_misses), rough(t.cache_write_hits),
                                 rough(t.cache_write_misses)));
    }
    if (m_run.drive.zoned) {
        row("zones", fmt::format("{} {} commands refused", counted(m_run, "zones"),
                                 text_count(t.zones.too_many_open + t.zones.too_many_active)));
    }
    counts("retention");
    counts("SLC cache");
    if (m_run.drive.health) {
        health(t);
    }
    for (const std::string_view name : counted_rows()) {
        if (name != "gc" && name != "placement" && name != "merges" && name != "zones" &&
            name != "retention" && name != "SLC cache") {
            counts(name); // those that have no place above
        }
    }
    if (t.read_only != 0) {
        row("state", painted("31", "read only: the drive accepts no more writes"));
    }
}

void writer::verdict(const std::vector<std::string>& violations)
{
    line("");
    line("{}", title("Verdict"));
    if (m_run.lifetime.integrity) {
        const integrity_statistics& i = *m_run.lifetime.integrity;
        if (i.mismatches != 0) {
            row("data", painted("31", fmt::format("{} mismatches in {} sectors checked",
                                                  text_count(i.mismatches),
                                                  text_count(i.sectors_checked))));
        } else if (i.sectors_checked == 0) {
            row("data", "nothing was read that could be checked");
        } else {
            row("data", fmt::format("{} sectors checked, {}", text_count(i.sectors_checked),
                                    painted("32", "all as written")));
        }
    } else {
        row("data", "not checked (data: none)");
    }
    if (m_run.measured.power) {
        const power_statistics& p = *m_run.measured.power;
        row("power", fmt::format("{} cuts, {} shutdowns, {} requests lost, {} pages and {} blocks "
                                 "torn, {} sectors verified",
                                 text_count(p.cuts), text_count(p.shutdowns),
                                 text_count(p.lost_requests), text_count(p.torn_pages),
                                 text_count(p.torn_blocks), text_count(p.verified_sectors)));
    }
    if (m_run.host_resets) {
        row("resets", fmt::format("{} by the host", text_count(*m_run.host_resets)));
    }
    row("statistics", violations.empty() ? painted("32", "all identities hold")
                                         : painted("31", "contradict each other:"));
    for (const std::string& sentence : violations) {
        line("    {}", sentence);
    }
    if (m_run.fault_count != 0) {
        row("faults", painted("31", text_count(m_run.fault_count) + " modelled errors:"));
        for (const fault_log::fault& f : m_run.faults) {
            line("    at {} {}: {}", text_time(f.when), f.who, f.what);
        }
    }
}

void writer::speed()
{
    const counters& c = m_run.measured;
    const auto requests = static_cast<double>(m_requests.requests());
    std::string text = text_wall(c.wall_s);
    if (c.wall_s > 0.0) {
        text += fmt::format(", {} requests/s", text_rough(requests / c.wall_s));
    }
    if (requests > 0.0) {
        text += fmt::format(", {:.1f} activations (kernel {:.1f}) per request",
                            static_cast<double>(c.kernel_activations) / requests,
                            static_cast<double>(c.kernel_entries) / requests);
    }
    row("simulation", fmt::format("{}, {} of memory", text,
                                  text_bytes(static_cast<double>(m_run.peak_rss_bytes))));
}

} // namespace

text_style style_for(std::FILE* out)
{
    text_style style;
    if (::isatty(::fileno(out)) == 0) {
        return style;
    }
    style.colour = std::getenv("NO_COLOR") == nullptr;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            style.unicode =
                std::strstr(value, "UTF-8") != nullptr || std::strstr(value, "utf8") != nullptr;
            break;
        }
    }
    return style;
}

std::string text_summary(const measurement& m, const request_statistics& requests,
                         const std::vector<std::string>& violations, const text_style& style)
{
    writer w(m, requests, style);
    w.head();
    if (nothing_measured(m)) {
        w.verdict(violations);
        return w.take();
    }
    w.throughput();
    w.latency();
    w.parts();
    w.flash();
    w.utilisation();
    w.energy();
    w.heat();
    w.firmware();
    w.warnings();
    w.verdict(violations);
    w.speed();
    return w.take();
}

std::string array_text(const measurement& m, const request_statistics& requests,
                       const std::vector<std::string>& violations, const text_style& style)
{
    writer w(m, requests, style);
    w.head();
    w.throughput();
    w.latency();
    w.parts();
    w.verdict(violations);
    return w.take();
}

} // namespace ssdvp::platform
