// SPDX-License-Identifier: Apache-2.0
#include "models/dram/command_checker.h"

#include <algorithm>
#include <utility>

namespace ssdvp::dram {

namespace {

/// Refreshes that may be postponed (JESD79-3F, 79-4, 209-4, 209-5): nine tREFI between two at most.
constexpr std::uint64_t postponed = 8;

constexpr std::size_t index(dram_command c)
{
    return static_cast<std::size_t>(c);
}

bool to_all(dram_command c)
{
    return c == dram_command::PREA || c == dram_command::REF;
}

std::string in_ps(sim_time t)
{
    return std::to_string(t.ps()) + " ps";
}

} // namespace

std::string describe(const violation& v)
{
    std::string text = v.rule;
    if (!to_all(v.at.what)) {
        text += " of bank " + std::to_string(v.at.bank);
    }
    text += " broken at " + in_ps(v.at.when) + ": " + name_of(v.at.what);
    if (v.off == sim_time()) {
        return text;
    }
    const bool late = std::string(v.rule) == "tREFI";
    return text + " " + in_ps(v.off) + (late ? " later than " : " earlier than ") + in_ps(v.limit) +
           " after " + name_of(v.since);
}

command_checker::command_checker(const bank_timing& timing, report on_violation)
    : m_timing(timing), m_banks(timing.sets * timing.ways), m_groups(timing.groups),
      m_report(std::move(on_violation))
{
    for (const rule& r : rules()) {
        m_rules.push_back({&r, r.value(m_timing)});
    }
}

void command_checker::restart()
{
    std::fill(m_banks.begin(), m_banks.end(), bank());
    std::fill(m_groups.begin(), m_groups.end(), std::array<last_of, kinds>());
    m_all = {};
    m_act_count = 0;
}

void command_checker::observe(const command& c)
{
    ++m_commands;
    for (const timed_rule& r : m_rules) {
        if (r.what->to == c.what) {
            check(r, c);
        }
    }
    check_state(c);
    if (c.what == dram_command::ACT) {
        check_window(c);
    } else if (c.what == dram_command::REF) {
        check_refresh(c);
    }
    note(c);
}

void command_checker::check(const timed_rule& r, const command& c)
{
    const std::size_t from = index(r.what->from);
    const last_of* since = &m_all[from];
    if (r.what->scope == reach::bank) {
        since = &m_banks[c.bank].last[from];
    } else if (r.what->scope == reach::group) {
        since = &m_groups[c.group][from];
    }
    if (since->seen && c.when < since->when + r.value) {
        violated({r.what->name, c, r.what->from, since->when + r.value - c.when, r.value});
    }
}

void command_checker::check_state(const command& c)
{
    const auto wrong = [&](const char* what) {
        violated({what, c, c.what, sim_time(), sim_time()});
    };
    switch (c.what) {
    case dram_command::ACT:
        if (m_banks[c.bank].open) {
            wrong("a row is open");
        }
        break;
    case dram_command::RD:
    case dram_command::WR:
        if (!m_banks[c.bank].open || m_banks[c.bank].row != c.row) {
            wrong("the row is not open");
        }
        break;
    case dram_command::REF:
        if (std::any_of(m_banks.begin(), m_banks.end(), [](const bank& b) { return b.open; })) {
            wrong("a row is open");
        }
        break;
    default:
        break;
    }
}

void command_checker::check_window(const command& c)
{
    const sim_time first = m_acts[m_act_count % 4];
    const sim_time tFAW = m_timing.figures.tFAW;
    if (m_act_count >= 4 && c.when < first + tFAW) {
        violated({"tFAW", c, dram_command::ACT, first + tFAW - c.when, tFAW});
    }
    m_acts[m_act_count++ % 4] = c.when;
}

void command_checker::check_refresh(const command& c)
{
    const last_of& since = m_all[index(dram_command::REF)];
    const sim_time limit = (postponed + 1) * m_timing.figures.tREFI;
    if (since.seen && c.when > since.when + limit) {
        violated({"tREFI", c, c.what, c.when - (since.when + limit), limit});
    }
}

void command_checker::note(const command& c)
{
    const std::size_t kind = index(c.what);
    m_all[kind] = {c.when, true};
    if (c.what == dram_command::PREA) {
        for (bank& b : m_banks) {
            b.open = false;
        }
    }
    if (to_all(c.what)) {
        return;
    }
    bank& b = m_banks[c.bank];
    b.last[kind] = {c.when, true};
    m_groups[c.group][kind] = {c.when, true};
    if (c.what == dram_command::ACT) {
        b.open = true;
        b.row = c.row;
    } else if (c.what == dram_command::PRE) {
        b.open = false;
    }
}

void command_checker::violated(const violation& v)
{
    ++m_violations;
    m_report(v);
}

} // namespace ssdvp::dram
