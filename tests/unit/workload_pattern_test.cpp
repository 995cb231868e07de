// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "models/common/real_functions.h"
#include "models/host/workload/pattern.h"
#include "models/host/workload/stream_source.h"
#include "models/host/workload/zipf.h"

namespace workload_pattern_test {

using namespace ssdvp;
using namespace ssdvp::host;
using namespace ssdvp::literals;

namespace {

/// Chi-square of counts against probabilities.
double chi_square(const std::vector<double>& counts, const std::vector<double>& p, double n)
{
    double x = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        x += (counts[i] - n * p[i]) * (counts[i] - n * p[i]) / (n * p[i]);
    }
    return x;
}

/// 99.9 % quantile of chi-square (Wilson and Hilferty).
double chi_limit(double k)
{
    const double t = 1.0 - 2.0 / (9.0 * k) + 3.09 * std::sqrt(2.0 / (9.0 * k));
    return k * t * t * t;
}

std::vector<double> zipf_law(std::size_t n, double s)
{
    std::vector<double> p(n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        p[i] = std::pow(static_cast<double>(i + 1), -s);
        total += p[i];
    }
    for (double& x : p) {
        x /= total;
    }
    return p;
}

stream_config stream()
{
    stream_config s;
    s.name = "s";
    return s;
}

std::vector<request> take(const stream_config& s, std::size_t count, std::uint64_t seed = 1,
                          std::uint64_t capacity = 1u << 20)
{
    stream_source source(s, 0, capacity, seed);
    std::vector<request> all(count);
    for (request& r : all) {
        REQUIRE(source.next(sim_time(), r));
    }
    return all;
}

} // namespace

TEST_CASE("zipf ranks follow the law, whatever the exponent")
{
    for (const double s : {0.5, 0.99, 1.0, 1.2, 2.0}) {
        const std::size_t n = 100;
        const double draws = 400000;
        const zipf_ranks ranks(n, s);
        rng random(7);
        std::vector<double> counts(n, 0);
        for (int i = 0; i < static_cast<int>(draws); ++i) {
            const std::uint64_t k = ranks.next(random);
            REQUIRE((k >= 1 && k <= n));
            counts[k - 1] += 1;
        }
        INFO("exponent " << s);
        CHECK(chi_square(counts, zipf_law(n, s), draws) < chi_limit(n - 1));
        // The test can fail: another exponent is told apart.
        CHECK(chi_square(counts, zipf_law(n, s + 0.05), draws) > chi_limit(n - 1));
    }
}

namespace {

/// Rejection-inversion as the paper has it, each draw by the functions.
class ranks_by_functions {
public:
    ranks_by_functions(std::uint64_t n, double s)
        : m_n(static_cast<double>(n)), m_s(s), m_first(integral(1.5) - 1.0),
          m_last(integral(m_n + 0.5)), m_shift(2.0 - inverse(integral(2.5) - density(2.0)))
    {}
    std::uint64_t next(rng& random) const
    {
        for (;;) {
            const double u = m_last + random.real() * (m_first - m_last);
            const double x = inverse(u);
            const double k = std::min(std::max(std::floor(x + 0.5), 1.0), m_n);
            if (k - x <= m_shift || u >= integral(k + 0.5) - density(k)) {
                return static_cast<std::uint64_t>(k);
            }
        }
    }

private:
    [[nodiscard]] double density(double x) const { return portable_exp(-m_s * portable_log(x)); }
    [[nodiscard]] double integral(double x) const
    {
        const double l = portable_log(x);
        const double t = (1.0 - m_s) * l;
        return l * (std::fabs(t) > 1e-8 ? portable_expm1(t) / t : 1.0 + t * 0.5 * (1.0 + t / 3.0));
    }
    [[nodiscard]] double inverse(double y) const
    {
        const double t = std::max(y * (1.0 - m_s), -1.0);
        return portable_exp(
            y * (std::fabs(t) > 1e-8 ? portable_log1p(t) / t : 1.0 - t * (0.5 - t / 3.0)));
    }

    double m_n, m_s, m_first, m_last, m_shift;
};

} // namespace

TEST_CASE("zipf ranks are those of the functions that the polynomials stand for")
{
    for (const double s : {0.0, 0.2, 0.9, 0.99, 1.0, 1.000001, 1.2, 2.0, 20.0}) {
        for (const std::uint64_t n :
             {1ull, 2ull, 3ull, 100ull, 65536ull, 30000000ull, 1000000000000ull}) {
            const zipf_ranks ranks(n, s);
            const ranks_by_functions exact(n, s);
            rng a(5);
            rng b(5);
            int others = 0;
            for (int i = 0; i < 20000; ++i) {
                others += ranks.next(a) != exact.next(b) ? 1 : 0;
            }
            INFO("exponent " << s << ", " << n << " blocks");
            CHECK(others == 0);
        }
    }
}

TEST_CASE("zipf with exponent 0 is uniform, and ranges of one and two blocks work")
{
    rng random(3);
    const zipf_ranks flat(10, 0.0);
    std::vector<double> counts(10, 0);
    for (int i = 0; i < 100000; ++i) {
        counts[flat.next(random) - 1] += 1;
    }
    CHECK(chi_square(counts, zipf_law(10, 0.0), 100000) < chi_limit(9));
    const zipf_ranks one(1, 0.99);
    CHECK(one.next(random) == 1);
    const zipf_ranks two(2, 1.0);
    double first = 0;
    for (int i = 0; i < 30000; ++i) {
        first += two.next(random) == 1 ? 1 : 0;
    }
    CHECK(first / 30000 == Approx(2.0 / 3.0).margin(0.01));
}

TEST_CASE("zipf over 10^9 blocks: the head of the law and its bulk")
{
    const std::uint64_t n = 1000000000;
    const double s = 0.99;
    const zipf_ranks ranks(n, s);
    rng random(11);
    // Normaliser: sum to 1000 exactly, the rest by Euler and Maclaurin.
    double total = 0;
    double thousand = 0;
    for (int k = 1; k <= 1000; ++k) {
        total += std::pow(k, -s);
        thousand = total;
    }
    auto h = [&](double x) { return std::pow(x, 1 - s) / (1 - s); };
    total += h(static_cast<double>(n) + 0.5) - h(1000.5);
    const int draws = 500000;
    double first = 0;
    double in_thousand = 0;
    for (int i = 0; i < draws; ++i) {
        const std::uint64_t k = ranks.next(random);
        first += k == 1 ? 1 : 0;
        in_thousand += k <= 1000 ? 1 : 0;
    }
    CHECK(first / draws == Approx(1.0 / total).epsilon(0.03));
    CHECK(in_thousand / draws == Approx(thousand / total).epsilon(0.01));
}

TEST_CASE("scatter is one to one")
{
    for (const std::uint64_t n : {1ull, 2ull, 3ull, 5ull, 64ull, 1000ull, 4097ull}) {
        const scatter map(n);
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < n; ++i) {
            const std::uint64_t to = map(i);
            REQUIRE(to < n);
            seen.insert(to);
        }
        CHECK(seen.size() == n);
    }
    // Popular ranks are not neighbours: of the first thousand in 10^9 none lie side by side.
    const scatter big(1000000000);
    std::set<std::uint64_t> first;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        first.insert(big(i));
    }
    std::uint64_t last = *first.begin();
    for (auto it = std::next(first.begin()); it != first.end(); ++it) {
        CHECK(*it - last > 1);
        last = *it;
    }
}

TEST_CASE("the zipf pattern scatters popular ranks and rare ones alike")
{
    constexpr std::uint64_t blocks = 1000000;
    constexpr std::uint64_t popular = 1 << 15; // which are looked up
    stream_config s = stream();
    s.pattern = pattern_kind::zipf;
    s.zipf_theta = 0.99;
    const auto pattern = make_pattern(s, blocks);
    const zipf_ranks ranks(blocks, s.zipf_theta);
    const scatter map(blocks);
    rng drawn(5);
    rng expected(5);
    std::uint64_t rare = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t rank = ranks.next(expected) - 1;
        rare += rank >= popular ? 1 : 0;
        REQUIRE(pattern->next(drawn) == map(rank));
    }
    CHECK(rare > 1000);
    CHECK(rare < 19000);
}

TEST_CASE("the zipf pattern has the law's popularity, scattered over the range")
{
    stream_config s = stream();
    s.pattern = pattern_kind::zipf;
    s.zipf_theta = 1.2;
    const auto p = make_pattern(s, 50);
    rng random(5);
    std::vector<double> counts(50, 0);
    for (int i = 0; i < 200000; ++i) {
        counts[p->next(random)] += 1;
    }
    std::vector<double> by_rank(50);
    const scatter map(50);
    for (std::uint64_t r = 0; r < 50; ++r) {
        by_rank[r] = counts[map(r)];
    }
    CHECK(chi_square(by_rank, zipf_law(50, 1.2), 200000) < chi_limit(49));
}

TEST_CASE("uniform touches every block alike")
{
    const auto p = make_pattern(stream(), 64);
    rng random(5);
    std::vector<double> counts(64, 0);
    for (int i = 0; i < 200000; ++i) {
        counts[p->next(random)] += 1;
    }
    CHECK(chi_square(counts, std::vector<double>(64, 1.0 / 64), 200000) < chi_limit(63));
}

TEST_CASE("hot_cold sends its share to the hot part, evenly in each")
{
    stream_config s = stream();
    s.pattern = pattern_kind::hot_cold;
    s.hot_fraction = 0.1;
    s.hot_probability = 0.9;
    const auto p = make_pattern(s, 100);
    rng random(9);
    std::vector<double> counts(100, 0);
    for (int i = 0; i < 200000; ++i) {
        counts[p->next(random)] += 1;
    }
    std::vector<double> law(100, 0.1 / 90);
    std::fill(law.begin(), law.begin() + 10, 0.9 / 10);
    CHECK(chi_square(counts, law, 200000) < chi_limit(99));
}

TEST_CASE("hot_cold keeps a block for each part, and takes a single block")
{
    stream_config s = stream();
    s.pattern = pattern_kind::hot_cold;
    s.hot_fraction = 1.0;
    s.hot_probability = 0.0;
    rng random(1);
    CHECK(make_pattern(s, 4)->next(random) == 3); // cold: the last block
    s.hot_fraction = 0.0;
    s.hot_probability = 1.0;
    CHECK(make_pattern(s, 4)->next(random) == 0);
    CHECK(make_pattern(s, 1)->next(random) == 0);
}

TEST_CASE("sequential goes through its range and starts again")
{
    stream_config s = stream();
    s.pattern = pattern_kind::sequential;
    s.block_size = 8192;
    s.range_start = 65536;
    s.range_size = 3 * 8192 + 512; // what is less than a block is not used
    const std::vector<request> all = take(s, 5);
    const std::uint64_t expected[] = {128, 144, 160, 128, 144};
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(all[i].lba == expected[i]);
        CHECK(all[i].sectors == 16);
    }
}

TEST_CASE("the same seed gives the same requests, another seed and stream others")
{
    stream_config s = stream();
    s.pattern = pattern_kind::zipf;
    s.read_fraction = 0.5;
    s.rate_iops = 1000;
    auto same = [](const std::vector<request>& a, const std::vector<request>& b) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i].lba != b[i].lba || a[i].kind != b[i].kind || a[i].arrival != b[i].arrival) {
                return false;
            }
        }
        return true;
    };
    CHECK(same(take(s, 1000, 4), take(s, 1000, 4)));
    CHECK_FALSE(same(take(s, 1000, 4), take(s, 1000, 5)));
    stream_source first(s, 0, 1u << 20, 4);
    stream_source second(s, 1, 1u << 20, 4);
    request a;
    request b;
    first.next(sim_time(), a);
    second.next(sim_time(), b);
    CHECK((a.lba != b.lba || a.arrival != b.arrival));
}

TEST_CASE("a stream's range is checked against the drive")
{
    stream_config s = stream();
    s.range_start = 512 * 100;
    CHECK_NOTHROW(stream_source(s, 0, 108, 1));
    CHECK_THROWS_AS(stream_source(s, 0, 107, 1), std::invalid_argument); // less than one block
    CHECK_THROWS_AS(stream_source(s, 0, 100, 1), std::invalid_argument);
    s.range_size = 4096 * 2;
    CHECK_NOTHROW(stream_source(s, 0, 116, 1));
    CHECK_THROWS_AS(stream_source(s, 0, 115, 1), std::invalid_argument);
    s.queue_depth = 0;
    CHECK_THROWS_AS(stream_source(s, 0, 116, 1), std::invalid_argument);
}

} // namespace workload_pattern_test
