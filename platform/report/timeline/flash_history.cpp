// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/flash_history.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace ssdvp::platform {

namespace {

/// N of "channel N", as the blocks name themselves.
std::optional<std::uint16_t> number_behind(std::string_view words, std::string_view what)
{
    std::uint16_t number = 0;
    if (words.substr(0, what.size()) != what) {
        return std::nullopt;
    }
    const char* end = words.data() + words.size();
    const auto read = std::from_chars(words.data() + what.size(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

std::uint32_t detail_of(const timeline_slice& slice, std::size_t i)
{
    return static_cast<std::uint32_t>(slice.details[i].value);
}

} // namespace

std::uint32_t flash_history::add_track(const std::string& group, const std::string& name)
{
    const std::optional<std::uint16_t> channel = number_behind(group, "channel ");
    const std::optional<std::uint16_t> lun = number_behind(name, "LUN ");
    if (!channel || (!lun && name != "bus")) {
        return unwanted;
    }
    m_places.emplace_back(*channel, lun.value_or(bus));
    return static_cast<std::uint32_t>(m_places.size() - 1);
}

void flash_history::add(std::uint32_t track, const timeline_slice& slice)
{
    m_places[track].add(slice);
}

flash_piece& flash_history::place::add_piece()
{
    flash_piece& p = (*m_ring)[m_told++ % kept];
    m_dropped_until = later(m_dropped_until, p.end);
    return p;
}

/// What goes on after a suspend is the work that was suspended.
void flash_history::place::add(const timeline_slice& slice)
{
    if (slice.cuts) {
        cut(slice.begin);
    }
    if (slice.end == slice.begin) {
        return;
    }
    flash_piece& p = add_piece();
    if (m_suspended.name != nullptr && std::strcmp(slice.name, "resumed") == 0) {
        p = m_suspended;
        m_suspended.name = nullptr;
        p.begin = slice.begin;
        p.end = slice.end;
        return;
    }
    p.name = slice.name;
    p.begin = slice.begin;
    p.end = slice.end;
    p.slot = slice.slot;
    p.purpose = slice.purpose;
    if (is_lun()) {
        p.lun = m_lun;
        p.plane = static_cast<std::uint8_t>(detail_of(slice, 0));
        p.block = detail_of(slice, 1);
        p.page = detail_of(slice, 2);
    } else {
        p.lun = static_cast<std::uint16_t>(detail_of(slice, 0));
    }
}

/// The LUN is suspended, or has no power: what was under way ends.
void flash_history::place::cut(sim_time t)
{
    if (m_told == 0) {
        return;
    }
    flash_piece& last = (*m_ring)[(m_told - 1) % kept];
    if (last.end > t) {
        m_suspended = last;
        last.end = t;
    }
}

/// From the newest back. Planes of a LUN may read at the same time, so that one piece which ended
/// before says nothing of the one before it; but not more of them than a LUN has planes.
void flash_history::place::around(sim_time begin, sim_time end,
                                  std::vector<flash_piece>& found) const
{
    constexpr unsigned most_planes = 8;
    const auto first = static_cast<std::ptrdiff_t>(found.size());
    const std::size_t oldest = m_told > kept ? m_told - kept : 0;
    unsigned over = 0;
    for (std::size_t i = m_told; i > oldest && over < most_planes; --i) {
        const flash_piece& p = (*m_ring)[(i - 1) % kept];
        over = p.end > begin ? 0 : over + 1;
        if (p.begin < end && p.end > begin) {
            found.push_back(p);
        }
    }
    std::reverse(found.begin() + first, found.end());
    const auto earlier = [](const flash_piece& a, const flash_piece& b) {
        return a.begin < b.begin;
    };
    if (!std::is_sorted(found.begin() + first, found.end(), earlier)) {
        std::stable_sort(found.begin() + first, found.end(), earlier);
    }
}

} // namespace ssdvp::platform
