// SPDX-License-Identifier: Apache-2.0
//
// The lines of a series.
#include <cmath>
#include <fmt/format.h>

#include "platform/report/series.h"

namespace ssdvp::platform {

namespace {

struct line {
    std::string text;
    double length = 0.0; // of the piece, ps

    void put(std::uint64_t n)
    {
        const fmt::format_int digits(n);
        text += ',';
        text.append(digits.data(), digits.size());
    }
    /// n / scale, a power of ten, with all its decimals.
    void put_fixed(std::uint64_t n, std::uint64_t scale)
    {
        put(n / scale);
        text += '.';
        for (std::uint64_t one = scale / 10; one != 0; one /= 10) {
            text += static_cast<char>('0' + n / one % 10);
        }
    }
    /// In millionths; most columns are of these, and the general way of writing doubles is slow.
    void put(double x) { put_fixed(static_cast<std::uint64_t>(std::llround(x * 1e6)), 1000000); }
    void empty() { text += ','; }
    void put_ns(std::uint64_t ps) { put_fixed(ps, 1000); }
    void put_share(sim_time busy, std::size_t of)
    {
        put(static_cast<double>(busy.ps()) / (length * static_cast<double>(of)));
    }
};

void put_kind(line& l, const series_piece::kind& k)
{
    l.put(k.requests);
    l.put(k.bytes);
    l.put(k.errors);
    if (k.requests == 0) {
        l.text += ",,,,,";
        return;
    }
    l.put_ns(static_cast<std::uint64_t>(k.latency.sum / k.requests));
    for (const double share : {0.5, 0.99, 0.999}) {
        l.put_ns(k.latency.percentile(share));
    }
    l.put_ns(k.latency.max);
}

std::string kind_header(const char* kind)
{
    std::string text;
    for (const char* what :
         {"requests", "bytes", "errors", "mean_ns", "p50_ns", "p99_ns", "p99.9_ns", "max_ns"}) {
        text += fmt::format(",{}_{}", kind, what);
    }
    return text;
}

// Columns of the SLC cache: what it counts, and what changes within a run.
#define SSDVP_SLC_NAME_OF_COUNTER(field) text += ",slc_" #field;
#define SSDVP_SLC_NAME_OF_GAUGE(field) SSDVP_SLC_NAME_OF_COUNTER(field)
#define SSDVP_SLC_NAME_OF_LEAST(field)
#define SSDVP_SLC_NAME_OF_MOST(field)
#define SSDVP_SLC_NAME(field, kind, ...) SSDVP_SLC_NAME_OF_##kind(field)
#define SSDVP_SLC_VALUE_OF_COUNTER(field) l.put(p.slc.field);
#define SSDVP_SLC_VALUE_OF_GAUGE(field) SSDVP_SLC_VALUE_OF_COUNTER(field)
#define SSDVP_SLC_VALUE_OF_LEAST(field)
#define SSDVP_SLC_VALUE_OF_MOST(field)
#define SSDVP_SLC_VALUE(field, kind, ...) SSDVP_SLC_VALUE_OF_##kind(field)

std::string header(const counters& has)
{
    std::string text = "begin_ns,end_ns";
    for (const char* kind : request_kind_names) {
        text += kind_header(kind);
    }
    text += ",in_flight,free_blocks,buffer_dirty";
    for (const char* purpose : purpose_names) {
        text += fmt::format(",programmed_{}_bytes", purpose);
    }
    text += ",erases,suspends,gc_runs,checkpoints,power_cuts"
            ",channels_busy,luns_busy,dram_busy,link_up_busy,link_down_busy";
    for (std::size_t n = 0; n < has.cpu.size(); ++n) {
        text += fmt::format(",core_{}_busy", n);
    }
    for (const char* part : run_series::joule_names) {
        text += fmt::format(",power_{}_w", part);
    }
    if (has.thermal) {
        for (const char* sensor : {"composite", "controller", "nand"}) {
            text += fmt::format(",{}_c", sensor);
        }
        text += ",throttled_light,throttled_heavy";
    }
    if (has.slc_cache) {
        COUNTERS_SLC(SSDVP_SLC_NAME)
    }
    if (has.states) {
        text += ",power_asleep_w";
        for (std::size_t n = 0; n < has.states->states.size(); ++n) {
            text += fmt::format(",power_state_{}", n);
        }
    }
    for (std::size_t c = 0; c < has.channels.size(); ++c) {
        for (std::size_t n = 0; n < has.channels[c].luns.size(); ++n) {
            text += fmt::format(",lun_{}_{}_busy", c, n);
        }
    }
    return text + '\n';
}

/// Little's law: the latencies that ended in the piece, over its length.
double in_flight(const series_piece& p, double length)
{
    double sum = 0.0;
    for (const series_piece::kind& k : p.kinds) {
        sum += static_cast<double>(k.latency.sum);
    }
    return sum / length;
}

void put_busy(line& l, const series_piece& p, const counters& has)
{
    sim_time luns;
    for (const sim_time t : p.luns) {
        luns += t;
    }
    l.put_share(p.channels, has.channels.size());
    l.put_share(luns, p.luns.size());
    for (const auto& [there, busy] :
         {std::pair(has.dram.has_value(), p.dram), std::pair(has.link.has_value(), p.link_up),
          std::pair(has.link.has_value(), p.link_down)}) {
        if (there) {
            l.put_share(busy, 1);
        } else {
            l.empty();
        }
    }
    for (const sim_time core : p.cores) {
        l.put_share(core, 1);
    }
}

void put_power(line& l, const series_piece& p, const std::array<bool, 5>& counted)
{
    for (std::size_t i = 0; i < p.joules.size(); ++i) {
        if (counted[i]) {
            l.put(p.joules[i] / (l.length * 1e-12));
        } else {
            l.empty();
        }
    }
}

/// Degrees may be below zero.
void put_heat(line& l, const series_piece& p)
{
    for (const double celsius : p.celsius) {
        l.text += fmt::format(",{:.3f}", celsius);
    }
    for (const sim_time t : p.throttled) {
        l.put_share(t, 1);
    }
}

void put_states(line& l, const series_piece& p)
{
    l.put(p.asleep / (l.length * 1e-12));
    for (const sim_time t : p.states) {
        l.put_share(t, 1);
    }
}

} // namespace

std::string run_series::csv() const
{
    const std::array<bool, 5> counted = {m_energy.nand(), m_first.dram_energy.has_value(),
                                         m_energy.channel.any() || m_energy.ecc.any(),
                                         m_energy.link.any() && m_first.link, m_energy.core.any()};
    std::string text = header(m_first);
    for (const series_piece& p : m_pieces) {
        line l;
        l.length = static_cast<double>((p.end - p.begin).ps());
        l.text = fmt::format("{}.{:03}", p.begin.ps() / 1000, p.begin.ps() % 1000);
        l.put_ns(p.end.ps());
        for (const series_piece::kind& k : p.kinds) {
            put_kind(l, k);
        }
        l.put(in_flight(p, l.length));
        l.put(p.free_blocks);
        l.put(p.buffer_dirty);
        for (const std::uint64_t bytes : p.programmed) {
            l.put(bytes);
        }
        for (const std::uint64_t n :
             {p.erases, p.suspends, p.gc_runs, p.checkpoints, p.power_cuts}) {
            l.put(n);
        }
        put_busy(l, p, m_first);
        put_power(l, p, counted);
        if (m_first.thermal) {
            put_heat(l, p);
        }
        if (m_first.slc_cache) {
            COUNTERS_SLC(SSDVP_SLC_VALUE)
        }
        if (m_first.states) {
            put_states(l, p);
        }
        for (const sim_time lun : p.luns) {
            l.put_share(lun, 1);
        }
        text += l.text + '\n';
    }
    return text;
}

} // namespace ssdvp::platform
