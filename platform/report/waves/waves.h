// SPDX-License-Identifier: Apache-2.0
//
// A record as waves: signals in their scopes, and each change of their values.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/report/waves/wave_source.h"

namespace ssdvp::platform {

enum class wave_kind : std::uint8_t { bit, number, text };

struct wave_signal {
    std::string scope; // ssd.channel0.bus
    std::string name;
    wave_kind kind = wave_kind::bit;
    unsigned bits = 1; // of a number
};

struct wave_change {
    sim_time t;
    std::uint32_t signal = 0;
    std::uint64_t value = 0; // of a text: its number
};

class wave_set {
public:
    static constexpr std::uint64_t floating = ~std::uint64_t{0}; // nobody says what it is

    /// `source`: its record has ended.
    explicit wave_set(const wave_source& source);

    [[nodiscard]] const std::vector<wave_signal>& signals() const { return m_signals; }
    /// In order of time; the last one of a signal at a time holds. Signals begin floating, texts
    /// with the first of texts().
    [[nodiscard]] const std::vector<wave_change>& changes() const { return m_changes; }
    [[nodiscard]] const std::vector<std::string>& texts() const { return m_texts; }

private:
    using entries = std::vector<const timeline_record::entry*>;

    std::uint32_t add_signal(const std::string& scope, const std::string& name, wave_kind kind,
                             unsigned bits = 1);
    std::uint64_t text(const char* words);
    void change(sim_time t, std::uint32_t signal, std::uint64_t value)
    {
        m_changes.push_back({t, signal, value});
    }
    void add_level(const wave_source::track& t, const entries& told);
    void add_phases(const wave_source::track& t, const entries& told);
    void add_slices(const wave_source::track& t, const entries& told);

    std::vector<wave_signal> m_signals;
    std::vector<wave_change> m_changes;
    std::vector<std::string> m_texts;
    std::unordered_map<const char*, std::uint64_t> m_numbers; // of literals, by where they lie
};

} // namespace ssdvp::platform
