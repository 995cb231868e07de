// SPDX-License-Identifier: Apache-2.0
//
// The shadow copy against a model that tries every order: whatever a drive may hold it accepts, and
// what it accepts beyond that is what its few words per sector cannot tell apart.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "models/common/rng.h"
#include "models/host/shadow/shadow.h"
#include "tests/support/order_stories.h"

namespace shadow_orders_test {

using namespace ssdvp;
using host::shadow;
using test::sector_orders;
using test::story;
using test::story_event;
using test::story_rules;

namespace {

constexpr std::uint32_t sectors = 32; // the story happens to all of them

/// The shadow copy of a drive on which the story happens.
class copy {
public:
    copy()
    {
        m_shadow.expect_power_cuts();
        m_shadow.configure(sectors, 16, sectors);
    }
    void apply(const story_event& e)
    {
        const bool ok = e.how != sector_orders::outcome::FAILED;
        const shadow::span change = {e.slot, 0, sectors};
        const std::uint32_t flush = 8u + e.slot;
        switch (e.what) {
        case story_event::WRITE:
            m_trim[e.slot] = false;
            m_shadow.begin_write(change, m_data.data());
            break;
        case story_event::TRIM:
            m_trim[e.slot] = true;
            m_shadow.begin_trim(change);
            break;
        case story_event::END:
            if (m_trim[e.slot]) {
                m_shadow.end_trim(change, ok);
            } else {
                m_shadow.end_write(change, ok, e.how == sector_orders::outcome::DURABLE);
            }
            break;
        case story_event::FLUSH:
            m_shadow.begin_flush(flush);
            break;
        case story_event::END_FLUSH:
            m_shadow.end_flush(flush, ok);
            break;
        case story_event::READ:
            m_shadow.begin_read({15, 0, sectors}, m_data.data());
            break;
        case story_event::END_READ:
            (void)returns(15, 0, sectors, e.value);
            break;
        case story_event::FOUND:
            m_shadow.begin_read({14, 0, sectors}, m_data.data());
            (void)returns(14, 0, sectors, e.value);
            break;
        case story_event::CUT:
            m_shadow.power_lost();
            break;
        case story_event::RESET:
            m_shadow.controller_reset();
            break;
        }
    }
    /// May a read of this sector that begins and ends now find that? And the one in flight?
    bool accepts(std::uint32_t lba, std::uint32_t value)
    {
        m_shadow.begin_read({14, lba, 1}, m_data.data());
        return returns(14, lba, 1, value);
    }
    bool accepts_late(std::uint32_t value) { return returns(15, 0, sectors, value); }
    [[nodiscard]] std::uint64_t mismatches() const { return m_shadow.mismatches(); }

private:
    bool returns(std::uint32_t slot, std::uint32_t lba, std::uint32_t count, std::uint64_t version)
    {
        const std::uint64_t before = m_shadow.mismatches();
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t tag = version == 0 ? 0 : make_tag(lba + i, version);
            std::memcpy(&m_data[std::size_t{i} * sector_size], &tag, sizeof tag);
        }
        m_shadow.end_read({slot, lba, count}, m_data.data(), true);
        return m_shadow.mismatches() == before;
    }

    shadow m_shadow{data_mode::tag, "shadow", nullptr};
    std::array<unsigned char, sectors * sector_size> m_data{};
    std::array<bool, sector_orders::slots> m_trim{};
};

/// What the shadow copy can tell apart, as rules over everything that happened. Commands that
/// overlap, and what overlaps these, and so on are a group: any of it may be the last. A trim
/// promises nothing. What a cut or a reset left is settled by a read that found it while nothing
/// was in flight; what a reset left, until the next cut.
class coarse_rules {
public:
    void apply(const story_event& e)
    {
        ++m_now;
        switch (e.what) {
        case story_event::WRITE:
        case story_event::TRIM:
            m_group += m_flying++ == 0 ? 1 : 0;
            m_quiet = m_now;
            m_all.push_back({e.value, e.slot, m_group});
            break;
        case story_event::END:
            end(e);
            break;
        case story_event::FLUSH:
            m_flush = m_now;
            break;
        case story_event::END_FLUSH:
            for (version& v : m_all) {
                v.durable = v.durable || (v.acknowledged && v.ended < m_flush);
            }
            break;
        case story_event::READ:
            m_read = m_now;
            break;
        case story_event::END_READ:
            settle(e.value, m_read);
            break;
        case story_event::FOUND:
            settle(e.value, m_now);
            break;
        case story_event::CUT:
            cut();
            break;
        case story_event::RESET:
            if (m_flying != 0) {
                stop();
                m_reset = true;
            }
            break;
        }
    }
    [[nodiscard]] bool may_hold(std::uint8_t value) const
    {
        return std::any_of(m_all.begin(), m_all.end(), [&](const version& v) {
            return v.value == value && !v.hidden && !followed(v, false);
        });
    }

private:
    struct version {
        std::uint8_t value;
        std::uint8_t slot;
        std::uint32_t group;
        std::uint32_t ended = ~0u;
        bool acknowledged = false;
        bool durable = false;
        bool before = false; // the last cut or reset
        bool hidden = false; // a read after a reset found something else
    };

    [[nodiscard]] bool followed(const version& v, bool durably) const
    {
        return std::any_of(m_all.begin(), m_all.end(), [&](const version& w) {
            return w.group > v.group && (durably ? w.durable : w.acknowledged);
        });
    }
    void end(const story_event& e)
    {
        --m_flying;
        for (version& v : m_all) {
            if (v.slot == e.slot && v.ended == ~0u) {
                v.ended = m_now;
                v.acknowledged = e.how != sector_orders::outcome::FAILED && v.value != 0;
                v.durable = v.acknowledged && e.how == sector_orders::outcome::DURABLE;
                m_open = m_open && !v.acknowledged;
            }
        }
    }
    void stop()
    {
        for (version& v : m_all) {
            v.ended = std::min(v.ended, m_now);
            v.before = true;
        }
        m_flying = 0;
        m_open = true;
        m_quiet = m_now;
    }
    void cut()
    {
        std::vector<version> left;
        for (const version& v : m_all) {
            if (!followed(v, true)) {
                left.push_back(v);
            }
        }
        m_all = left;
        ++m_group;
        stop();
        m_reset = false;
        for (version& v : m_all) {
            v = {v.value, v.slot, m_group, m_now, false, false, true, false};
        }
    }
    void settle(std::uint8_t value, std::uint32_t begun)
    {
        const bool later = std::any_of(m_all.begin(), m_all.end(), [value](const version& v) {
            return !v.before && v.value == value;
        });
        if (!m_open || m_flying != 0 || begun < m_quiet || later) {
            return;
        }
        m_open = false;
        for (version& v : m_all) {
            v.hidden = v.hidden || (v.before && v.value != value);
        }
        if (!m_reset) {
            m_all.erase(std::remove_if(m_all.begin(), m_all.end(),
                                       [](const version& v) { return v.hidden; }),
                        m_all.end());
        }
    }

    std::vector<version> m_all{{0, 0, 0, 0}};
    std::uint32_t m_now = 0;
    std::uint32_t m_group = 0;
    std::size_t m_flying = 0;
    std::uint32_t m_flush = 0;
    std::uint32_t m_read = 0;
    std::uint32_t m_quiet = 0; // when something last began
    bool m_open = false;       // what the last cut or reset left is not settled
    bool m_reset = false;      // ... that was a reset
};

struct counts {
    std::uint64_t stories = 0;
    std::uint64_t exact = 0;  // points at which the shadow copy accepts what is right and no more
    std::uint64_t coarse = 0; // ... more
};

/// All that the story's end allows, each value on a sector of its own.
bool check(const std::vector<story_event>& events, const story& s, bool bounded, counts& n)
{
    copy c;
    coarse_rules rules;
    for (const story_event& e : events) {
        c.apply(e);
        rules.apply(e);
    }
    bool good = c.mismatches() == 0;
    bool exact = true;
    for (std::uint32_t v = 0; v <= s.newest() + 1u; ++v) {
        const bool right = (s.orders().now() >> v & 1u) != 0;
        const bool taken = c.accepts(v, v);
        exact = exact && right == taken;
        good = good && (taken || !right);
        good = good && (!bounded || !taken || rules.may_hold(static_cast<std::uint8_t>(v)));
    }
    ++n.stories;
    ++(exact ? n.exact : n.coarse);
    if (!good) {
        UNSCOPED_INFO("story:" << s.text());
        for (std::uint32_t v = 0; v <= s.newest() + 1u; ++v) {
            UNSCOPED_INFO("value " << v << ": right " << (s.orders().now() >> v & 1u) << ", rules "
                                   << rules.may_hold(static_cast<std::uint8_t>(v)));
        }
    }
    return good;
}

bool check_all(std::vector<story_event>& events, const story& s, std::size_t left, bool bounded,
               counts& n)
{
    if (!check(events, s, bounded, n)) {
        return false;
    }
    for (const story_event& e : left == 0 ? std::vector<story_event>() : s.possible()) {
        story next = s;
        next.apply(e);
        events.push_back(e);
        if (!check_all(events, next, left - 1, bounded, n)) {
            return false;
        }
        events.pop_back();
    }
    return true;
}

} // namespace

TEST_CASE("every short story: the shadow copy takes what is right, and no more than its rules say")
{
    story_rules rules;
    rules.flushes = 1;
    counts n;
    std::vector<story_event> events;
    CHECK(check_all(events, story(sector_orders::trims::ADVISE, rules), 4, true, n));
    INFO(n.stories << " stories, " << n.coarse << " with more than is right");
    CHECK(n.stories > 4000);
    CHECK(n.exact > n.coarse * 5);
}

TEST_CASE("long stories: the shadow copy takes what is right, and no more than its rules say")
{
    counts n;
    for (std::uint32_t seed = 0; seed < 20000; ++seed) {
        rng random(seed);
        story_rules rules;
        const bool bounded = seed % 2 == 0; // of Flushes that overlap it forgets some
        rules.flushes = bounded ? 1 : 3;
        rules.failures = seed % 3 == 0;
        story s(sector_orders::trims::ADVISE, rules);
        std::vector<story_event> events;
        for (std::size_t left = 5 + seed % 12; left > 0; --left) {
            const std::vector<story_event> all = s.possible();
            events.push_back(all[random.below(all.size())]);
            s.apply(events.back());
        }
        INFO("seed " << seed);
        REQUIRE(check(events, s, bounded, n));
    }
    CHECK(n.exact > n.coarse);
}

} // namespace shadow_orders_test
