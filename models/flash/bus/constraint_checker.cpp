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
            violated({&c, lun, t, since + r.value - t, r.value});
        }
        break;
    case bound::per_cycle:
        if (t < since + cycles * r.value) {
            violated({&c, lun, t, since + cycles * r.value - t, cycles * r.value});
        }
        break;
    case bound::at_most:
        if (t > since + r.value) {
            violated({&c, lun, t, t - (since + r.value), r.value});
        }
        break;
    case bound::not_busy: // by how much shows when R/B# rises
        if (h.busy && h.early.rule == nullptr) {
            h.early = {&c, lun, t, sim_time(), sim_time()};
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
        if (h.early.rule != nullptr && h.early.when < t) {
            h.early.off = t - h.early.when;
            violated(h.early);
        }
        h.early.rule = nullptr;
    }
}

void constraint_checker::violated(const violation& v)
{
    ++m_violations;
    m_report(v);
}

} // namespace ssdvp::flash
