// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/durable_shadow.h"

#include <algorithm>

namespace ssdvp::test {

namespace {

constexpr std::size_t long_list = 6; // versions of a sector worth looking through

} // namespace

durable_shadow::durable_shadow(std::uint64_t sectors)
    : m_sectors(sectors, versions{{0, 0, 0, true, true}})
{}

void durable_shadow::begin_write(std::uint64_t lba, std::uint64_t value, std::uint64_t begun)
{
    versions& all = m_sectors.at(lba);
    if (all.size() > long_list && m_reading == 0) {
        prune(all);
    }
    all.push_back({value, begun, under_way, false, false});
}

void durable_shadow::end_write(std::uint64_t lba, std::uint64_t begun, outcome how)
{
    for (version& v : m_sectors.at(lba)) {
        if (v.begun == begun && v.ended == under_way) {
            v.ended = m_now;
            v.acknowledged = how != outcome::FAILED;
            v.forced = how == outcome::DURABLE;
        }
    }
}

void durable_shadow::end_flush(std::uint64_t begun)
{
    m_flushed = std::max(m_flushed, begun);
}

std::uint64_t durable_shadow::durable_begun(const versions& all) const
{
    std::uint64_t last = 0;
    for (const version& v : all) {
        last = durable(v) ? std::max(last, v.begun) : last;
    }
    return last;
}

std::uint64_t durable_shadow::newest_begun(const versions& all, std::uint64_t limit)
{
    std::uint64_t last = 0;
    for (const version& v : all) {
        last = v.acknowledged && v.ended < limit ? std::max(last, v.begun) : last;
    }
    return last;
}

/// Drops what neither a read nor a cut can bring back.
void durable_shadow::prune(versions& all) const
{
    const std::uint64_t limit = durable_begun(all);
    all.erase(std::remove_if(all.begin(), all.end(),
                             [limit](const version& v) { return v.ended < limit; }),
              all.end());
}

bool durable_shadow::end_read(std::uint64_t lba, std::uint64_t value, std::uint64_t begun)
{
    --m_reading;
    versions& all = m_sectors.at(lba);
    const std::uint64_t limit = newest_begun(all, begun);
    for (const version& v : all) {
        if (v.value == value && v.ended >= limit) {
            // A trim since the cut may have left the same value: then nothing is settled.
            const std::uint64_t cut = m_cut;
            const bool told = std::none_of(all.begin(), all.end(), [cut, value](const version& w) {
                return w.begun >= cut && w.value == value;
            });
            if (all.size() > 1 && v.begun < m_cut && told) {
                settle(all, value);
            }
            return true;
        }
    }
    return false;
}

/// Of the versions from before the cut only those of this value are left; what recovery brought
/// back lies in flash.
void durable_shadow::settle(versions& all, std::uint64_t value) const
{
    const std::uint64_t cut = m_cut;
    all.erase(std::remove_if(
                  all.begin(), all.end(),
                  [cut, value](const version& v) { return v.begun < cut && v.value != value; }),
              all.end());
    for (version& v : all) {
        if (v.begun < cut) {
            v.acknowledged = v.forced = true;
        }
    }
}

void durable_shadow::cut()
{
    ++m_now;
    for (versions& all : m_sectors) {
        if (all.size() > 1) {
            prune(all);
        }
        const bool certain = all.size() == 1;
        for (version& v : all) {
            v.ended = std::min(v.ended, m_now);
            v.acknowledged = v.forced = certain;
        }
    }
    m_cut = ++m_now;
    ++m_now;
    m_flushed = 0;
    m_reading = 0;
}

std::vector<std::uint64_t> durable_shadow::legal_after_cut(std::uint64_t lba) const
{
    versions all = m_sectors.at(lba);
    prune(all);
    std::vector<std::uint64_t> values;
    for (const version& v : all) {
        if (std::find(values.begin(), values.end(), v.value) == values.end()) {
            values.push_back(v.value);
        }
    }
    return values;
}

} // namespace ssdvp::test
