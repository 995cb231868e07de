// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/constraint_checker.h"

#include <string>
#include <utility>

namespace ssdvp::flash {

namespace {

constexpr std::uint32_t bit(bus_event e)
{
    return 1u << static_cast<unsigned>(e);
}

static_assert(static_cast<unsigned>(bus_event::count) <= 32, "one bit per event");

std::string in_ps(sim_time t)
{
    return std::to_string(t.ps()) + " ps";
}

} // namespace

std::string describe(const violation& v)
{
    std::string text = std::string(v.rule->name) + " of lun" + std::to_string(v.lun.value()) +
                       " broken at " + in_ps(v.when) + ": " + name_of(v.rule->to) + " ";
    if (v.rule->kind == bound::not_busy) {
        return text + in_ps(v.off) + " before R/B# high";
    }
    if (v.rule->kind == bound::plane_rests || v.rule->kind == bound::planes_rest) {
        return text + in_ps(v.off) + " before plane" + std::to_string(v.plane.value()) + " ready";
    }
    text += "after " + std::string(name_of(v.rule->from)) + " ";
    if (v.rule->kind == bound::at_most) {
        return text + in_ps(v.off) + " later than " + in_ps(v.limit);
    }
    return text + in_ps(v.off) + " earlier than " + in_ps(v.limit);
}

constraint_checker::constraint_checker(const constraint_values& values, unsigned luns,
                                       report on_violation)
    : m_luns(luns), m_report(std::move(on_violation))
{
    m_rules.reserve(constraint_count);
    for (std::size_t e = 0; e < events; ++e) {
        m_index[e].first = m_rules.size();
        for (const constraint& c : constraints()) {
            if (static_cast<std::size_t>(c.to) == e && c.applies(values.family)) {
                m_rules.push_back({&c, c.value(values)});
            }
        }
        m_index[e].last = m_rules.size();
    }
}

void constraint_checker::restart()
{
    m_luns.fill(history());
    m_bus = history();
}

void constraint_checker::check(const rule& r, lun_index lun, sim_time t, std::uint64_t cycles)
{
    const constraint& c = *r.what;
    history& h = c.scope == reach::bus ? m_bus : m_luns[lun];
    if ((h.seen & bit(c.from)) == 0) {
        return;
    }
    const sim_time since = h.last[static_cast<std::size_t>(c.from)];
    switch (c.kind) {
    case bound::at_least:
        if (t < since + r.value) {
            violated({&c, lun, t, since + r.value - t, r.value, m_plane});
        }
        break;
    case bound::per_cycle:
        if (t < since + cycles * r.value) {
            violated({&c, lun, t, since + cycles * r.value - t, cycles * r.value, m_plane});
        }
        break;
    case bound::at_most:
        if (t > since + r.value) {
            violated({&c, lun, t, t - (since + r.value), r.value, m_plane});
        }
        break;
    case bound::not_busy: // by how much shows when R/B# rises
        if (h.busy && h.early.rule == nullptr) {
            h.early = {&c, lun, t, sim_time(), sim_time(), m_plane};
        }
        break;
    case bound::plane_rests: // likewise, when the plane is ready
        if (h.reading.contains(m_plane) && h.early_plane[m_plane.value()].rule == nullptr) {
            h.early_plane[m_plane.value()] = {&c, lun, t, sim_time(), sim_time(), m_plane};
        }
        break;
    case bound::planes_rest: // and when the last one is
        if (!h.reading.empty() && h.early_whole.rule == nullptr) {
            h.early_whole = {&c, lun, t, sim_time(), sim_time(), m_plane};
        }
        break;
    }
}

void constraint_checker::note(bus_event event, lun_index lun, sim_time t)
{
    history& h = m_luns[lun];
    h.last[static_cast<std::size_t>(event)] = t;
    h.seen |= bit(event);
    m_bus.last[static_cast<std::size_t>(event)] = t;
    m_bus.seen |= bit(event);
    if (event == bus_event::array_end) {
        h.busy = true;
    } else if (event == bus_event::ready) {
        h.busy = false;
        settle(h.early, t);
    } else if (event == bus_event::plane_read_end) {
        h.reading.insert(m_plane);
        const auto confirm = static_cast<std::size_t>(bus_event::array_end); // R/B# falls as ever
        h.last[confirm] = t;
        h.seen |= bit(bus_event::array_end);
    }
}

void constraint_checker::plane_ready(lun_index lun, plane_index plane, sim_time t)
{
    history& h = m_luns[lun];
    h.reading.erase(plane);
    settle(h.early_plane[plane.value()], t);
    if (h.reading.empty()) {
        h.early_whole.plane = plane;
        settle(h.early_whole, t);
    }
}

void constraint_checker::settle(violation& waited, sim_time t)
{
    if (waited.rule != nullptr && waited.when < t) {
        waited.off = t - waited.when;
        violated(waited);
    }
    waited.rule = nullptr;
}

void constraint_checker::violated(const violation& v)
{
    ++m_violations;
    m_report(v);
}

} // namespace ssdvp::flash
