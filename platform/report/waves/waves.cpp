// SPDX-License-Identifier: Apache-2.0
#include "platform/report/waves/waves.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "models/flash/bus/wire_phase.h"
#include "platform/report/measurement.h"
#include "platform/report/waves/slice_signals.h"

namespace ssdvp::platform {

namespace {

constexpr unsigned number_bits = 32;
const char* const idle_word = "idle";

/// Viewers end a text at a space.
std::string one_word(std::string_view words)
{
    std::string word(words);
    std::replace(word.begin(), word.end(), ' ', '_');
    return word;
}

} // namespace

wave_set::wave_set(const wave_source& source)
{
    (void)text(idle_word);
    std::vector<entries> told(source.tracks().size());
    for (const timeline_record::entry* e : source.record().slices()) {
        told[e->track].push_back(e);
    }
    for (std::size_t i = 0; i < told.size(); ++i) {
        const wave_source::track& t = source.tracks()[i];
        if (t.name.empty()) {
            add_slices(t, told[i]);
        } else if (t.form == level_form::bus_phase) {
            add_phases(t, told[i]);
        } else {
            add_level(t, told[i]);
        }
    }
    std::stable_sort(m_changes.begin(), m_changes.end(),
                     [](const wave_change& a, const wave_change& b) { return a.t < b.t; });
}

std::uint32_t wave_set::add_signal(const std::string& scope, const std::string& name,
                                   wave_kind kind, unsigned bits)
{
    m_signals.push_back({scope, name, kind, bits});
    return static_cast<std::uint32_t>(m_signals.size() - 1);
}

std::uint64_t wave_set::text(const char* words)
{
    const auto [found, is_new] = m_numbers.try_emplace(words, m_texts.size());
    if (is_new) {
        m_texts.push_back(one_word(words));
    }
    return found->second;
}

void wave_set::add_level(const wave_source::track& t, const entries& told)
{
    const bool bit = t.form == level_form::bit;
    const std::uint32_t signal = add_signal(
        t.scope, t.name, bit ? wave_kind::bit : wave_kind::number, bit ? 1 : number_bits);
    for (const timeline_record::entry* e : told) {
        change(e->slice.begin, signal, e->value());
    }
}

/// A phase as the pins of the bus. WE# shows each command and address cycle, low for its first
/// half; of a burst of data WE# or RE# is low from its first to its last cycle.
void wave_set::add_phases(const wave_source::track& t, const entries& told)
{
    using flash::wire_phase;
    const std::uint32_t phase = add_signal(t.scope, t.name, wave_kind::text);
    const std::uint32_t cle = add_signal(t.scope, "CLE", wave_kind::bit);
    const std::uint32_t ale = add_signal(t.scope, "ALE", wave_kind::bit);
    const std::uint32_t we = add_signal(t.scope, "WE_n", wave_kind::bit);
    const std::uint32_t re = add_signal(t.scope, "RE_n", wave_kind::bit);
    const std::uint32_t dq = add_signal(t.scope, "DQ", wave_kind::number, 8);
    for (std::size_t i = 0; i < told.size(); ++i) {
        const sim_time begin = told[i]->slice.begin;
        const wire_phase p = wire_phase::of(told[i]->value());
        change(begin, phase, text(flash::wire_phase_names[p.what]));
        change(begin, cle, p.what == wire_phase::command ? 1 : 0);
        change(begin, ale, p.what == wire_phase::address ? 1 : 0);
        change(begin, re, p.what == wire_phase::data_out ? 0 : 1);
        change(begin, dq, p.what == wire_phase::command ? p.opcode : floating);
        change(begin, we, p.what == wire_phase::data_in ? 0 : 1);
        if (p.cycles == 0 || i + 1 == told.size()) {
            continue;
        }
        const std::uint64_t length = (told[i + 1]->slice.begin - begin).ps();
        for (std::uint64_t n = 0; n < p.cycles; ++n) {
            change(begin + sim_time(length * n / p.cycles), we, 0);
            change(begin + sim_time(length * (2 * n + 1) / (2 * p.cycles)), we, 1);
        }
    }
}

/// What was begun last and goes on is shown.
void wave_set::add_slices(const wave_source::track& t, const entries& told)
{
    slice_signals of;
    of.state = add_signal(t.scope, "state", wave_kind::text);
    const slice_fields fields = fields_of(told);
    if (fields.overlap) {
        of.active = add_signal(t.scope, "active", wave_kind::number, number_bits);
        change(sim_time(), *of.active, 0);
    }
    if (fields.purpose) {
        of.purpose = add_signal(t.scope, "purpose", wave_kind::text);
    }
    if (fields.slot) {
        of.slot = add_signal(t.scope, "slot", wave_kind::number, 16);
    }
    for (const auto& [name, most] : fields.details) {
        const unsigned bits = most >> number_bits != 0 ? 64 : number_bits;
        of.details.emplace_back(name,
                                add_signal(t.scope, std::string(name), wave_kind::number, bits));
    }
    const auto show = [&](sim_time when, const timeline_slice* s, std::size_t active) {
        change(when, of.state, text(s != nullptr ? s->name : idle_word));
        if (of.active) {
            change(when, *of.active, active);
        }
        if (of.purpose) {
            const bool known = s != nullptr && s->purpose < FLASH_PURPOSES;
            change(when, *of.purpose, text(known ? purpose_names[s->purpose] : idle_word));
        }
        if (of.slot) {
            const bool has = s != nullptr && s->slot != latency_ledger::no_slot;
            change(when, *of.slot, has ? s->slot : floating);
        }
        for (const auto& [name, signal] : of.details) {
            change(when, signal, s != nullptr ? detail_of(*s, name) : floating);
        }
    };
    sweep(told, show);
}

} // namespace ssdvp::platform
