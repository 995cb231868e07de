// SPDX-License-Identifier: Apache-2.0
//
// Stories of one sector: commands that begin and end in any order, reads that find what a drive may
// hold, cuts and resets. sector_orders tells what is right at each point of them.
#pragma once

#include <string>
#include <vector>

#include "tests/support/sector_orders.h"

namespace ssdvp::test {

struct story_event {
    enum kind { WRITE, TRIM, END, FLUSH, END_FLUSH, READ, END_READ, FOUND, CUT, RESET };
    kind what;
    std::uint8_t slot = 0;
    std::uint8_t value = 0; // of WRITE, END_READ, FOUND
    sector_orders::outcome how = sector_orders::outcome::DONE;
};

/// What may happen in the stories, beside reads.
struct story_rules {
    std::size_t together = 3; // changes in flight
    std::uint8_t changes = 7; // in all
    std::size_t flushes = 2;  // in flight
    bool failures = true;     // of changes, and of flushes when there may be two
    bool resets = true;
    bool forced_trims = false; // a trim may be durable at its end
};

class story {
public:
    story(sector_orders::trims how, const story_rules& rules) : m_rules(rules), m_orders(how, 0) {}

    [[nodiscard]] std::vector<story_event> possible() const
    {
        std::vector<story_event> all;
        add_begins(all);
        add_ends(all);
        all.push_back({story_event::CUT});
        if (m_rules.resets) {
            all.push_back({story_event::RESET});
        }
        for (std::uint8_t v = 0; v <= m_newest; ++v) {
            if ((m_orders.now() >> v & 1u) != 0) {
                all.push_back({story_event::FOUND, 0, v});
            }
            if (m_reading && (m_orders.read() >> v & 1u) != 0) {
                all.push_back({story_event::END_READ, 0, v});
            }
        }
        return all;
    }

    void apply(const story_event& e)
    {
        m_text += " " + text_of(e);
        switch (e.what) {
        case story_event::WRITE:
            m_newest = e.value;
            m_orders.begin_write(e.slot, e.value);
            m_change[e.slot] = e.what;
            ++m_changes;
            break;
        case story_event::TRIM:
            m_orders.begin_trim(e.slot);
            m_change[e.slot] = e.what;
            ++m_changes;
            break;
        case story_event::END:
            m_orders.end(e.slot, e.how);
            m_change[e.slot] = story_event::CUT;
            break;
        case story_event::FLUSH:
            m_orders.begin_flush(e.slot);
            m_flush[e.slot] = true;
            break;
        case story_event::END_FLUSH:
            m_orders.end_flush(e.slot, e.how != sector_orders::outcome::FAILED);
            m_flush[e.slot] = false;
            break;
        case story_event::READ:
            m_orders.begin_read();
            m_reading = true;
            break;
        case story_event::END_READ:
            m_orders.end_read(e.value);
            m_reading = false;
            break;
        case story_event::FOUND:
            m_orders.found(e.value);
            break;
        case story_event::CUT:
            m_orders.cut();
            stop();
            break;
        case story_event::RESET:
            m_orders.reset();
            stop();
            break;
        }
    }

    [[nodiscard]] const sector_orders& orders() const { return m_orders; }
    [[nodiscard]] std::uint8_t newest() const { return m_newest; }
    [[nodiscard]] bool reading() const { return m_reading; }
    /// For whoever has to find out why.
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    static std::string text_of(const story_event& e)
    {
        static const std::array<const char*, 10> names = {"write",     "trim", "end",      "flush",
                                                          "end-flush", "read", "end-read", "found",
                                                          "cut",       "reset"};
        static const std::array<const char*, 3> hows = {"", "!durable", "!failed"};
        return names.at(e.what) + std::to_string(e.slot) + "=" + std::to_string(e.value) +
               hows.at(static_cast<std::size_t>(e.how));
    }

    void add_begins(std::vector<story_event>& all) const
    {
        std::size_t flying = 0;
        std::size_t flushes = 0;
        std::uint8_t free = 0;
        std::uint8_t free_flush = 0;
        for (std::uint8_t s = sector_orders::slots; s-- > 0;) {
            flying += m_change[s] != story_event::CUT ? 1 : 0;
            free = m_change[s] == story_event::CUT ? s : free;
            flushes += m_flush[s] ? 1 : 0;
            free_flush = m_flush[s] ? free_flush : s;
        }
        if (flying < m_rules.together && m_changes < m_rules.changes) {
            all.push_back({story_event::WRITE, free, static_cast<std::uint8_t>(m_newest + 1)});
            all.push_back({story_event::TRIM, free});
        }
        if (flushes < m_rules.flushes) {
            all.push_back({story_event::FLUSH, free_flush});
        }
        if (!m_reading) {
            all.push_back({story_event::READ});
        }
    }

    void add_ends(std::vector<story_event>& all) const
    {
        using outcome = sector_orders::outcome;
        for (std::uint8_t s = 0; s < sector_orders::slots; ++s) {
            if (m_change[s] != story_event::CUT) {
                all.push_back({story_event::END, s, 0, outcome::DONE});
                if (m_change[s] == story_event::WRITE || m_rules.forced_trims) {
                    all.push_back({story_event::END, s, 0, outcome::DURABLE});
                }
                if (m_rules.failures) {
                    all.push_back({story_event::END, s, 0, outcome::FAILED});
                }
            }
            if (m_flush[s]) {
                all.push_back({story_event::END_FLUSH, s, 0, outcome::DONE});
                if (m_rules.failures && m_rules.flushes > 1) {
                    all.push_back({story_event::END_FLUSH, s, 0, outcome::FAILED});
                }
            }
        }
    }

    void stop()
    {
        m_change.fill(story_event::CUT);
        m_flush.fill(false);
        m_reading = false;
    }

    story_rules m_rules;
    sector_orders m_orders;
    std::uint8_t m_newest = 0;
    std::uint8_t m_changes = 0;
    bool m_reading = false;
    std::array<story_event::kind, sector_orders::slots> m_change{
        story_event::CUT, story_event::CUT, story_event::CUT, story_event::CUT}; // CUT = none
    std::array<bool, sector_orders::slots> m_flush{};
    std::string m_text;
};

} // namespace ssdvp::test
