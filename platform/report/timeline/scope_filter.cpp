// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/scope_filter.h"

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

scope_filter::scope_filter(std::vector<std::string> patterns, std::string drive, const char* option)
    : m_patterns(std::move(patterns)), m_matched(m_patterns.size(), false),
      m_drive(std::move(drive)), m_option(option)
{}

bool scope_filter::wants(const std::string& full, const std::string& shown)
{
    if (std::find(m_shown.begin(), m_shown.end(), shown) == m_shown.end()) {
        m_shown.push_back(shown);
    }
    bool wanted = m_patterns.empty();
    for (std::size_t i = 0; i < m_patterns.size(); ++i) {
        const std::string& pattern = m_patterns[i];
        if (names_scope(pattern, full) || names_scope(pattern, m_drive + "." + full)) {
            wanted = m_matched[i] = true;
        }
    }
    return wanted;
}

void scope_filter::check() const
{
    for (std::size_t i = 0; i < m_patterns.size(); ++i) {
        if (!m_matched[i]) {
            throw output_error(fmt::format("{} '{}' names nothing of this drive; there are {}",
                                           m_option, m_patterns[i], some_of(m_shown)));
        }
    }
}

} // namespace ssdvp::platform
