// SPDX-License-Identifier: Apache-2.0
//
// Several who listen to what blocks tell: each hears of the tracks and levels that it wants.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/common/timeline.h"

namespace ssdvp::platform {

class timeline_hub final : public timeline {
public:
    /// Before anything is told. Null: nobody.
    void attach(timeline* who)
    {
        if (who != nullptr) {
            m_listeners.push_back(who);
        }
    }
    /// The hub, or the only one who listens, or null: nobody does.
    [[nodiscard]] timeline* source()
    {
        return m_listeners.size() > 1 ? this : m_listeners.empty() ? nullptr : m_listeners.front();
    }

    std::uint32_t add_track(const std::string& group, const std::string& name) override
    {
        return add_for([&](timeline& t) { return t.add_track(group, name); });
    }
    std::uint32_t add_level(const std::string& group, const std::string& name,
                            level_form form) override
    {
        return add_for([&](timeline& t) { return t.add_level(group, name, form); });
    }
    void add(std::uint32_t track, const timeline_slice& s) override
    {
        for (const stop& l : m_routes[track]) {
            l.to->add(l.number, s);
        }
    }
    void bound(std::uint16_t slot, std::uint32_t command, sim_time when) override
    {
        for (timeline* t : m_listeners) {
            t->bound(slot, command, when);
        }
    }
    void set(std::uint32_t level, sim_time t, std::uint64_t value) override
    {
        for (const stop& l : m_routes[level]) {
            l.to->set(l.number, t, value);
        }
    }

private:
    struct stop {
        timeline* to;
        std::uint32_t number; // there
    };
    template <typename Add>
    std::uint32_t add_for(const Add& add)
    {
        std::vector<stop> route;
        for (timeline* t : m_listeners) {
            const std::uint32_t number = add(*t);
            if (number != unwanted) {
                route.push_back({t, number});
            }
        }
        if (route.empty()) {
            return unwanted;
        }
        m_routes.push_back(std::move(route));
        return static_cast<std::uint32_t>(m_routes.size() - 1);
    }

    std::vector<timeline*> m_listeners;
    std::vector<std::vector<stop>> m_routes; // by number
};

} // namespace ssdvp::platform
