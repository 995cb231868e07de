// SPDX-License-Identifier: Apache-2.0
#include "platform/report/waves/wave_source.h"

#include <utility>

namespace ssdvp::platform {

wave_source::wave_source(const timeline_window& window, const std::string& drive,
                         std::vector<std::string> scopes)
    : m_record(window, most), m_drive(drive.empty() ? "ssd" : scope_name(drive)),
      m_filter(std::move(scopes), m_drive, "--vcd-scope")
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
    if (!m_filter.wants(full, full.substr(0, full.find_last_of('.')))) {
        return unwanted;
    }
    m_tracks.push_back(t);
    return m_record.add_track(t.scope, t.name);
}

} // namespace ssdvp::platform
