// SPDX-License-Identifier: Apache-2.0
#include "platform/report/run_samples.h"

#include <utility>

namespace ssdvp::platform {

std::uint64_t run_sample::requests() const
{
    std::uint64_t sum = 0;
    for (const kind& k : kinds) {
        sum += k.requests;
    }
    return sum;
}

run_sample difference(const run_sample& end, const run_sample& begin)
{
    run_sample d = end;
    d.when = end.when - begin.when;
    for (std::size_t i = 0; i < d.kinds.size(); ++i) {
        d.kinds[i].requests -= begin.kinds[i].requests;
        d.kinds[i].bytes -= begin.kinds[i].bytes;
        d.kinds[i].latency -= begin.kinds[i].latency;
    }
    d.flash.bytes_programmed -= begin.flash.bytes_programmed;
    d.flash.programs -= begin.flash.programs;
    d.flash.erases -= begin.flash.erases;
    d.flash.victims -= begin.flash.victims;
    d.flash.moved -= begin.flash.moved;
    return d;
}

run_sample sample_of(sim_time when, const request_statistics& requests, const flash_totals& flash)
{
    run_sample s;
    s.when = when;
    for (std::size_t i = 0; i < s.kinds.size(); ++i) {
        const kind_statistics& k = requests.kinds()[i];
        s.kinds[i] = {k.requests, k.bytes, static_cast<double>(k.latency.sum())};
    }
    s.flash = flash;
    return s;
}

sample_reading sampling(const request_statistics& requests, std::function<flash_totals()> flash)
{
    return [&requests, flash = std::move(flash)](sim_time when) {
        return sample_of(when, requests, flash());
    };
}

run_sample with_requests_of(run_sample s, const request_statistics& before)
{
    for (std::size_t i = 0; i < s.kinds.size(); ++i) {
        const kind_statistics& k = before.kinds()[i];
        s.kinds[i].requests += k.requests;
        s.kinds[i].bytes += k.bytes;
        s.kinds[i].latency += static_cast<double>(k.latency.sum());
    }
    return s;
}

run_sampler::run_sampler(sample_reading read) : m_read(std::move(read))
{
    m_samples.reserve(most + 1);
}

void run_sampler::begin(sim_time when, std::uint64_t piece)
{
    m_samples.clear();
    m_pieces.clear();
    (void)m_latencies.take();
    m_samples.push_back(m_read(when));
    m_seen = 0;
    m_piece = m_next = piece;
}

void run_sampler::take(sim_time when)
{
    m_samples.push_back(m_read(when));
    m_pieces.push_back(m_latencies.take());
    if (m_samples.size() == most + 1) {
        for (std::size_t i = 1; i <= most / 2; ++i) {
            m_samples[i] = m_samples[2 * i];
            m_pieces[i - 1] = joined(m_pieces[2 * i - 2], m_pieces[2 * i - 1]);
        }
        m_samples.resize(most / 2 + 1);
        m_pieces.resize(most / 2);
        m_piece *= 2;
    }
    m_next = m_seen + m_piece;
}

} // namespace ssdvp::platform
