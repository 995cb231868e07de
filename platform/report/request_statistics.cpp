// SPDX-License-Identifier: Apache-2.0
#include "platform/report/request_statistics.h"

#include <cmath>

#include "models/common/data_mode.h"

namespace ssdvp::platform {

namespace {

std::uint64_t bytes_of(const host::request_result& result)
{
    return result.status == 0 ? std::uint64_t{result.req.sectors} * sector_size : 0;
}

} // namespace

void kind_statistics::record(const host::request_result& result)
{
    ++requests;
    bytes += bytes_of(result);
    errors += result.status != 0 ? 1 : 0;
    latency.record(result.latency());
    for (std::size_t i = 0; i < latency_parts; ++i) {
        parts[i] += result.parts[i].ps();
    }
    if (result.submitted > result.req.arrival) {
        in_driver += (result.submitted - result.req.arrival).ps();
    }
}

void kind_statistics::merge(const kind_statistics& other)
{
    requests += other.requests;
    bytes += other.bytes;
    errors += other.errors;
    latency.merge(other.latency);
    for (std::size_t i = 0; i < latency_parts; ++i) {
        parts[i] += other.parts[i];
    }
    in_driver += other.in_driver;
}

void kind_statistics::scale(double factor)
{
    const auto scaled = [factor](std::uint64_t n) {
        return static_cast<std::uint64_t>(std::round(factor * static_cast<double>(n)));
    };
    requests = scaled(requests);
    bytes = scaled(bytes);
    errors = scaled(errors);
    latency.scale(factor);
    for (uint128& part : parts) {
        part = static_cast<uint128>(static_cast<long double>(part) * factor + 0.5L);
    }
    in_driver = static_cast<uint128>(static_cast<long double>(in_driver) * factor + 0.5L);
}

void kind_statistics::reset()
{
    requests = 0;
    bytes = 0;
    errors = 0;
    latency.reset();
    parts.fill(0);
    in_driver = 0;
}

void kind_statistics::keep(state_archive& a)
{
    a.value(requests);
    a.value(bytes);
    a.value(errors);
    latency.keep(a);
    a.value(parts);
    a.value(in_driver);
}

void request_statistics::on_complete(const host::request_result& result)
{
    const auto kind = static_cast<std::size_t>(result.req.kind);
    m_kinds[kind].record(result);
    if (result.req.stream < m_streams.size()) {
        m_streams[result.req.stream][kind].record(result);
    }
    ++m_lifetime_requests;
    if (result.req.kind == host::request_kind::read) {
        m_lifetime_read_bytes += bytes_of(result);
    }
    sim_time sum;
    for (const sim_time part : result.parts) {
        sum += part;
    }
    if (sum != result.latency()) {
        m_first_bad_split = m_bad_splits == 0 ? result.sequence : m_first_bad_split;
        ++m_bad_splits;
    }
}

void request_statistics::begin_measurement()
{
    for (kind_statistics& k : m_kinds) {
        k.reset();
    }
    for (by_kind& stream : m_streams) {
        for (kind_statistics& k : stream) {
            k.reset();
        }
    }
}

void request_statistics::add(const request_statistics& part)
{
    for (std::size_t k = 0; k < m_kinds.size(); ++k) {
        m_kinds[k].merge(part.m_kinds[k]);
        for (std::size_t s = 0; s < m_streams.size(); ++s) {
            m_streams[s][k].merge(part.m_streams[s][k]);
        }
    }
}

void request_statistics::scale(double factor)
{
    for (std::size_t k = 0; k < m_kinds.size(); ++k) {
        m_kinds[k].scale(factor);
        for (by_kind& stream : m_streams) {
            stream[k].scale(factor);
        }
    }
}

void request_statistics::keep(state_archive& a)
{
    for (kind_statistics& k : m_kinds) {
        k.keep(a);
    }
    for (by_kind& stream : m_streams) {
        for (kind_statistics& k : stream) {
            k.keep(a);
        }
    }
}

void request_statistics::report(const request_statistics& part)
{
    m_kinds = part.m_kinds;
    m_streams = part.m_streams;
}

kind_statistics request_statistics::overall() const
{
    kind_statistics all;
    for (const kind_statistics& k : m_kinds) {
        all.merge(k);
    }
    return all;
}

std::uint64_t request_statistics::requests() const
{
    std::uint64_t sum = 0;
    for (const kind_statistics& k : m_kinds) {
        sum += k.requests;
    }
    return sum;
}

} // namespace ssdvp::platform
