// SPDX-License-Identifier: Apache-2.0
//
// What blocks tell, as far as waves are wanted of it: of scopes by their names, for a window.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/report/timeline/record.h"
#include "platform/report/timeline/scope_filter.h"

namespace ssdvp::platform {

class wave_source final : public timeline {
public:
    struct track {
        std::string scope; // from the drive on, with dots
        std::string name;  // of a level; empty: a track, whose scope is its own
        level_form form = level_form::number;
    };
    static constexpr std::size_t most = 1u << 19; // slices and levels in the window

    /// `drive`: the outermost scope. `scopes`: patterns with * and ?; none: everything.
    wave_source(const timeline_window& window, const std::string& drive,
                std::vector<std::string> scopes);

    std::uint32_t add_track(const std::string& group, const std::string& name) override;
    std::uint32_t add_level(const std::string& group, const std::string& name,
                            level_form form) override;
    void add(std::uint32_t number, const timeline_slice& slice) override
    {
        m_record.add(number, slice);
    }
    void set(std::uint32_t level, sim_time t, std::uint64_t value) override
    {
        m_record.set(level, t, value);
    }

    [[nodiscard]] timeline_record& record() { return m_record; }
    [[nodiscard]] const timeline_record& record() const { return m_record; }
    /// Those that are wanted, by their numbers in the record.
    [[nodiscard]] const std::vector<track>& tracks() const { return m_tracks; }
    /// Throws output_error for the first pattern that names nothing of this drive.
    void check_scopes() const { m_filter.check(); }

private:
    std::uint32_t add_if_wanted(const track& t, const std::string& full);

    timeline_record m_record;
    std::string m_drive;
    scope_filter m_filter;
    std::vector<track> m_tracks;
};

} // namespace ssdvp::platform
