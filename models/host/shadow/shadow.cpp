// SPDX-License-Identifier: Apache-2.0
#include "models/host/shadow/shadow.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/host/shadow/version.h"

namespace ssdvp::host {

namespace {

/// Filler word after `state` (SplitMix64), so that every word depends on the tag.
std::uint64_t filler(std::uint64_t& state)
{
    state += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

} // namespace

shadow::shadow(data_mode mode, std::string who, fault_log* faults)
    : m_mode(mode), m_who(std::move(who)), m_faults(faults)
{}

void shadow::configure(std::uint64_t capacity, std::uint32_t slots, std::uint32_t max_sectors)
{
    if (!active()) {
        return;
    }
    const std::uint64_t groups = (capacity + group_sectors - 1) / group_sectors;
    m_capacity = capacity;
    m_max_sectors = max_sectors;
    m_groups = lazy_array<std::uint32_t>(groups);
    m_leaves = lazy_array<leaf>(groups + 1);
    m_leaves_used = 1;
    m_leaves_free.clear();
    m_snapshots = lazy_array<std::uint32_t>(std::size_t{slots} * max_sectors);
    m_submitted.assign(slots, 0);
    if (m_power_cuts) {
        m_durable.configure((groups + 1) * group_sectors);
        m_leaf_first = lazy_array<std::uint64_t>(groups + 1);
        m_flush_epochs.assign(slots, 0);
    }
    m_open.reserve(4096);
    m_open_free.reserve(4096);
    m_leaves_free.reserve(4096);
}

void shadow::set_preconditioned(std::uint64_t first, std::uint64_t count)
{
    m_precondition_first = first;
    m_precondition_count = count;
}

void shadow::keep(state_archive& a)
{
    if (!active()) {
        return;
    }
    a.value(m_precondition_first);
    a.value(m_precondition_count);
    a.value(m_leaves_used);
    a.pages(m_groups, m_groups.size());
    a.pages(m_leaves, m_leaves_used);
    a.list(m_leaves_free);
    a.list(m_open);
    a.list(m_open_free);
    for (std::size_t i = 0; a.loading() && m_power_cuts && i < m_groups.size(); ++i) {
        const std::uint64_t first = std::uint64_t{i} << group_shift;
        if ((m_groups[i] & leaf_flag) != 0) {
            begin_durable(m_groups[i] & ~leaf_flag, first);
        } else if (m_groups[i] != 0) {
            touch(first); // joined by a run without power cuts
        }
    }
    // With power cuts every leaf is of a group.
    for (std::size_t i = 0; a.loading() && m_power_cuts && !m_leaves_free.empty(); ++i) {
        touch(std::uint64_t{i} << group_shift);
    }
}

std::uint64_t shadow::split_groups() const
{
    return m_leaves_used - 1 - m_leaves_free.size();
}

void shadow::reset_counters()
{
    m_checked = 0;
    m_mismatches = 0;
    m_trimmed_zeros = 0;
}

void shadow::fill_sector(unsigned char* sector, std::uint64_t tag)
{
    if (tag == 0) {
        std::memset(sector, 0, sector_size);
        return;
    }
    store_tag(sector, tag);
    std::uint64_t state = tag;
    for (std::uint32_t i = tag_size; i < sector_size; i += 8) {
        store_tag(sector + i, filler(state));
    }
}

bool shadow::sector_holds(const unsigned char* sector, std::uint64_t tag)
{
    std::uint64_t difference = load_tag(sector) ^ tag;
    std::uint64_t state = tag;
    for (std::uint32_t i = tag_size; i < sector_size; i += 8) {
        difference |= load_tag(sector + i) ^ (tag == 0 ? 0 : filler(state));
    }
    return difference == 0;
}

bool shadow::covers(const span& s) const
{
    // A command past the end is refused by the drive and moves no data.
    return active() && s.sectors <= m_capacity && s.lba <= m_capacity - s.sectors;
}

shadow::entry shadow::base_entry(std::uint64_t lba) const
{
    return lba - m_precondition_first < m_precondition_count ? 1 : 0;
}

/// All of the sectors are preconditioned, or none is.
bool shadow::base_is_even(const span& s) const
{
    const entry first = base_entry(s.lba);
    const bool begins_within = m_precondition_first - s.lba < s.sectors;
    return first == base_entry(s.lba + s.sectors - 1) &&
           (first != 0 || !begins_within || m_precondition_count == 0);
}

shadow::entry shadow::get(std::uint64_t lba) const
{
    const std::uint32_t group = m_groups[lba >> group_shift];
    if ((group & leaf_flag) != 0) {
        return m_leaves[group & ~leaf_flag].sector[lba & (group_sectors - 1)];
    }
    return entry_of(group, lba);
}

/// Of a sector whose group has no leaf.
shadow::entry shadow::entry_of(std::uint32_t group, std::uint64_t lba) const
{
    if (group == 0) {
        return base_entry(lba);
    }
    return (group & whole_flag) != 0 ? open_flag | (group & ~whole_flag) : group;
}

/// The sector's own entry, in a leaf.
shadow::entry& shadow::touch(std::uint64_t lba)
{
    std::uint32_t& group = m_groups[lba >> group_shift];
    if ((group & leaf_flag) == 0) {
        group = leaf_flag | make_leaf(lba & ~std::uint64_t{group_sectors - 1});
    }
    return m_leaves[group & ~leaf_flag].sector[lba & (group_sectors - 1)];
}

/// Of a group that has none, from its first sector on.
std::uint32_t shadow::make_leaf(std::uint64_t first)
{
    std::uint32_t index = m_leaves_used;
    if (m_leaves_free.empty()) {
        ++m_leaves_used;
    } else {
        index = m_leaves_free.back();
        m_leaves_free.pop_back();
    }
    const bool whole = (m_groups[first >> group_shift] & whole_flag) != 0;
    for (std::uint32_t i = 0; i < group_sectors; ++i) {
        entry e = get(first + i);
        if (whole && i != 0) { // each goes its own way from now on
            const open_sector common = m_open[e & ~open_flag];
            e = 0;
            record(e) = common;
        }
        m_leaves[index].sector[i] = e;
    }
    begin_durable(index, first);
    return index;
}

/// What a new leaf says of its sectors, from `first` on, survives a power cut.
void shadow::begin_durable(std::uint32_t index, std::uint64_t first)
{
    if (!m_power_cuts) {
        return;
    }
    m_leaf_first[index] = first;
    for (std::uint32_t i = 0; i < group_sectors; ++i) {
        const std::uint64_t place = std::uint64_t{index} * group_sectors + i;
        const bounds b = bounds_of(m_leaves[index].sector[i]);
        m_durable.begin(place, b.floor);
        if (b.trimmed) { // and is zero, or will be when what is in memory has gone to the flash
            m_durable.trim(place, b.newest);
        }
    }
}

/// Groups whose sectors all came to have the same entry need no leaf; with power cuts it stays, as
/// what survives one is kept beside it.
void shadow::join_settled(const span& s)
{
    const std::uint64_t end = s.lba + s.sectors;
    for (std::uint64_t lba = s.lba; lba < end && !m_power_cuts; lba += group_sectors) {
        join(lba >> group_shift);
    }
    if (s.sectors != 0 && !m_power_cuts) {
        join((end - 1) >> group_shift);
    }
}

void shadow::join(std::uint64_t number)
{
    std::uint32_t& group = m_groups[number];
    if ((group & leaf_flag) == 0) {
        return;
    }
    const std::uint32_t index = group & ~leaf_flag;
    const std::array<entry, group_sectors>& sector = m_leaves[index].sector;
    const entry first = sector[0];
    const bool same =
        std::all_of(sector.begin(), sector.end(), [=](entry e) { return e == first; });
    if (same && first != 0 && (first & open_flag) == 0) {
        group = first;
        m_leaves_free.push_back(index);
    }
}

shadow::bounds shadow::bounds_of(entry e) const
{
    if ((e & open_flag) != 0) {
        const open_sector& o = m_open[e & ~open_flag];
        return {o.floor, o.newest, o.trimmed};
    }
    return {e & version_mask, e & version_mask, (e & trimmed_flag) != 0};
}

/// The open record of a sector, made if need be.
open_sector& shadow::record(entry& e)
{
    if ((e & open_flag) == 0) {
        const bounds b = bounds_of(e);
        std::uint32_t index = 0;
        if (m_open_free.empty()) {
            index = static_cast<std::uint32_t>(m_open.size());
            m_open.emplace_back();
        } else {
            index = m_open_free.back();
            m_open_free.pop_back();
        }
        open_sector& o = m_open[index] = open_sector();
        o.floor = b.floor;
        o.newest = b.newest;
        o.trimmed = b.trimmed;
        e = open_flag | index;
    }
    return m_open[e & ~open_flag];
}

/// The same; a write or trim is about to be counted in it.
open_sector& shadow::open(entry& e)
{
    open_sector& o = record(e);
    if (o.in_flight == 0) {
        o.group_low = 0;
        o.trim_in_group = false;
    }
    ++o.in_flight;
    return o;
}

/// Whether a write of `sectors` from `lba` on covers a group whose sectors are all in one state.
bool shadow::goes_whole(std::uint64_t lba, std::uint32_t sectors) const
{
    if (m_power_cuts || sectors < group_sectors || lba % group_sectors != 0) {
        return false;
    }
    const std::uint32_t group = m_groups[lba >> group_shift];
    if (group == 0) {
        return base_entry(lba) == base_entry(lba + group_sectors - 1);
    }
    const bool whole = (group & whole_flag) != 0; // then other bits are an index
    return (group & leaf_flag) == 0 && (whole || (group & trimmed_flag) == 0);
}

/// The version that the write gives its sectors.
std::uint32_t shadow::begin_whole(std::uint64_t group)
{
    entry e = entry_of(m_groups[group], group << group_shift);
    open_sector& o = open(e);
    m_groups[group] = whole_flag | (e & ~open_flag);
    return begin_version(o);
}

void shadow::end_whole(std::uint64_t group, bool wrote)
{
    entry e = entry_of(m_groups[group], group << group_shift);
    close(group << group_shift, e, wrote);
    if ((e & open_flag) == 0) {
        m_groups[group] = e;
    }
}

void shadow::close_one(std::uint64_t lba, bool wrote, bool trim)
{
    entry& e = touch(lba);
    open_sector& o = m_open[e & ~open_flag];
    o.trims = static_cast<std::uint16_t>(o.trims - (trim ? 1 : 0));
    close(lba, e, wrote);
}

/// A write or trim of an open sector, or of all of a group, has ended.
void shadow::close(std::uint64_t lba, entry& e, bool wrote)
{
    open_sector& o = m_open[e & ~open_flag];
    if (wrote) {
        replaced(lba, o);
    }
    --o.in_flight;
    close_if_known(e);
}

/// A write of the group replaced what was there before; which of them comes last is not known.
void shadow::replaced(std::uint64_t lba, open_sector& o)
{
    o.floor = o.group_low;
    o.uncertain = o.reset = o.one = false;
    if (o.trimmed && !o.trim_in_group) {
        o.trimmed = false;
        if (m_cleared.empty()) {
            m_cleared.resize(cleared_kept);
        }
        m_cleared[m_cleared_count++ % cleared_kept] = {lba, m_operation};
    }
}

void shadow::begin_write(const span& s, unsigned char* data)
{
    if (!covers(s)) {
        return;
    }
    ++m_operation;
    for (std::uint32_t i = 0; i < s.sectors;) {
        const std::uint64_t lba = s.lba + i;
        const bool whole = goes_whole(lba, s.sectors - i);
        const std::uint32_t version =
            whole ? begin_whole(lba >> group_shift) : begin_version(open(touch(lba)));
        const span part{s.slot, lba, whole ? group_sectors : 1};
        give(data + std::size_t{i} * sector_size, part, version);
        i += part.sectors;
    }
}

/// The next version, that of a write which begins.
std::uint32_t shadow::begin_version(open_sector& o)
{
    o.newest = next_version(o.newest);
    if (o.group_low == 0) {
        o.group_low = o.newest;
    }
    return o.newest;
}

/// Data of the version to sectors of one group.
void shadow::give(unsigned char* data, const span& s, std::uint32_t version) const
{
    std::uint64_t tag = make_tag(s.lba & lba_mask, version);
    const bool full = m_mode == data_mode::full;
    for_each_sector(std::size_t{s.sectors} * sector_size, [&](std::size_t at) {
        full ? fill_sector(data + at, tag) : store_tag(data + at, tag);
        tag += tag_step;
    });
}

void shadow::end_write(const span& s, bool ok, bool durable)
{
    if (!covers(s)) {
        return;
    }
    if (m_power_cuts && ok) {
        acknowledged(s, durable);
    }
    for (std::uint32_t i = 0; i < s.sectors;) {
        const std::uint64_t group = (s.lba + i) >> group_shift;
        if ((m_groups[group] & (leaf_flag | whole_flag)) == whole_flag) {
            end_whole(group, ok);
            i += group_sectors;
        } else {
            close_one(s.lba + i++, ok, false);
        }
    }
    join_settled(s);
}

void shadow::begin_trim(const span& s)
{
    if (!covers(s)) {
        return;
    }
    ++m_operation;
    for (std::uint32_t i = 0; i < s.sectors; ++i) {
        open_sector& o = open(touch(s.lba + i));
        ++o.trims;
        o.trim_in_group = o.trimmed_since = true;
        o.trimmed = true;
        if (m_power_cuts) {
            trimmed(s.lba + i);
        }
    }
}

void shadow::end_trim(const span& s, bool /*ok*/)
{
    // A trim that failed may have been done in part: zero stays acceptable either way.
    if (!covers(s)) {
        return;
    }
    for (std::uint32_t i = 0; i < s.sectors; ++i) {
        if (m_power_cuts) {
            trimmed(s.lba + i);
        }
        close_one(s.lba + i, false, true);
    }
    join_settled(s);
}

} // namespace ssdvp::host
