// SPDX-License-Identifier: Apache-2.0
#include "platform/report/waves/wave_source.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fnmatch.h>
#include <utility>

#include "platform/report/output_file.h"

namespace ssdvp::platform {

namespace {

/// It names the scope or signal itself, or a scope around it.
bool names_scope(const std::string& pattern, const std::string& full)
{
    for (std::size_t end = full.find('.');; end = full.find('.', end + 1)) {
        if (fnmatch(pattern.c_str(), full.substr(0, end).c_str(), 0) == 0) {
            return true;
        }
        if (end == std::string::npos) {
            return false;
        }
    }
}

/// A few names, so that a message stays readable.
std::string some_of(const std::vector<std::string>& names)
{
    constexpr std::size_t most = 12;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
    return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                       names.size() > most ? ", ..." : "");
}

} // namespace

std::string scope_name(const std::string& text)
{
    std::string name;
    for (const char c : text) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isdigit(letter) != 0 && !name.empty() && name.back() == '_') {
            name.back() = c; // channel 3: channel3
        } else if (std::isalnum(letter) != 0) {
            name += static_cast<char>(std::tolower(letter));
        } else if (c == '/') {
            name += '.';
        } else if (!name.empty() && name.back() != '_') {
            name += '_';
        }
    }
    return name;
}

wave_source::wave_source(const timeline_window& window, const std::string& drive,
                         std::vector<std::string> scopes)
    : m_record(window, most), m_drive(drive.empty() ? "ssd" : scope_name(drive)),
      m_patterns(std::move(scopes)), m_matched(m_patterns.size(), m_patterns.empty())
{}

std::uint32_t wave_source::add_track(const std::string& group, const std::string& name)
{
    const std::string scope = scope_name(group + "/" + name);
    return add_if_wanted({m_drive + "." + scope, {}, level_form::number}, scope);
}

std::uint32_t wave_source::add_level(const std::string& group, const std::string& name,
                                     level_form form)
{
    const std::string scope = scope_name(group);
    const std::string dot = scope.empty() ? "" : ".";
    return add_if_wanted({m_drive + dot + scope, name, form}, scope + dot + name);
}

std::uint32_t wave_source::add_if_wanted(const track& t, const std::string& full)
{
    const std::string scope = full.substr(0, full.find_last_of('.'));
    if (std::find(m_scopes.begin(), m_scopes.end(), scope) == m_scopes.end()) {
        m_scopes.push_back(scope);
    }
    bool wanted = m_patterns.empty();
    for (std::size_t i = 0; i < m_patterns.size(); ++i) {
        const std::string& pattern = m_patterns[i];
        if (names_scope(pattern, full) || names_scope(pattern, m_drive + "." + full)) {
            wanted = m_matched[i] = true;
        }
    }
    if (!wanted) {
        return unwanted;
    }
    m_tracks.push_back(t);
    return m_record.add_track(t.scope, t.name);
}

void wave_source::check_scopes() const
{
    for (std::size_t i = 0; i < m_patterns.size(); ++i) {
        if (!m_matched[i]) {
            throw output_error(fmt::format("--vcd-scope '{}' names nothing of this drive; there "
                                           "are {}",
                                           m_patterns[i], some_of(m_scopes)));
        }
    }
}

} // namespace ssdvp::platform
