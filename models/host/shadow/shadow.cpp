// SPDX-License-Identifier: Apache-2.0
#include "models/host/shadow/shadow.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "models/host/shadow/version.h"

namespace ssdvp::host {

namespace {

constexpr std::uint64_t lba_mask = (1ull << (64 - tag_version_bits)) - 1;
constexpr std::uint64_t spoilt = 0xDEADDEADDEADDEADull; // no sector's tag: address beyond 2^39

std::uint64_t load(const unsigned char* from)
{
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

void store(unsigned char* to, std::uint64_t value)
{
    std::memcpy(to, &value, sizeof value);
}

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
    store(sector, tag);
    std::uint64_t state = tag;
    for (std::uint32_t i = tag_size; i < sector_size; i += 8) {
        store(sector + i, filler(state));
    }
}

bool shadow::sector_holds(const unsigned char* sector, std::uint64_t tag)
{
    std::uint64_t difference = load(sector) ^ tag;
    std::uint64_t state = tag;
    for (std::uint32_t i = tag_size; i < sector_size; i += 8) {
        difference |= load(sector + i) ^ (tag == 0 ? 0 : filler(state));
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

shadow::entry shadow::get(std::uint64_t lba) const
{
    const std::uint32_t group = m_groups[lba >> group_shift];
    if ((group & leaf_flag) != 0) {
        return m_leaves[group & ~leaf_flag].sector[lba & (group_sectors - 1)];
    }
    return group == 0 ? base_entry(lba) : group;
}

/// Calls fn(i, entry) for each sector of `s`; a group is looked up once for all that lie in it.
template <typename Fn>
void shadow::for_each(const span& s, Fn fn) const
{
    for (std::uint32_t i = 0; i < s.sectors;) {
        const std::uint64_t lba = s.lba + i;
        const auto first = static_cast<std::uint32_t>(lba & (group_sectors - 1));
        const std::uint32_t end = i + std::min(s.sectors - i, group_sectors - first);
        const std::uint32_t group = m_groups[lba >> group_shift];
        if ((group & leaf_flag) != 0) {
            const entry* sector = &m_leaves[group & ~leaf_flag].sector[first];
            for (; i < end; ++i) {
                fn(i, *sector++);
            }
        } else {
            for (; i < end; ++i) {
                fn(i, group == 0 ? base_entry(s.lba + i) : group);
            }
        }
    }
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
    for (std::uint32_t i = 0; i < group_sectors; ++i) {
        m_leaves[index].sector[i] = get(first + i);
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
        m_durable.begin(std::uint64_t{index} * group_sectors + i,
                        bounds_of(m_leaves[index].sector[i]).floor);
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
shadow::open_sector& shadow::record(entry& e)
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
shadow::open_sector& shadow::open(entry& e)
{
    open_sector& o = record(e);
    if (o.in_flight == 0) {
        o.group_low = 0;
        o.trim_in_group = false;
    }
    ++o.in_flight;
    return o;
}

void shadow::close_one(std::uint64_t lba, bool wrote, bool trim)
{
    entry& e = touch(lba);
    open_sector& o = m_open[e & ~open_flag];
    if (wrote) {
        replaced(lba, o);
    }
    --o.in_flight;
    o.trims = static_cast<std::uint16_t>(o.trims - (trim ? 1 : 0));
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

std::uint32_t* shadow::snapshot(std::uint32_t slot)
{
    return &m_snapshots[std::size_t{slot} * m_max_sectors];
}

void shadow::begin_read(const span& s, unsigned char* data)
{
    if (!covers(s)) {
        return;
    }
    if (m_mode == data_mode::full) {
        std::memset(data, 0xDE, std::size_t{s.sectors} * sector_size);
    }
    m_submitted[s.slot] = ++m_operation;
    std::uint32_t* seen = snapshot(s.slot);
    for_each(s, [this, seen, data](std::uint32_t i, entry e) {
        store(data + std::size_t{i} * sector_size, spoilt);
        if ((e & open_flag) == 0) {
            seen[i] = e;
        } else {
            const bounds b = bounds_of(e);
            seen[i] = b.floor | (b.trimmed ? trimmed_flag : 0);
        }
    });
}

void shadow::end_read(const span& s, const unsigned char* data, bool ok)
{
    if (!ok || !covers(s)) {
        return;
    }
    const std::uint32_t* seen = snapshot(s.slot);
    const bool plainly = !m_power_cuts && m_mode != data_mode::full;
    // What one sector settles moves no other's entry.
    for_each(s, [this, seen, data, plainly, &s](std::uint32_t i, entry e) {
        const unsigned char* sector = data + std::size_t{i} * sector_size;
        const std::uint64_t lba = s.lba + i;
        const std::uint64_t tag = load(sector);
        // Almost every sector: one known version, not touched since the read was submitted.
        const bool plain =
            seen[i] <= version_mask && e == seen[i] && tag == make_tag(lba & lba_mask, seen[i]);
        if (plain && plainly) {
            return;
        }
        const bool right = plain || acceptable(lba, tag, seen[i], s.slot);
        if (m_power_cuts && right) {
            settle(lba, seen[i], tag);
        }
        if (!right || (m_mode == data_mode::full && !sector_holds(sector, tag))) {
            mismatch(lba, tag, seen[i] & version_mask);
        }
    });
    m_checked += s.sectors;
}

bool shadow::acceptable(std::uint64_t lba, std::uint64_t tag, std::uint32_t seen,
                        std::uint32_t slot)
{
    const bounds b = bounds_of(get(lba));
    const std::uint32_t floor = seen & version_mask;
    if (tag == 0) {
        if (floor == 0) {
            return true;
        }
        if ((seen & trimmed_flag) != 0 || b.trimmed || cleared_since(lba, m_submitted[slot])) {
            ++m_trimmed_zeros;
            return true;
        }
        return false;
    }
    const auto version = static_cast<std::uint32_t>(tag & tag_version_mask);
    return (tag >> tag_version_bits) == (lba & lba_mask) && version != 0 &&
           in_range(floor, b.newest, version) && !(m_power_cuts && ghost(lba, version));
}

/// Whether a trim of the sector was covered by a write after `operation`: then a read submitted
/// before may have seen the zeros in between.
bool shadow::cleared_since(std::uint64_t lba, std::uint64_t operation) const
{
    const std::uint64_t kept = std::min<std::uint64_t>(m_cleared_count, cleared_kept);
    for (std::uint64_t i = 1; i <= kept; ++i) {
        const cleared_trim& c = m_cleared[(m_cleared_count - i) % cleared_kept];
        if (c.operation < operation) {
            return false;
        }
        if (c.lba == lba) {
            return true;
        }
    }
    return m_cleared_count > cleared_kept; // forgotten: the read gets the benefit of the doubt
}

void shadow::mismatch(std::uint64_t lba, std::uint64_t tag, std::uint32_t floor)
{
    if (++m_mismatches > fault_log::kept || m_faults == nullptr) {
        return;
    }
    const bounds b = bounds_of(get(lba));
    const std::uint64_t version = tag & tag_version_mask;
    m_faults->record(m_who, fmt::format("read of sector {}: expected version {}..{}{}, got {}", lba,
                                        floor, b.newest, b.trimmed ? " or zeros" : "",
                                        tag == spoilt
                                            ? std::string("no data at all")
                                            : fmt::format("version {} of sector {} (tag {:#018x})",
                                                          version, tag >> tag_version_bits, tag)));
}

void shadow::begin_write(const span& s, unsigned char* data)
{
    if (!covers(s)) {
        return;
    }
    ++m_operation;
    for (std::uint32_t i = 0; i < s.sectors; ++i) {
        open_sector& o = open(touch(s.lba + i));
        o.newest = next_version(o.newest);
        if (o.group_low == 0) {
            o.group_low = o.newest;
        }
        const std::uint64_t tag = make_tag((s.lba + i) & lba_mask, o.newest);
        unsigned char* sector = data + std::size_t{i} * sector_size;
        if (m_mode == data_mode::full) {
            fill_sector(sector, tag);
        } else {
            store(sector, tag);
        }
    }
}

void shadow::end_write(const span& s, bool ok, bool durable)
{
    if (!covers(s)) {
        return;
    }
    if (m_power_cuts && ok) {
        acknowledged(s, durable);
    }
    for (std::uint32_t i = 0; i < s.sectors; ++i) {
        close_one(s.lba + i, ok, false);
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
