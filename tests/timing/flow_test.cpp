// SPDX-License-Identifier: Apache-2.0
//
// Attribution by flow, on graphs worked by hand: whatever a run's counts are, the weights must give
// the instructions that it executed.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tools/fwtime/basis.h"
#include "tools/fwtime/flow.h"
#include "tools/fwtime/telling.h"

using namespace fwtime;

namespace {

flow_block block(double instructions, std::vector<unsigned> markers, std::vector<unsigned> next,
                 std::vector<bool> taken = {})
{
    flow_block b;
    b.cost.assign(CLASS_COUNT, 0.0);
    b.cost[CLASS_ALU] = instructions;
    b.markers = std::move(markers);
    b.taken = taken.empty() ? std::vector<bool>(next.size(), false) : std::move(taken);
    b.leaves = next.empty();
    b.next = std::move(next);
    return b;
}

double cost(const flow_solution& s, const std::vector<double>& counts, cost_class c = CLASS_ALU)
{
    double sum = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        sum += s.weight[k][c] * counts[k];
    }
    return sum;
}

} // namespace

TEST_CASE("flow: each block of a diamond keeps its own")
{
    const auto s = solve_flow(
        {block(3, {0}, {1, 2}), block(5, {1}, {3}), block(7, {2}, {3}), block(2, {3}, {})}, 4,
        CLASS_COUNT);
    CHECK(s.worst < 1e-9);
    CHECK(cost(s, {10, 4, 6, 10}) == Approx(10 * 3 + 4 * 5 + 6 * 7 + 10 * 2));
}

TEST_CASE("flow: an arm without a marker is what its neighbours leave")
{
    const auto s = solve_flow(
        {block(3, {0}, {1, 2}), block(5, {1}, {3}), block(7, {}, {3}), block(2, {2}, {})}, 3,
        CLASS_COUNT);
    CHECK(s.worst < 1e-9);
    CHECK(cost(s, {10, 4, 10}) == Approx(10 * 3 + 4 * 5 + 6 * 7 + 10 * 2));
    CHECK(s.weight[1][CLASS_ALU] < s.weight[0][CLASS_ALU]); // the arm with 5 saves the one with 7
}

TEST_CASE("flow: a loop whose latch was split off counts it once per round but the last")
{
    // Entry, body with the marker, latch without one: back to the body or out.
    const auto s = solve_flow(
        {block(4, {0}, {1}), block(6, {1}, {2, 3}), block(2, {}, {1}), block(1, {2}, {})}, 3,
        CLASS_COUNT);
    CHECK(s.worst < 1e-9);
    CHECK(cost(s, {1, 100, 1}) == Approx(4 + 100 * 6 + 99 * 2 + 1));
    CHECK(cost(s, {2, 2, 2}) == Approx(2 * 4 + 2 * 6 + 0 * 2 + 2));
}

TEST_CASE("flow: a select that became a branch costs the mean of its arms")
{
    // Nothing tells how often the block in the middle runs.
    const auto s =
        solve_flow({block(3, {0}, {1, 2}), block(4, {}, {2}), block(1, {}, {})}, 1, CLASS_COUNT);
    CHECK(s.worst > 0.5);
    CHECK(s.weight[0][CLASS_ALU] > 4);
    CHECK(s.weight[0][CLASS_ALU] < 8);
}

TEST_CASE("flow: an epilogue that two returns share")
{
    const auto s = solve_flow(
        {block(2, {0}, {1, 2}), block(5, {1}, {3}), block(1, {2}, {3}), block(6, {}, {})}, 3,
        CLASS_COUNT);
    CHECK(s.worst < 1e-9);
    CHECK(cost(s, {9, 2, 7}) == Approx(9 * 2 + 2 * 5 + 7 * 1 + 9 * 6));
}

TEST_CASE("flow: a block that the code generator duplicated costs what each copy costs")
{
    // The join, marker 3, stands at the end of both arms.
    const auto s = solve_flow({block(2, {0}, {1, 2}), block(5, {1, 3}, {}), block(9, {2, 3}, {})},
                              4, CLASS_COUNT);
    CHECK(s.worst < 1e-9);
    CHECK(cost(s, {10, 3, 7, 10}) == Approx(10 * 2 + 3 * 5 + 7 * 9));
}

TEST_CASE("flow: branches taken are counted by edge")
{
    const auto s =
        solve_flow({block(1, {0}, {1, 2}, {false, true}), block(1, {1}, {2}), block(1, {2}, {})}, 3,
                   CLASS_COUNT);
    CHECK(cost(s, {10, 4, 10}, CLASS_TAKEN) == Approx(6));
}

namespace {

std::size_t counted(const block_basis& b)
{
    return static_cast<std::size_t>(std::count(b.counted.begin(), b.counted.end(), true));
}

/// The block's count, of those that are counted.
double told(const block_basis& b, unsigned block, const std::vector<double>& counts)
{
    double sum = 0;
    for (const auto& [from, times] : b.from[block]) {
        CHECK(b.counted[from]);
        sum += times * counts[from];
    }
    return sum;
}

} // namespace

TEST_CASE("basis: of a diamond the entry and one arm are counted")
{
    const auto b = choose_counted({{{1, 2}}, {{3}}, {{3}}, {{}}});
    CHECK(b.counted == std::vector<bool>{true, true, false, false});
    CHECK(told(b, 2, {10, 4, 6, 10}) == 6);
    CHECK(told(b, 3, {10, 4, 6, 10}) == 10);
}

TEST_CASE("basis: a loop with a break is counted by rounds and by how it ends")
{
    // entry -> body; body -> latch, out by break; latch -> body, out.
    const auto b = choose_counted({{{1}}, {{2, 3}}, {{1, 3}}, {{}}});
    CHECK(counted(b) == 3);
    CHECK(told(b, 3, {1, 10, 9, 1}) == 1);
}

TEST_CASE("basis: an assertion that fails ends all, and costs nothing to watch")
{
    // entry -> next or failure; next -> out.
    const auto b = choose_counted({{{1, 2}}, {{3}}, {{}, true}, {{}}});
    CHECK(b.counted == std::vector<bool>{true, false, false, false});
    CHECK(told(b, 1, {10, 10, 0, 10}) == 10);
    CHECK(told(b, 3, {10, 10, 0, 10}) == 10);
    CHECK(b.from[2].empty());
}

TEST_CASE("basis: what cannot be reached is never counted, and never ran")
{
    const auto b = choose_counted({{{1}}, {{}}, {{1}}});
    CHECK(counted(b) == 1);
    CHECK(b.from[2].empty());
    CHECK(told(b, 1, {5, 5, 0}) == 5);
}

namespace {

using edges = std::vector<std::pair<unsigned, unsigned>>;

telling_block place(std::vector<unsigned> next, event first, event last)
{
    return {std::move(next), first, last, true};
}

constexpr event none = event::none;
constexpr event spend = event::spend;
constexpr event tell = event::tell;

} // namespace

TEST_CASE("telling: an arm that spends tells before it meets one that does not")
{
    // entry calls somebody -> arm, or not -> return.
    std::vector<telling_block> b{place({1, 2}, spend, tell), place({2}, spend, spend),
                                 place({}, tell, tell)};
    CHECK(place_telling(b).early == edges{{1, 2}});
    CHECK(place_telling(b).pending == std::vector<bool>{false, false, false});
    b[1].splits = false; // nothing may be put there: whoever returns tells, whatever way it came
    CHECK(place_telling(b).early.empty());
    CHECK(place_telling(b).pending == std::vector<bool>{false, false, true});
}

TEST_CASE("telling: an arm tells nothing early where another's spending is told all the same")
{
    // entry calls somebody -> arm, or one that can tell nothing on its edge, or neither -> return.
    std::vector<telling_block> b{place({1, 2, 3}, spend, tell), place({3}, spend, spend),
                                 place({3}, spend, spend), place({}, tell, tell)};
    CHECK(place_telling(b).early == edges{{1, 3}, {2, 3}});
    b[2].splits = false;
    CHECK(place_telling(b).early.empty());
    CHECK(place_telling(b).pending == std::vector<bool>{false, false, false, true});
}

TEST_CASE("telling: what has been spent on each way is told once, where they have met")
{
    const std::vector<telling_block> b{place({1, 2}, spend, spend), place({2}, spend, spend),
                                       place({}, tell, tell)};
    CHECK(place_telling(b).early.empty());
    CHECK(place_telling(b).pending == std::vector<bool>{false, true, true});
}

TEST_CASE("telling: who will spend more tells it with that")
{
    // The block behind the arm is counted itself.
    std::vector<telling_block> b{place({1, 2}, spend, tell), place({2}, spend, spend),
                                 place({}, spend, tell)};
    CHECK(place_telling(b).early.empty());
    b[2] = place({3, 4}, none, none); // as is one of those that may follow
    b.push_back(place({4}, spend, spend));
    b.push_back(place({}, tell, tell));
    CHECK(place_telling(b).early.empty()); // nor 3 to 4, which tells whatever comes
    CHECK(place_telling(b).pending == std::vector<bool>{false, false, true, true, true});
}

TEST_CASE("telling: in a loop that calls nothing all is told behind it")
{
    const std::vector<telling_block> b{place({1}, spend, tell), place({1, 2}, spend, spend),
                                       place({}, tell, tell)};
    CHECK(place_telling(b).early.empty());
    CHECK(place_telling(b).pending == std::vector<bool>{false, true, true});
}

TEST_CASE("telling: what is told on one edge makes the next meeting plain")
{
    // 0 -> 1 spends -> 3, 0 -> 2 -> 3; 3 -> 4 returns. Both meet in 3, which does nothing.
    const std::vector<telling_block> b{place({1, 2}, tell, tell), place({3}, spend, spend),
                                       place({3}, none, none), place({4}, none, none),
                                       place({}, tell, tell)};
    CHECK(place_telling(b).early == edges{{1, 3}});
    CHECK(place_telling(b).pending == std::vector<bool>(5, false));
}
