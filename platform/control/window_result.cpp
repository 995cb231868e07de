// SPDX-License-Identifier: Apache-2.0
#include "platform/control/window_result.h"

#include "platform/report/counter_sums.h"

#include <algorithm>

namespace ssdvp::platform {

namespace {

void keep(state_archive& a, core_statistics& c)
{
    a.value(c.instructions);
    a.value(c.cycles);
    a.value(c.busy);
    a.value(c.dcache);
    a.value(c.icache);
    a.value(c.tlb);
    a.value(c.slowed);
    a.value(c.uncharged);
}

void keep(state_archive& a, channel_statistics& c)
{
    a.value(c.busy);
    a.value(c.polling);
    a.list(c.luns);
}

void keep(state_archive& a, power_state_counts& p)
{
    a.list(p.states);
    a.value(p.asleep);
    a.value(p.left_out);
    a.list(p.left_out_at.luns);
    a.value(p.left_out_at.controller);
    a.value(p.left_out_at.board);
}

void keep(state_archive& a, counters& c)
{
    a.value(c.when);
    a.value(c.wall_s);
    a.value(c.kernel_activations);
    a.value(c.kernel_entries);
    a.value(c.driver);
    a.value(c.flash);
    for (channel_statistics& one : c.channels) {
        keep(a, one);
    }
    a.value(c.ftl);
    for (core_statistics& one : c.cpu) {
        keep(a, one);
    }
    a.value(c.dram);
    a.value(c.dram_energy);
    a.value(c.thermal);
    if (c.states) {
        keep(a, *c.states);
    }
    a.value(c.link);
    a.value(c.nvme);
    a.value(c.sata);
    a.value(c.integrity);
    a.value(c.power);
    a.value(c.untold);
}

void keep(state_archive& a, latency_counts& counts)
{
    std::vector<std::uint32_t> buckets;
    std::vector<std::uint32_t> held;
    for (const auto& [bucket, count] : counts) {
        buckets.push_back(bucket);
        held.push_back(count);
    }
    a.list(buckets);
    a.list(held);
    counts.clear();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        counts.emplace_back(buckets[i], held[i]);
    }
}

run_sample sum(const run_sample& first, const run_sample& second)
{
    run_sample all = difference(second, difference(run_sample(), first)); // counts wrap, and back
    all.when = first.when + second.when;                                  // times do not
    return all;
}

} // namespace

void window_result::keep(state_archive& a)
{
    platform::keep(a, counted);
    requests.keep(a);
    a.value(sample);
    for (latency_counts& kind : latency) {
        platform::keep(a, kind);
    }
    a.value(buffer_growth);
    a.value(peak_rss_bytes);
    a.value(simulated);
}

void window_sum::add(const window_result& w, double weight)
{
    const counters counted = weight == 1.0 ? w.counted : scaled(w.counted, weight);
    m_counted = m_latencies.empty() ? counted : sum(m_counted, counted);
    request_statistics requests = w.requests;
    if (weight != 1.0) {
        requests.scale(weight);
    }
    m_requests.add(requests);
    m_samples.push_back(sum(m_samples.back(), w.sample));
    m_latencies.push_back(w.latency);
    m_erasing += w.counted.flash.erases != 0 ? 1 : 0;
    m_buffer_growth += w.buffer_growth;
    m_peak_rss_bytes = std::max(m_peak_rss_bytes, w.peak_rss_bytes);
    m_simulated += w.simulated;
}

void window_sum::put(measurement& m) const
{
    m.measured = m_counted;
    m.lifetime = m_counted;
    m.samples = m_samples;
    m.latencies = m_latencies;
    m.buffer_growth = m_buffer_growth;
    m.peak_rss_bytes = std::max(m.peak_rss_bytes, m_peak_rss_bytes);
    m.simulated = m_simulated;
}

} // namespace ssdvp::platform
