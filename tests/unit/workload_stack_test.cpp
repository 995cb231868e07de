// SPDX-License-Identifier: Apache-2.0
//
// The LRU stack model: its stack against a list, its laws against their sums.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <list>
#include <numeric>
#include <set>
#include <unordered_map>
#include <vector>

#include "models/host/workload/live_slots.h"
#include "models/host/workload/lru_stack.h"
#include "models/host/workload/pattern.h"

namespace workload_stack_test {

using namespace ssdvp;
using namespace ssdvp::host;

namespace {

stream_config stack_stream(pattern_kind kind = pattern_kind::lru)
{
    stream_config s;
    s.name = "s";
    s.pattern = kind;
    return s;
}

/// The cache that the model is an oracle for.
class lru_cache {
public:
    explicit lru_cache(std::size_t capacity) : m_capacity(capacity) {}
    bool hit(std::uint64_t block)
    {
        const auto it = m_where.find(block);
        const bool found = it != m_where.end();
        if (found) {
            m_order.erase(it->second);
        } else if (m_order.size() == m_capacity) {
            m_where.erase(m_order.back());
            m_order.pop_back();
        }
        m_order.push_front(block);
        m_where[block] = m_order.begin();
        return found;
    }

private:
    std::size_t m_capacity;
    std::list<std::uint64_t> m_order;
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> m_where;
};

constexpr int measured = 400000;

/// Hit ratio of an LRU cache of c entries, once it is full of what was accessed last.
double hit_ratio(const stream_config& s, std::uint64_t blocks, std::size_t c)
{
    const auto p = make_pattern(s, blocks);
    rng random(17);
    lru_cache cache(c);
    for (int i = 0; i < measured; ++i) {
        cache.hit(p->next(random));
    }
    double hits = 0;
    for (int i = 0; i < measured; ++i) {
        hits += cache.hit(p->next(random)) ? 1 : 0;
    }
    return hits / measured;
}

/// P(d <= c) of weights w(1)..w(n).
double share(std::uint64_t n, std::uint64_t c, const std::function<double(double)>& weight)
{
    double all = 0;
    double inside = 0;
    for (std::uint64_t d = 1; d <= n; ++d) {
        all += weight(static_cast<double>(d));
        inside += d <= c ? weight(static_cast<double>(d)) : 0;
    }
    return inside / all;
}

} // namespace

TEST_CASE("live slots: the k-th live one, against a plain list")
{
    for (const std::uint64_t slots : {1ull, 63ull, 64ull, 511ull, 512ull, 513ull, 5000ull}) {
        live_slots s;
        s.assign(slots, slots - slots / 3);
        std::set<std::uint64_t> plain;
        for (std::uint64_t i = 0; i < slots - slots / 3; ++i) {
            plain.insert(i);
        }
        rng random(slots);
        for (int step = 0; step < 500; ++step) {
            const std::uint64_t slot = random.below(slots);
            REQUIRE(s.contains(slot) == (plain.count(slot) != 0));
            if (plain.erase(slot) != 0) {
                s.erase(slot);
            } else {
                plain.insert(slot);
                s.insert(slot);
            }
            REQUIRE(s.live() == plain.size());
            if (!plain.empty()) {
                const std::uint64_t k = random.below(plain.size());
                REQUIRE(s.find(k) == *std::next(plain.begin(), static_cast<std::ptrdiff_t>(k)));
            }
        }
    }
}

TEST_CASE("the stack does what a list with move to front does, through many packings")
{
    const std::uint64_t n = 3000;
    lru_stack stack(n);
    stack.shuffle(99);
    std::vector<std::uint64_t> plain(n);
    const scatter order(n, 99);
    for (std::uint64_t i = 0; i < n; ++i) {
        plain[i] = order(i);
    }
    rng random(1);
    for (int i = 0; i < 60000; ++i) {
        const std::uint64_t depth = i % 3 == 0 ? n - random.below(5) : 1 + random.below(n);
        const auto at = plain.begin() + static_cast<std::ptrdiff_t>(depth - 1);
        const std::uint64_t block = *at;
        std::rotate(plain.begin(), at, at + 1);
        REQUIRE(stack.touch(depth) == block);
    }
}

TEST_CASE("a stack of one block, and the deepest one in its turn")
{
    lru_stack one(1);
    CHECK(one.touch(1) == 0);
    CHECK(one.touch(1) == 0);
    // Always the deepest: every block once before any comes again.
    lru_stack stack(700);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 700; ++i) {
        seen.insert(stack.touch(700));
    }
    CHECK(seen.size() == 700);
    CHECK(*seen.rbegin() == 699);
}

TEST_CASE("lru by the power law: an LRU cache of c entries hits with P(d <= c)")
{
    const std::uint64_t n = 4000;
    stream_config s = stack_stream();
    for (const double exponent : {0.0, 0.5, 1.0, 1.5}) {
        s.lru_exponent = exponent;
        for (const std::uint64_t c : {40ull, 400ull, 2000ull}) {
            const double law = share(n, c, [&](double d) { return std::pow(d, -exponent); });
            INFO("exponent " << exponent << ", " << c << " entries");
            CHECK(hit_ratio(s, n, c) == Approx(law).margin(0.0015).epsilon(0.01));
        }
    }
}

TEST_CASE("lru by the geometric law: an LRU cache of c entries hits with P(d <= c)")
{
    const std::uint64_t n = 1000;
    stream_config s = stack_stream();
    s.lru_law = stack_law::geometric;
    for (const double mean : {20.0, 300.0, 1e9}) { // the last one is cut: all but uniform
        s.lru_mean_depth = mean;
        for (const std::uint64_t c : {10ull, 100ull, 600ull}) {
            const double law = share(n, c, [&](double d) { return std::pow(1 - 1 / mean, d); });
            INFO("mean depth " << mean << ", " << c << " entries");
            CHECK(hit_ratio(s, n, c) == Approx(law).margin(0.0015).epsilon(0.01));
        }
    }
}

TEST_CASE("a steeper law finds more in the same cache")
{
    stream_config s = stack_stream();
    double before = 0;
    for (const double exponent : {0.0, 0.4, 0.8, 1.2}) {
        s.lru_exponent = exponent;
        const double now = hit_ratio(s, 2000, 100);
        CHECK(now > before);
        before = now;
    }
    s.lru_law = stack_law::geometric;
    before = 1;
    for (const double mean : {30.0, 100.0, 300.0}) {
        s.lru_mean_depth = mean;
        const double now = hit_ratio(s, 2000, 100);
        CHECK(now < before);
        before = now;
    }
}

TEST_CASE("hclru: the shares of its parts, and the law inside each")
{
    const std::uint64_t n = 1000;
    stream_config s = stack_stream(pattern_kind::hclru);
    s.hot_fraction = 0.3;
    s.hot_probability = 0.9;
    const auto p = make_pattern(s, n);
    rng random(2);
    lru_cache hot(30);
    lru_cache cold(70);
    double to_hot = 0;
    double hot_hits = 0;
    double cold_hits = 0;
    const int draws = 1000000;
    for (int i = 0; i < draws; ++i) {
        const std::uint64_t block = p->next(random);
        REQUIRE(block < n);
        to_hot += block < 300 ? 1 : 0;
        hot_hits += block < 300 && hot.hit(block) ? 1 : 0;
        cold_hits += block >= 300 && cold.hit(block) ? 1 : 0;
    }
    const auto harmonic = [](double d) { return 1 / d; };
    CHECK(to_hot / draws == Approx(0.9).margin(0.002));
    CHECK(hot_hits / to_hot == Approx(share(300, 30, harmonic)).epsilon(0.01));
    CHECK(cold_hits / (draws - to_hot) == Approx(share(700, 70, harmonic)).epsilon(0.01));
}

TEST_CASE("hclru: more in the hot part, and a smaller one, find more in the same cache")
{
    stream_config s = stack_stream(pattern_kind::hclru);
    const auto hits = [&](double fraction, double probability) {
        s.hot_fraction = fraction;
        s.hot_probability = probability;
        return hit_ratio(s, 2000, 100);
    };
    CHECK(hits(0.2, 0.95) > hits(0.2, 0.5));
    CHECK(hits(0.05, 0.8) > hits(0.4, 0.8));
    s.hot_fraction = 1.0;
    s.hot_probability = 0.0;
    rng random(1);
    CHECK(make_pattern(s, 4)->next(random) == 3); // cold: the last block
    CHECK(make_pattern(s, 1)->next(random) == 0);
}

TEST_CASE("the first stack is another permutation for each seed, and the same for the same one")
{
    for (const pattern_kind kind : {pattern_kind::lru, pattern_kind::hclru}) {
        const auto draws = [&](std::uint64_t seed) {
            const auto p = make_pattern(stack_stream(kind), 1ull << 20);
            rng random(seed);
            std::vector<std::uint64_t> all(1000);
            for (std::uint64_t& block : all) {
                block = p->next(random);
            }
            return all;
        };
        CHECK(draws(1) == draws(1));
        CHECK(draws(1) != draws(2));
    }
    const auto top = [](std::uint64_t key) {
        lru_stack s(1000);
        s.shuffle(key);
        return s.touch(1);
    };
    std::set<std::uint64_t> tops;
    for (std::uint64_t key = 0; key < 200; ++key) {
        tops.insert(top(key));
    }
    CHECK(tops.size() > 150); // 181 are expected of 200 throws into 1000
}

TEST_CASE("lru over 2^26 blocks: draws are quick and all of the range is reached")
{
    const std::uint64_t n = 1ull << 26;
    stream_config s = stack_stream();
    s.lru_exponent = 0.0; // the worst for the stack: hardly any block is touched twice
    const auto p = make_pattern(s, n);
    rng random(4);
    double sum = 0;
    const int draws = 300000;
    for (int i = 0; i < draws; ++i) {
        const std::uint64_t block = p->next(random);
        REQUIRE(block < n);
        sum += static_cast<double>(block);
    }
    CHECK(sum / draws / static_cast<double>(n) == Approx(0.5).margin(0.005));
}

} // namespace workload_stack_test
