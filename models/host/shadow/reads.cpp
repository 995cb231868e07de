// SPDX-License-Identifier: Apache-2.0
//
// The shadow copy and reads: what each sector may hold when a read begins, and whether it does.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "models/host/shadow/shadow.h"
#include "models/host/shadow/version.h"

namespace ssdvp::host {

namespace {

constexpr std::uint64_t spoilt = 0xDEADDEADDEADDEADull; // no sector's tag: address beyond 2^39

} // namespace

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
                fn(i, entry_of(group, s.lba + i));
            }
        }
    }
}

/// The sectors have one entry, and no write of them is in flight.
bool shadow::is_even(const span& s, entry& all) const
{
    const std::uint64_t last = s.lba + s.sectors - 1;
    std::uint64_t place = s.lba >> group_shift;
    const std::uint32_t group = m_groups[place];
    std::uint32_t others = 0;
    while (++place <= last >> group_shift) {
        others |= m_groups[place] ^ group;
    }
    if (others != 0 || (group & (leaf_flag | whole_flag)) != 0) {
        return false;
    }
    all = entry_of(group, s.lba);
    return group != 0 || base_is_even(s);
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
    for_each_sector(std::size_t{s.sectors} * sector_size,
                    [data](std::size_t at) { store_tag(data + at, spoilt); });
    entry all = 0;
    if (is_even(s, all)) {
        std::fill_n(seen, s.sectors, all);
        return;
    }
    for_each(s, [this, seen](std::uint32_t i, entry e) {
        const bool open = (e & open_flag) != 0;
        const bounds b = open ? bounds_of(e) : bounds{e, 0, false};
        seen[i] = b.floor | (b.trimmed ? trimmed_flag : 0);
    });
}

void shadow::end_read(const span& s, const unsigned char* data, bool ok)
{
    if (!ok || !covers(s)) {
        return;
    }
    const std::uint32_t* seen = snapshot(s.slot);
    if (!is_plain(s, data, seen)) {
        check_groups(s, data, seen);
    }
    m_checked += s.sectors;
}

/// Where a read is of several versions, most of its groups are not.
void shadow::check_groups(const span& s, const unsigned char* data, const std::uint32_t* seen)
{
    for (std::uint32_t i = 0; i < s.sectors;) {
        const auto first = static_cast<std::uint32_t>((s.lba + i) & (group_sectors - 1));
        const span part{s.slot, s.lba + i, std::min(s.sectors - i, group_sectors - first)};
        const unsigned char* from = data + std::size_t{i} * sector_size;
        if (!is_plain(part, from, seen + i)) {
            check_singly(part, from, seen + i);
        }
        i += part.sectors;
    }
}

/// Almost every read, or group of one: one known version, not touched since the read was submitted,
/// and right.
bool shadow::is_plain(const span& s, const unsigned char* data, const std::uint32_t* seen) const
{
    entry e = 0;
    if (m_power_cuts || m_mode == data_mode::full || !is_even(s, e) || e > version_mask) {
        return false;
    }
    const std::uint64_t step = e == 0 ? 0 : tag_step;
    std::uint64_t tag = make_tag(s.lba & lba_mask, e);
    std::uint64_t difference = 0;
    for_each_sector(std::size_t{s.sectors} * sector_size, [&](std::size_t at) {
        difference |= (load_tag(data + at) ^ tag) | (*seen++ ^ e);
        tag += step;
    });
    return difference == 0;
}

void shadow::check_singly(const span& s, const unsigned char* data, const std::uint32_t* seen)
{
    // What one sector settles moves no other's entry.
    for_each(s, [this, seen, data, &s](std::uint32_t i, entry e) {
        const unsigned char* sector = data + std::size_t{i} * sector_size;
        const std::uint64_t lba = s.lba + i;
        const std::uint64_t tag = load_tag(sector);
        const bool plain =
            seen[i] <= version_mask && e == seen[i] && tag == make_tag(lba & lba_mask, seen[i]);
        const bool right = plain || acceptable(lba, tag, seen[i], s.slot);
        if (m_power_cuts && right) {
            settle(lba, seen[i], tag);
        }
        if (!right || (m_mode == data_mode::full && !sector_holds(sector, tag))) {
            mismatch(lba, tag, seen[i] & version_mask);
        }
    });
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

} // namespace ssdvp::host
