// SPDX-License-Identifier: Apache-2.0
//
// The shadow copy and power cuts: what a cut makes uncertain, and what the first read settles.
#include <algorithm>
#include <fmt/format.h>

#include "models/host/shadow/shadow.h"
#include "models/host/shadow/version.h"

namespace ssdvp::host {

std::uint64_t shadow::place_of(std::uint64_t lba) const
{
    const std::uint32_t index = m_groups[lba >> group_shift] & ~leaf_flag;
    return std::uint64_t{index} * group_sectors + lba % group_sectors;
}

void shadow::begin_flush(std::uint32_t slot)
{
    if (m_power_cuts && active()) {
        m_flush_epochs[slot] = m_durable.begin_flush();
    }
}

void shadow::end_flush(std::uint32_t slot, bool ok)
{
    if (m_power_cuts && active() && ok) {
        m_durable.end_flush(m_flush_epochs[slot]);
    }
}

/// Of the writes that were in flight together with this one, any may have come last.
void shadow::acknowledged(const span& s, bool durable)
{
    for (std::uint32_t i = 0; i < s.sectors; ++i) {
        const open_sector& o = m_open[get(s.lba + i) & ~open_flag];
        m_durable.acknowledge(place_of(s.lba + i), o.group_low, durable);
    }
}

void shadow::trimmed(std::uint64_t lba)
{
    m_durable.trim(place_of(lba), bounds_of(get(lba)).newest);
}

void shadow::power_lost()
{
    if (!m_power_cuts || !active()) {
        return;
    }
    ++m_operation;
    for (std::uint32_t index = 1; index < m_leaves_used; ++index) {
        for (std::uint32_t i = 0; i < group_sectors; ++i) {
            lose_power(m_leaf_first[index] + i, m_leaves[index].sector[i]);
        }
    }
}

void shadow::lose_power(std::uint64_t lba, entry& e)
{
    end_trims(lba, e);
    const durability::survivor oldest = m_durable.cut(place_of(lba));
    const bool was_open = (e & open_flag) != 0;
    const std::uint32_t newest = bounds_of(e).newest;
    const bool zero_too = oldest.zero && oldest.version != 0;
    if (!was_open && oldest.version == newest && !zero_too) {
        return;
    }
    open_sector& o = record(e);
    o = open_sector();
    o.floor = oldest.version;
    o.newest = o.begun = newest;
    o.trimmed = zero_too;
    o.one = oldest.ghost != 0;
    o.ghost = oldest.ghost;
    const bool settled = o.one && newest == o.ghost; // and not written since
    o.uncertain = zero_too || (oldest.version != newest && !settled);
    close_if_known(e);
}

/// A trim that is in flight may come after every version that was given out until now.
void shadow::end_trims(std::uint64_t lba, entry e)
{
    if ((e & open_flag) != 0 && m_open[e & ~open_flag].trims != 0) {
        trimmed(lba);
    }
}

void shadow::controller_reset()
{
    if (!m_power_cuts || !active()) {
        return;
    }
    ++m_operation;
    for (std::uint32_t index = 1; index < m_leaves_used; ++index) {
        for (std::uint32_t i = 0; i < group_sectors; ++i) {
            entry& e = m_leaves[index].sector[i];
            if ((e & open_flag) != 0 && m_open[e & ~open_flag].in_flight != 0) {
                lose_group(m_leaf_first[index] + i, e);
            }
        }
    }
}

/// What was in flight was done or not, what had ended before is there.
void shadow::lose_group(std::uint64_t lba, entry e)
{
    open_sector& o = m_open[e & ~open_flag];
    end_trims(lba, e);
    o.in_flight = o.trims = 0;
    o.group_low = 0;
    o.trim_in_group = o.trimmed_since = false;
    o.begun = o.newest;
    o.uncertain = o.reset = true;
}

void shadow::close_if_known(entry& e)
{
    const std::uint32_t index = e & ~open_flag;
    const open_sector& o = m_open[index];
    if (o.floor == o.newest && o.in_flight == 0 && !o.uncertain) {
        e = o.newest | (o.trimmed ? trimmed_flag : 0);
        m_open_free.push_back(index);
    }
}

/// A right read found `tag`; it was submitted when the sector's oldest version was `seen`. Only
/// what was there at the cut or reset is settled by it, not what came later.
void shadow::settle(std::uint64_t lba, std::uint32_t seen, std::uint64_t tag)
{
    if ((get(lba) & open_flag) == 0) {
        return;
    }
    entry& e = touch(lba);
    open_sector& o = m_open[e & ~open_flag];
    const auto found = static_cast<std::uint32_t>(tag & tag_version_mask);
    const bool later = found == 0 ? o.trimmed_since : newer(found, o.begun);
    if (!o.uncertain || o.in_flight != 0 || (seen & version_mask) != o.floor || later) {
        return;
    }
    o.floor = found;
    o.uncertain = false;
    o.trimmed = o.trimmed_since;
    o.one = true;
    o.ghost = o.begun;
    if (!o.reset) {
        m_durable.settle(place_of(lba), {o.floor, o.ghost, o.trimmed});
    }
    o.reset = false;
    close_if_known(e);
}

/// Was this version written before the cut, and not the one that the cut left?
bool shadow::ghost(std::uint64_t lba, std::uint32_t version) const
{
    const entry e = get(lba);
    if ((e & open_flag) == 0) {
        return false;
    }
    const open_sector& o = m_open[e & ~open_flag];
    return o.one && version != o.floor && !newer(version, o.ghost);
}

template <typename Wanted>
std::vector<shadow::extent> shadow::extents(std::vector<std::uint64_t> places,
                                            std::uint32_t longest, Wanted wanted) const
{
    std::sort(places.begin(), places.end());
    std::vector<extent> found;
    for (const std::uint64_t first : places) {
        for (std::uint64_t lba = first; lba < first + group_sectors && lba < m_capacity; ++lba) {
            if (!wanted(get(lba))) {
                continue;
            }
            extent* last = found.empty() ? nullptr : &found.back();
            if (last != nullptr && last->lba + last->sectors == lba && last->sectors < longest) {
                ++last->sectors;
            } else {
                found.push_back({lba, 1});
            }
        }
    }
    return found;
}

std::vector<std::uint64_t> shadow::touched() const
{
    std::vector<std::uint64_t> places;
    for (std::uint32_t index = 1; index < m_leaves_used && m_power_cuts; ++index) {
        places.push_back(m_leaf_first[index]);
    }
    return places;
}

std::vector<shadow::extent> shadow::uncertain(std::uint32_t longest) const
{
    return extents(touched(), longest, [this](entry e) {
        return (e & open_flag) != 0 && m_open[e & ~open_flag].uncertain;
    });
}

std::vector<shadow::extent> shadow::written(std::uint32_t longest) const
{
    std::vector<std::uint64_t> places = touched();
    const std::uint64_t end = m_precondition_first + m_precondition_count;
    for (std::uint64_t at = m_precondition_first >> group_shift; at << group_shift < end; ++at) {
        if (m_groups[at] == 0) {
            places.push_back(at << group_shift);
        }
    }
    return extents(std::move(places), longest, [](entry e) { return e != 0; });
}

void shadow::wrong_metadata(std::uint64_t lba)
{
    if (++m_mismatches <= fault_log::kept && m_faults != nullptr) {
        m_faults->record(m_who, fmt::format("read of sector {}: the metadata of other data", lba));
    }
}

void shadow::unreadable(const extent& e, std::uint16_t status)
{
    m_mismatches += e.sectors;
    if (m_faults != nullptr) {
        m_faults->record(m_who,
                         fmt::format("read of sectors {}..{} failed with status {:#x} after power "
                                     "came back",
                                     e.lba, e.lba + e.sectors - 1, status));
    }
}

} // namespace ssdvp::host
