// SPDX-License-Identifier: Apache-2.0
//
// The timed queue under the real kernel: order, wake-ups at the right picosecond and no more of
// them than needed. One test case, because a process elaborates once.
#include <catch2/catch.hpp>
#include <vector>

#include "models/common/block.h"
#include "models/common/rng.h"
#include "models/common/timed_queue.h"

namespace common_timed_queue_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

class consumer : public block {
public:
    struct seen {
        sim_time when;
        int entry;
    };

    explicit consumer(const sc_core::sc_module_name& name) : block(name)
    {
        m_queue.wakes<&consumer::serve>(*this);
    }

    timed_queue<int>& queue() { return m_queue; }
    /// What somebody who looks asks for.
    void catch_up()
    {
        int entry = 0;
        sim_time when;
        while (m_queue.pop_late(entry, when)) {
            log.push_back({when, entry});
        }
    }
    std::vector<seen> log;
    int push_back = 0; // an entry that makes serve() push once more, at once and later

private:
    void serve()
    {
        activated();
        int entry = 0;
        sim_time when;
        while (m_queue.pop_due(entry, when)) {
            log.push_back({when, entry});
            if (entry == push_back && entry != 0) {
                push_back = 0;
                m_queue.push(now(), entry + 1);
                m_queue.push(now() + 5_ps, entry + 2);
            }
        }
    }

    timed_queue<int> m_queue;
};

void expect(const std::vector<consumer::seen>& log, const std::vector<consumer::seen>& wanted)
{
    REQUIRE(log.size() == wanted.size());
    for (std::size_t i = 0; i < log.size(); ++i) {
        CAPTURE(i);
        CHECK(log[i].when == wanted[i].when);
        CHECK(log[i].entry == wanted[i].entry);
    }
}

void run(sim_time t)
{
    sc_core::sc_start(t.to_sc());
}

void check_order(consumer& c)
{
    const sim_time t = now();
    c.queue().push(t + 30_ps, 3);
    c.queue().push(t + 10_ps, 1); // earlier than what the event is armed for
    c.queue().push(t + 30_ps, 4); // same time: order of insertion
    c.queue().push(t + 20_ps, 2);
    CHECK(c.queue().size() == 4);
    CHECK_FALSE(c.queue().due());
    const std::uint64_t before = c.activations();
    run(19_ps);
    expect(c.log, {{t + 10_ps, 1}});
    run(100_ps);
    expect(c.log, {{t + 10_ps, 1}, {t + 20_ps, 2}, {t + 30_ps, 3}, {t + 30_ps, 4}});
    CHECK(c.activations() - before == 3); // one for each distinct time
    CHECK(c.queue().empty());
    c.log.clear();
}

void check_push_while_serving(consumer& c)
{
    const sim_time t = now();
    c.push_back = 10;
    c.queue().push(t + 1_ps, 10);
    run(100_ps);
    expect(c.log, {{t + 1_ps, 10}, {t + 1_ps, 11}, {t + 6_ps, 12}});
    c.log.clear();
}

void check_clear(consumer& c)
{
    c.queue().push(now() + 10_ps, 1);
    c.queue().clear();
    const std::uint64_t before = c.activations();
    run(100_ps);
    CHECK(c.log.empty());
    CHECK(c.activations() == before); // not even woken
    c.queue().push(now(), 5);         // and alive
    CHECK(c.queue().due());
    run(1_ps);
    REQUIRE(c.log.size() == 1);
    CHECK(c.log[0].entry == 5);
    c.log.clear();
}

void check_random(consumer& c)
{
    rng random(1);
    const sim_time t = now();
    std::vector<consumer::seen> wanted;
    for (int i = 0; i < 2000; ++i) {
        const sim_time when = t + sim_time(random.below(500));
        wanted.push_back({when, i});
        c.queue().push(when, i);
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const auto& a, const auto& b) { return a.when < b.when; });
    run(1000_ps);
    expect(c.log, wanted);
    c.log.clear();
}

/// Someone else empties the queue at the instant at which the owner is about to be woken: a later
/// entry must not take the notification that is still pending for that instant.
void check_taken_by_another(consumer& c)
{
    const sim_time t = now();
    int entry = 0;
    c.queue().push(t, 1);
    REQUIRE(c.queue().pop_due(entry));
    REQUIRE_FALSE(c.queue().pop_due(entry));
    c.queue().push(t + 7_ps, 2);
    const std::uint64_t before = c.activations();
    run(100_ps);
    expect(c.log, {{t + 7_ps, 2}});
    CHECK(c.activations() - before == 1);
    c.log.clear();
}

/// Each of many later entries keeps its notification while earlier ones come and go.
void check_earlier_between(consumer& c)
{
    const sim_time t = now();
    const std::uint64_t before = c.activations();
    std::vector<consumer::seen> wanted;
    c.queue().push(t + 1000_ps, 99);
    for (int i = 1; i <= 20; ++i) {
        c.queue().push(t + 10_ps * static_cast<unsigned>(i), i);
        wanted.push_back({t + 10_ps * static_cast<unsigned>(i), i});
        run(10_ps);
    }
    wanted.push_back({t + 1000_ps, 99});
    run(1000_ps);
    expect(c.log, wanted);
    CHECK(c.activations() - before == 21);
    c.log.clear();
}

/// Late entries keep their places and their times, and cost no activation.
void check_late(consumer& c)
{
    const sim_time t = now();
    const std::uint64_t before = c.activations();
    c.queue().heed_late(false);
    CHECK(c.queue().first_late() == timed_queue<int>::never);
    c.queue().push_late(t + 20_ps, 2);
    c.queue().push_late(t + 10_ps, 1);
    c.queue().push(t + 30_ps, 3);
    c.queue().push_late(t + 40_ps, 4);
    CHECK(c.queue().first_late() == t + 10_ps);
    run(9_ps);
    c.catch_up();
    CHECK(c.log.empty());
    run(1_ps);
    c.catch_up(); // what is due, and no more
    expect(c.log, {{t + 10_ps, 1}});
    CHECK(c.queue().first_late() == t + 20_ps);
    run(90_ps); // the entry at 30 ps takes the one before it along
    expect(c.log, {{t + 10_ps, 1}, {t + 20_ps, 2}, {t + 30_ps, 3}});
    CHECK(c.activations() - before == 1);
    c.catch_up();
    expect(c.log, {{t + 10_ps, 1}, {t + 20_ps, 2}, {t + 30_ps, 3}, {t + 40_ps, 4}});
    CHECK(c.queue().empty());
    c.log.clear();
}

/// One that wakes the owner at this very instant comes first, and by the owner's hand.
void check_late_behind_other(consumer& c)
{
    const sim_time t = now();
    c.queue().push(t, 1);
    c.queue().push_late(t, 2);
    c.catch_up();
    CHECK(c.log.empty());
    run(1_ps);
    expect(c.log, {{t, 1}, {t, 2}});
    c.log.clear();
}

/// From the moment that somebody waits for them they wake the owner, those that are overdue at
/// once.
void check_late_heeded(consumer& c)
{
    const sim_time t = now();
    c.queue().push_late(t + 10_ps, 1);
    c.queue().push_late(t + 50_ps, 2);
    run(20_ps);
    CHECK(c.log.empty());
    const std::uint64_t before = c.activations();
    c.queue().heed_late(true);
    CHECK(c.queue().first_late() == timed_queue<int>::never);
    c.queue().push_late(t + 40_ps, 3);
    run(10_ps);
    expect(c.log, {{t + 10_ps, 1}});
    run(100_ps);
    expect(c.log, {{t + 10_ps, 1}, {t + 40_ps, 3}, {t + 50_ps, 2}});
    CHECK(c.activations() - before == 3);
    c.log.clear();
}

} // namespace

TEST_CASE("the timed queue wakes its owner for each entry at its time, in order", "[timed_queue]")
{
    consumer c("consumer");
    run(1_ps);
    CHECK(c.activations() == 0); // nothing due: not woken
    check_order(c);
    check_push_while_serving(c);
    check_clear(c);
    check_random(c);
    check_taken_by_another(c);
    check_earlier_between(c);
    check_late(c);
    check_late_behind_other(c);
    check_late_heeded(c);
    int entry = 0;
    CHECK_FALSE(c.queue().pop_due(entry));
}

} // namespace common_timed_queue_test
