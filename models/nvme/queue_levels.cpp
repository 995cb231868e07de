// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/queue_levels.h"

#include <string>

namespace ssdvp::nvme {

void queue_levels::follow(timeline& to, std::size_t pairs, std::size_t vectors)
{
    const auto level = [&to](const std::string& name, level_form form) {
        timeline_level one(to, "front end", name, form);
        one.set(sim_time(), 0);
        return one;
    };
    m_follows = true;
    m_ready = level("ready", level_form::bit);
    m_commands = level("commands", level_form::number);
    for (std::size_t i = 0; i < pairs; ++i) {
        const std::string number = std::to_string(i);
        m_tails.push_back(level("SQ" + number + "_tail", level_form::number));
        m_entries.push_back(level("SQ" + number + "_entries", level_form::number));
        m_heads.push_back(level("CQ" + number + "_head", level_form::number));
    }
    for (std::size_t i = 0; i < vectors; ++i) {
        m_messages.push_back(level("MSIX" + std::to_string(i), level_form::number));
    }
    m_sent.assign(vectors, 0);
}

} // namespace ssdvp::nvme
