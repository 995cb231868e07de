// SPDX-License-Identifier: Apache-2.0
//
// The campaigns' rules of what a drive may hold against a model that tries every order.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/powercut/durable_shadow.h"
#include "tests/support/order_stories.h"

namespace ssdvp::test::orders_test {
namespace {

/// The rules, and the same story told to somebody who looks only after a cut, before anything else
/// happens: what was found later the rules may forget.
class told {
public:
    void apply(const story_event& e)
    {
        const std::uint64_t t = m_shadow.tick();
        switch (e.what) {
        case story_event::WRITE:
        case story_event::TRIM:
            m_begun[e.slot] = t;
            m_shadow.begin_write(0, e.value, t);
            m_flying |= 1u << e.slot;
            m_first = false;
            break;
        case story_event::END:
            end(e.slot, e.how);
            break;
        case story_event::FLUSH:
            m_flushed[e.slot] = t;
            break;
        case story_event::END_FLUSH:
            if (e.how != sector_orders::outcome::FAILED) {
                m_shadow.end_flush(m_flushed[e.slot]);
            }
            break;
        case story_event::READ:
            m_shadow.begin_read();
            m_read = t;
            break;
        case story_event::END_READ:
            right = m_shadow.end_read(0, e.value, m_read) && right;
            break;
        case story_event::FOUND:
            right = accepts(e.value) && right;
            break;
        case story_event::CUT:
            m_shadow.cut();
            m_flying = 0;
            m_first = true;
            break;
        case story_event::RESET: // as cut_host does it
            for (std::uint8_t s = 0; s < sector_orders::slots; ++s) {
                if ((m_flying >> s & 1u) != 0) {
                    end(s, sector_orders::outcome::FAILED);
                }
            }
            break;
        }
        tell_blind(e);
    }
    bool accepts(std::uint64_t value)
    {
        m_shadow.begin_read();
        const std::uint64_t t = m_shadow.tick();
        m_shadow.tick();
        return m_shadow.end_read(0, value, t);
    }
    [[nodiscard]] std::vector<std::uint64_t> legal_after_cut() const
    {
        return m_shadow.legal_after_cut(0);
    }

    bool right = true; // every read of the story was
    story blind{sector_orders::trims::ZERO, story_rules()};

private:
    void end(std::uint8_t slot, sector_orders::outcome how)
    {
        using to = durable_shadow::outcome;
        m_flying &= ~(1u << slot);
        m_shadow.end_write(0, m_begun[slot],
                           how == sector_orders::outcome::FAILED    ? to::FAILED
                           : how == sector_orders::outcome::DURABLE ? to::DURABLE
                                                                    : to::ACKNOWLEDGED);
    }
    void tell_blind(const story_event& e)
    {
        if ((e.what != story_event::FOUND || m_first) && e.what != story_event::READ &&
            e.what != story_event::END_READ) {
            blind.apply(e);
        }
    }

    durable_shadow m_shadow{1};
    std::array<std::uint64_t, sector_orders::slots> m_begun{};
    std::array<std::uint64_t, sector_orders::slots> m_flushed{};
    std::uint64_t m_read = 0;
    unsigned m_flying = 0;
    bool m_first = false;
};

bool check(const std::vector<story_event>& events, const story& s)
{
    told t;
    for (const story_event& e : events) {
        t.apply(e);
    }
    story cut = s;
    story blind_cut = t.blind;
    cut.apply({story_event::CUT});
    blind_cut.apply({story_event::CUT});
    const auto legal = t.legal_after_cut();
    bool good = t.right;
    for (std::uint8_t v = 0; v <= s.newest() + 1; ++v) {
        told again; // a read settles: each of them on a drive of its own
        for (const story_event& e : events) {
            again.apply(e);
        }
        const bool taken = again.accepts(v);
        const bool kept = std::find(legal.begin(), legal.end(), v) != legal.end();
        const auto in = [v](const story& of) { return (of.orders().now() >> v & 1u) != 0; };
        const bool fine = (taken || !in(s)) && (kept || !in(cut)) && (!taken || in(t.blind)) &&
                          (!kept || in(blind_cut));
        if (!fine) {
            UNSCOPED_INFO("value " << int(v) << ": now " << in(s) << " taken " << taken
                                   << ", after a cut " << in(cut) << " taken " << kept);
        }
        good = good && fine;
    }
    if (!good) {
        UNSCOPED_INFO("story:" << s.text());
    }
    return good;
}

bool check_all(std::vector<story_event>& events, const story& s, std::size_t left)
{
    if (!check(events, s)) {
        return false;
    }
    for (const story_event& e : left == 0 ? std::vector<story_event>() : s.possible()) {
        story next = s;
        next.apply(e);
        events.push_back(e);
        if (!check_all(events, next, left - 1)) {
            return false;
        }
        events.pop_back();
    }
    return true;
}

} // namespace

TEST_CASE("every short story: the rules of the campaigns are those of a drive, and no weaker")
{
    story_rules rules;
    rules.forced_trims = true; // Write Zeroes
    std::vector<story_event> events;
    CHECK(check_all(events, story(sector_orders::trims::ZERO, rules), 4));
}

TEST_CASE("long stories: the rules of the campaigns are those of a drive, and no weaker")
{
    for (std::uint32_t seed = 0; seed < 20000; ++seed) {
        std::mt19937_64 random(seed);
        story_rules rules;
        rules.forced_trims = true;
        rules.failures = seed % 3 == 0;
        story s(sector_orders::trims::ZERO, rules);
        std::vector<story_event> events;
        for (std::size_t left = 5 + seed % 12; left > 0; --left) {
            const std::vector<story_event> all = s.possible();
            events.push_back(all[random() % all.size()]);
            s.apply(events.back());
        }
        INFO("seed " << seed);
        REQUIRE(check(events, s));
    }
}

} // namespace ssdvp::test::orders_test
