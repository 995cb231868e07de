// SPDX-License-Identifier: Apache-2.0
#include "platform/report/waves/vcd.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string>

namespace ssdvp::platform {

namespace {

constexpr std::size_t bytes_at_a_time = 1u << 16; // bytes that are written at a time

/// Short name of a signal: its number in digits '!' to '~'.
std::string code_of(std::size_t number)
{
    std::string code;
    do {
        code += static_cast<char>('!' + number % 94);
        number /= 94;
    } while (number != 0);
    return code;
}

std::string binary(std::uint64_t value)
{
    std::string digits;
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + (value & 1)));
        value >>= 1;
    } while (value != 0);
    return digits;
}

class vcd_dump {
public:
    vcd_dump(const wave_set& waves, const std::function<void(std::string_view)>& write)
        : m_waves(waves), m_write(write)
    {
        const std::size_t count = waves.signals().size();
        m_next.resize(count);
        m_shown.resize(count);
        m_touched.resize(count, false);
        for (std::size_t i = 0; i < count; ++i) {
            m_codes.push_back(code_of(i));
            m_next[i] = waves.signals()[i].kind == wave_kind::text ? 0 : wave_set::floating;
        }
    }

    void header();
    void values(const std::vector<timeline_record::interval>& intervals);

private:
    void scope(const std::string& to);
    void value(std::size_t signal);
    void unknown(std::size_t signal);
    void begin(sim_time t, bool first);
    void end(sim_time t, bool last);
    void until(sim_time t, bool shown);
    void changes_at(sim_time t, bool shown);
    void flush()
    {
        if (m_text.size() >= bytes_at_a_time) {
            m_write(m_text);
            m_text.clear();
        }
    }

    const wave_set& m_waves;
    const std::function<void(std::string_view)>& m_write;
    std::string m_text;
    std::vector<std::string> m_codes;
    std::vector<std::uint64_t> m_next;  // what each signal is
    std::vector<std::uint64_t> m_shown; // ... and what the file says
    std::vector<bool> m_touched;
    std::vector<std::uint32_t> m_changed; // at the time that is written
    std::string m_scope;
    std::size_t m_at = 0; // of the changes
};

/// Leaves and enters scopes.
void vcd_dump::scope(const std::string& to)
{
    const auto parts = [](const std::string& text) {
        std::vector<std::string> all;
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t dot = std::min(text.find('.', from), text.size());
            all.push_back(text.substr(from, dot - from));
            from = dot + 1;
        }
        return all;
    };
    const std::vector<std::string> old = parts(m_scope);
    const std::vector<std::string> now = parts(to);
    const auto [left, right] = std::mismatch(old.begin(), old.end(), now.begin(), now.end());
    for (auto up = left; up != old.end(); ++up) {
        m_text += "$upscope $end\n";
    }
    for (auto down = right; down != now.end(); ++down) {
        m_text += fmt::format("$scope module {} $end\n", *down);
    }
    m_scope = to;
}

/// Signals of a scope stand together.
void vcd_dump::header()
{
    m_text += "$version ssdvp $end\n$timescale 1 ps $end\n";
    std::vector<std::size_t> order(m_waves.signals().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
        return m_waves.signals()[a].scope < m_waves.signals()[b].scope;
    });
    for (const std::size_t i : order) {
        const wave_signal& s = m_waves.signals()[i];
        scope(s.scope);
        const char* type = s.kind == wave_kind::text ? "string" : "wire";
        const std::string range = s.bits > 1 ? fmt::format(" [{}:0]", s.bits - 1) : "";
        m_text += fmt::format("$var {} {} {} {}{} $end\n", type, s.bits, m_codes[i], s.name, range);
    }
    scope("");
    m_text += "$enddefinitions $end\n";
}

void vcd_dump::value(std::size_t signal)
{
    const wave_signal& s = m_waves.signals()[signal];
    const std::uint64_t v = m_next[signal];
    m_shown[signal] = v;
    if (s.kind == wave_kind::text) {
        m_text += fmt::format("s{} {}\n", m_waves.texts()[v], m_codes[signal]);
    } else if (s.kind == wave_kind::bit) {
        m_text += fmt::format("{}{}\n", v == 0 ? '0' : v == 1 ? '1' : 'z', m_codes[signal]);
    } else if (v == wave_set::floating) {
        m_text += fmt::format("bz {}\n", m_codes[signal]);
    } else {
        m_text += fmt::format("b{} {}\n", binary(v), m_codes[signal]);
    }
    flush();
}

void vcd_dump::unknown(std::size_t signal)
{
    switch (m_waves.signals()[signal].kind) {
    case wave_kind::text:
        m_text += fmt::format("s? {}\n", m_codes[signal]);
        break;
    case wave_kind::bit:
        m_text += fmt::format("x{}\n", m_codes[signal]);
        break;
    case wave_kind::number:
        m_text += fmt::format("bx {}\n", m_codes[signal]);
        break;
    }
}

void vcd_dump::begin(sim_time t, bool first)
{
    m_text += fmt::format("#{}\n{}\n", t.ps(), first ? "$dumpvars" : "$dumpon");
    for (std::size_t i = 0; i < m_codes.size(); ++i) {
        value(i);
    }
    m_text += "$end\n";
}

void vcd_dump::end(sim_time t, bool last)
{
    m_text += fmt::format("#{}\n", t.ps());
    if (!last) {
        m_text += "$dumpoff\n";
        for (std::size_t i = 0; i < m_codes.size(); ++i) {
            unknown(i);
        }
        m_text += "$end\n";
    }
    flush();
}

/// All changes of the time at m_at; only what a signal is at last counts.
void vcd_dump::changes_at(sim_time t, bool shown)
{
    const auto& changes = m_waves.changes();
    m_changed.clear();
    for (; m_at < changes.size() && changes[m_at].t == t; ++m_at) {
        const wave_change& c = changes[m_at];
        m_next[c.signal] = c.value;
        if (!m_touched[c.signal]) {
            m_touched[c.signal] = true;
            m_changed.push_back(c.signal);
        }
    }
    bool time_stands = false;
    for (const std::uint32_t signal : m_changed) {
        m_touched[signal] = false;
        if (!shown || m_next[signal] == m_shown[signal]) {
            continue;
        }
        if (!time_stands) {
            m_text += fmt::format("#{}\n", t.ps());
            time_stands = true;
        }
        value(signal);
    }
}

void vcd_dump::until(sim_time t, bool shown)
{
    const auto& changes = m_waves.changes();
    while (m_at < changes.size() && changes[m_at].t <= t) {
        changes_at(changes[m_at].t, shown);
    }
}

void vcd_dump::values(const std::vector<timeline_record::interval>& intervals)
{
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        until(intervals[i].begin, false);
        begin(intervals[i].begin, i == 0);
        until(intervals[i].end, true);
        end(intervals[i].end, i + 1 == intervals.size());
    }
    m_write(m_text);
    m_text.clear();
}

} // namespace

void write_vcd(const wave_set& waves, const std::vector<timeline_record::interval>& intervals,
               const std::function<void(std::string_view)>& write)
{
    vcd_dump d(waves, write);
    d.header();
    d.values(intervals);
}

} // namespace ssdvp::platform
