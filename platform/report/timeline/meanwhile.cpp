// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/meanwhile.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace ssdvp::platform {

namespace {

bool same_work(const flash_piece& a, const flash_piece& b)
{
    const auto of_command = [](const flash_piece& p) { return p.slot != latency_ledger::no_slot; };
    return a.purpose == b.purpose && of_command(a) == of_command(b) &&
           std::strcmp(a.name, b.name) == 0;
}

/// What the request itself had done.
bool is_own(const flash_piece& p, const host::request_result& r)
{
    return r.place.slot != latency_place::nowhere && p.slot == r.place.slot &&
           p.begin >= r.submitted;
}

} // namespace

/// Fills m_pieces with what [begin, end) was taken by. Returns what of it nobody knows.
sim_time meanwhile::attribute(const flash_history::place& p, sim_time begin, sim_time end)
{
    m_around.clear();
    m_pieces.clear();
    p.around(begin, end, m_around);
    sim_time until = std::min(later(begin, p.dropped_until()), end);
    const sim_time unknown = until - begin;
    for (const flash_piece& one : m_around) {
        const sim_time from = later(one.begin, until);
        const sim_time to = std::min(one.end, end);
        if (to > from) {
            m_pieces.push_back({one, to - from, meanwhile_piece::on_lun});
            until = to;
        }
    }
    return unknown;
}

/// Of pieces as long as the shortest that is told, the first ones are.
void meanwhile::tell_longest(meanwhile_piece::kind where, std::vector<meanwhile_piece>& found)
{
    sim_time shortest;
    std::size_t as_short = told; // so many of that length are told
    if (m_pieces.size() > told) {
        m_lengths.clear();
        for (const meanwhile_piece& one : m_pieces) {
            m_lengths.push_back(one.overlap);
        }
        const auto border = m_lengths.begin() + (told - 1);
        std::nth_element(m_lengths.begin(), border, m_lengths.end(), std::greater<>());
        shortest = *border;
        as_short = static_cast<std::size_t>(std::count(m_lengths.begin(), border + 1, shortest));
    }
    meanwhile_piece rest;
    rest.what.name = meanwhile_piece::others;
    rest.where = where;
    for (meanwhile_piece& one : m_pieces) {
        if (one.overlap > shortest || (one.overlap == shortest && as_short != 0)) {
            as_short -= one.overlap == shortest ? 1 : 0;
            one.where = where;
            found.push_back(one);
        } else {
            rest.overlap += one.overlap;
        }
    }
    if (rest.overlap != sim_time()) {
        found.push_back(rest);
    }
}

void meanwhile::find_at(const flash_history::place& p, const host::request_result& r,
                        std::vector<meanwhile_piece>& found)
{
    const auto where = p.is_lun() ? meanwhile_piece::on_lun : meanwhile_piece::on_bus;
    const sim_time unknown = attribute(p, r.req.arrival, r.place.ended);
    m_pieces.erase(std::remove_if(m_pieces.begin(), m_pieces.end(),
                                  [&r](const meanwhile_piece& one) { return is_own(one.what, r); }),
                   m_pieces.end());
    tell_longest(where, found);
    if (unknown != sim_time()) {
        meanwhile_piece one{{}, unknown, where};
        one.what.name = meanwhile_piece::unknown;
        found.push_back(one);
    }
}

/// By kind of work, in the order in which it was found first.
void meanwhile::find_anywhere(const host::request_result& r, std::vector<meanwhile_piece>& found)
{
    const std::size_t first = found.size();
    std::uint64_t luns = 0;
    const auto take = [&](const flash_piece& what, sim_time overlap) {
        const auto same =
            std::find_if(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                         [&](const meanwhile_piece& known) { return same_work(known.what, what); });
        if (same != found.end()) {
            same->overlap += overlap;
            return;
        }
        meanwhile_piece one{{}, overlap, meanwhile_piece::on_drive};
        one.what.name = what.name;
        one.what.purpose = what.purpose;
        one.what.slot = what.slot;
        found.push_back(one);
    };
    flash_piece forgotten;
    forgotten.name = meanwhile_piece::unknown;
    for (const flash_history::place& p : m_history.places()) {
        if (!p.is_lun()) {
            continue;
        }
        ++luns;
        const sim_time unknown = attribute(p, r.req.arrival, r.completed);
        for (const meanwhile_piece& one : m_pieces) {
            take(one.what, one.overlap);
        }
        if (unknown != sim_time()) {
            take(forgotten, unknown);
        }
    }
    if (luns == 0) {
        return; // nothing was found: nobody was there to do it
    }
    for (std::size_t i = first; i < found.size(); ++i) {
        found[i].overlap = sim_time(found[i].overlap.ps() / luns);
    }
}

void meanwhile::find(const host::request_result& r, std::vector<meanwhile_piece>& found)
{
    found.clear();
    if (r.place.channel == latency_place::nowhere) {
        find_anywhere(r, found);
        return;
    }
    for (const std::uint16_t lun : {r.place.lun, flash_history::bus}) {
        for (const flash_history::place& p : m_history.places()) {
            if (p.is(r.place.channel, lun)) {
                find_at(p, r, found);
            }
        }
    }
}

} // namespace ssdvp::platform
