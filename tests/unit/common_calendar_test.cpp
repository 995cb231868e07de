// SPDX-License-Identifier: Apache-2.0
//
// The calendar under the real kernel: order, and how far blocks act ahead of the kernel's time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "models/common/calendar.h"
#include "models/common/rng.h"

namespace common_calendar_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

struct seen {
    sim_time when;
    sim_time kernel; // its time
    int who;

    bool operator==(const seen& b) const
    {
        return when == b.when && kernel == b.kernel && who == b.who;
    }
};
std::vector<seen> log_of; // of the actors and the watcher

sim_time kernel_time()
{
    return sim_time::from_sc(sc_core::sc_time_stamp());
}

class actor {
public:
    explicit actor(int name) : m_name(name)
    {
        m_number = calendar::get().enrol([](void* a) { static_cast<actor*>(a)->act(); }, this);
    }
    ~actor() { calendar::get().leave(m_number); }
    actor(const actor&) = delete;
    actor& operator=(const actor&) = delete;

    void at(sim_time when) { calendar::get().set(m_number, when); }
    std::function<void()> then = [] {};

private:
    void act()
    {
        log_of.push_back({now(), kernel_time(), m_name});
        then();
    }
    int m_name;
    calendar::number m_number;
};

/// A process of the kernel's own: it says when it is woken.
class watcher : public sc_core::sc_module {
public:
    sc_core::sc_event event;
    std::function<void()> then = [] {};

    explicit watcher(const sc_core::sc_module_name& name) : sc_core::sc_module(name)
    {
        SC_HAS_PROCESS(watcher);
        SC_METHOD(look);
        sensitive << event;
        dont_initialize();
    }

private:
    void look()
    {
        log_of.push_back({now(), kernel_time(), 0});
        then();
    }
};

/// A thread that says when its alarm rings.
class sleeper : public sc_core::sc_module {
public:
    ssdvp::alarm bell;
    std::function<void()> then = [] {};

    explicit sleeper(const sc_core::sc_module_name& name) : sc_module(name)
    {
        SC_HAS_PROCESS(sleeper);
        SC_THREAD(live);
    }

private:
    void live()
    {
        for (;;) {
            calendar::get().sleep(bell);
            log_of.push_back({now(), kernel_time(), 8});
            then();
        }
    }
};

void run(sim_time t)
{
    sc_core::sc_start(t.to_sc(), sc_core::SC_RUN_TO_TIME);
}

void run_ahead(sim_time t)
{
    const calendar::ahead allowed(now() + t);
    run(t);
}

std::vector<seen> taken()
{
    std::vector<seen> log;
    log.swap(log_of);
    return log;
}

struct parts {
    actor one{1};
    actor two{2};
    actor three{3};
    watcher other{"other"};
    sleeper thread{"thread"};
};

void check_with_the_kernel(parts& p)
{
    const sim_time t = now();
    p.one.at(t + 20_ps);
    p.two.at(t + 10_ps);
    p.three.at(t + 20_ps); // the same time: who was set first acts first
    run(100_ps);
    CHECK(taken() == std::vector<seen>{{t + 10_ps, t + 10_ps, 2},
                                       {t + 20_ps, t + 20_ps, 1},
                                       {t + 20_ps, t + 20_ps, 3}});
    run(100_ps); // nobody set another time
    CHECK(taken().empty());
}

void check_set(parts& p)
{
    const sim_time t = now();
    p.one.at(t + 10_ps);
    p.two.at(t + 20_ps);
    p.three.at(t + 30_ps);
    p.one.at(t + 40_ps);  // later
    p.three.at(t + 5_ps); // earlier
    p.two.at(calendar::never);
    run(100_ps);
    CHECK(taken() == std::vector<seen>{{t + 5_ps, t + 5_ps, 3}, {t + 40_ps, t + 40_ps, 1}});
}

/// With nothing in the kernel, from the first on and up to the limit, which is not part of it.
void check_ahead(parts& p)
{
    const sim_time t = now();
    p.one.at(t + 10_ps);
    p.two.at(t + 99_ps);
    p.three.at(t + 100_ps);
    run_ahead(100_ps);
    CHECK(now() == t + 100_ps);
    CHECK(kernel_lag == sim_time());
    CHECK(taken() == std::vector<seen>{{t + 10_ps, t + 10_ps, 1}, {t + 99_ps, t + 10_ps, 2}});
    run(1_ps);
    CHECK(taken() == std::vector<seen>{{t + 100_ps, t + 100_ps, 3}});
}

/// A process that waits in the kernel is no later than those who act ahead.
void check_process(parts& p)
{
    const sim_time t = now();
    p.other.event.notify((50_ps).to_sc());
    p.one.at(t + 10_ps);
    p.two.at(t + 49_ps);
    p.three.at(t + 51_ps);
    run_ahead(200_ps);
    CHECK(taken() == std::vector<seen>{{t + 10_ps, t + 10_ps, 1},
                                       {t + 49_ps, t + 10_ps, 2},
                                       {t + 50_ps, t + 50_ps, 0},
                                       {t + 51_ps, t + 51_ps, 3}});
}

/// Nor is a thread that is notified by somebody who acts ahead. From then on it is the thread that
/// goes ahead.
void check_notify(parts& p)
{
    const sim_time t = now();
    p.one.then = [&p] { calendar::get().notify(p.thread.bell, 30_ps); };
    p.two.at(t + 10_ps);
    p.one.at(t + 20_ps);
    p.three.at(t + 49_ps);
    p.three.then = [&p, t] { p.three.at(now() < t + 51_ps ? t + 51_ps : calendar::never); };
    run_ahead(60_ps);
    CHECK(taken() == std::vector<seen>{{t + 10_ps, t + 10_ps, 2},
                                       {t + 20_ps, t + 10_ps, 1},
                                       {t + 49_ps, t + 10_ps, 3},
                                       {t + 50_ps, t + 50_ps, 8},
                                       {t + 51_ps, t + 50_ps, 3}});
    p.one.then = p.three.then = [] {};
    p.three.at(calendar::never);
}

/// A thread that sleeps again and again sees no kernel; of two alarms the earlier rings, and one
/// that rang while it was awake is over.
void check_thread(parts& p)
{
    const sim_time t = now();
    calendar::get().notify(p.thread.bell, 10_ps);
    calendar::get().notify(p.thread.bell, 30_ps);
    p.thread.then = [&p, t] {
        if (now() < t + 70_ps) {
            calendar::get().notify(p.thread.bell, 20_ps);
            p.one.at(now() + 20_ps); // the same instant: before the thread
        }
    };
    const std::uint64_t before = calendar::get().activations();
    run_ahead(60_ps);
    CHECK(now() == t + 60_ps);
    CHECK(kernel_lag == sim_time());
    CHECK(taken() == std::vector<seen>{{t + 10_ps, t + 10_ps, 8},
                                       {t + 30_ps, t + 10_ps, 1},
                                       {t + 30_ps, t + 10_ps, 8},
                                       {t + 50_ps, t + 10_ps, 1},
                                       {t + 50_ps, t + 10_ps, 8}});
    CHECK(calendar::get().activations() == before + 1); // the first waking
    run(60_ps);                                         // and with the kernel
    CHECK(taken() == std::vector<seen>{{t + 70_ps, t + 70_ps, 1}, {t + 70_ps, t + 70_ps, 8}});
    p.thread.then = [] {};
}

/// Nor does it go beyond what a process of the kernel waits for. From then on the kernel goes on,
/// until the thread is woken again.
void check_thread_limits(parts& p)
{
    const sim_time t = now();
    calendar::get().notify(p.thread.bell, 10_ps);
    p.other.event.notify((30_ps).to_sc());
    p.one.at(t + 20_ps);
    p.two.at(t + 40_ps);
    p.two.then = [] { calendar::get().pause(); };
    p.three.at(t + 41_ps);
    run_ahead(100_ps);
    CHECK(now() == t + 40_ps);
    run_ahead(100_ps);
    p.two.then = [] {};
    CHECK(taken() == std::vector<seen>{{t + 10_ps, t + 10_ps, 8},
                                       {t + 20_ps, t + 10_ps, 1},
                                       {t + 30_ps, t + 30_ps, 0},
                                       {t + 40_ps, t + 40_ps, 2},
                                       {t + 41_ps, t + 41_ps, 3}});
}

/// The kernel stops when its time is that of who asked, and when that instant has ended.
void check_pause(parts& p)
{
    const sim_time t = now();
    p.two.then = [] { calendar::get().pause(); };
    p.one.at(t + 10_ps);
    p.two.at(t + 20_ps);
    p.three.at(t + 20_ps);
    p.three.then = [&p, t] { p.three.at(t + 21_ps); };
    run_ahead(100_ps);
    CHECK(now() == t + 20_ps);
    CHECK(taken() == std::vector<seen>{{t + 10_ps, t + 10_ps, 1},
                                       {t + 20_ps, t + 10_ps, 2},
                                       {t + 20_ps, t + 10_ps, 3}});
    p.two.then = p.three.then = [] {};
    run(10_ps);
    CHECK(taken() == std::vector<seen>{{t + 21_ps, t + 21_ps, 3}});
}

/// Also when a process of the kernel's own asked, before the calendar ran in the same instant.
void check_pause_by_process(parts& p)
{
    const sim_time t = now();
    p.other.then = [] { calendar::get().pause(); };
    p.other.event.notify((20_ps).to_sc());
    p.one.at(t + 20_ps);
    p.two.at(t + 21_ps);
    run_ahead(100_ps);
    CHECK(now() == t + 20_ps);
    run_ahead(100_ps);
    p.other.then = [] {};
    std::vector<seen> log = taken();
    std::sort(log.begin(), log.end(), [](const seen& a, const seen& b) { return a.who < b.who; });
    CHECK(log == std::vector<seen>{{t + 20_ps, t + 20_ps, 0},
                                   {t + 20_ps, t + 20_ps, 1},
                                   {t + 21_ps, t + 21_ps, 2}});
}

void check_leave()
{
    auto gone = std::make_unique<actor>(9);
    gone->at(now() + 5_ps);
    gone.reset();
    run(10_ps);
    CHECK(taken().empty());
}

/// Against a sorted list: some set themselves again, some set others.
void check_random(bool ahead)
{
    rng random(7);
    constexpr int actors = 50;
    std::vector<std::unique_ptr<actor>> all;
    std::vector<sim_time> due(actors, calendar::never);
    const sim_time end = now() + 5000_ps;
    const auto set = [&](int i, sim_time when) {
        due[static_cast<std::size_t>(i)] = when;
        all[static_cast<std::size_t>(i)]->at(when);
    };
    int wrong = 0;
    for (int i = 0; i < actors; ++i) {
        all.push_back(std::make_unique<actor>(i));
        all.back()->then = [&, i] {
            wrong += due[static_cast<std::size_t>(i)] == now() &&
                             now() == *std::min_element(due.begin(), due.end())
                         ? 0
                         : 1;
            due[static_cast<std::size_t>(i)] = calendar::never;
            for (int k = 0; k < 2; ++k) {
                const auto which = static_cast<int>(random.below(actors));
                set(which,
                    random.chance(0.2) ? calendar::never : now() + sim_time(random.below(200)));
            }
        };
    }
    for (int i = 0; i < actors; ++i) {
        set(i, now() + sim_time(random.below(100)));
    }
    while (now() < end) {
        ahead ? run_ahead(100_ps) : run(100_ps);
    }
    CHECK(wrong == 0);
    CHECK(taken().size() > 100);
}

} // namespace

TEST_CASE("the calendar runs each block at its time, and ahead where nobody can see it",
          "[calendar]")
{
    parts p;
    run(1_ps);
    check_with_the_kernel(p);
    check_set(p);
    check_ahead(p);
    check_process(p);
    check_notify(p);
    check_thread(p);
    check_thread_limits(p);
    check_pause(p);
    check_pause_by_process(p);
    check_leave();
    check_random(false);
    check_random(true);
}

} // namespace common_calendar_test
