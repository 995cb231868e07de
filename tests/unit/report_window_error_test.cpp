// SPDX-License-Identifier: Apache-2.0
#include "platform/report/window_error.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace report_window_error_test {

using namespace ssdvp;

constexpr double level = 4.0;
constexpr double deviation = 0.02; // of an entry, as a share of the level

/// Each entry keeps `kept` of how far the one before it was off; 0: they are independent.
class process {
public:
    process(double kept, std::uint32_t seed)
        : m_kept(kept), m_random(seed), m_off(m_normal(m_random))
    {}
    double next()
    {
        m_off = m_kept * m_off + std::sqrt(1.0 - m_kept * m_kept) * m_normal(m_random);
        return level * (1.0 + deviation * m_off);
    }
    std::vector<double> next(std::size_t n)
    {
        std::vector<double> all;
        for (std::size_t i = 0; i < n; ++i) {
            all.push_back(next());
        }
        return all;
    }

private:
    double m_kept;
    std::mt19937 m_random;
    std::normal_distribution<double> m_normal;
    double m_off;
};

double mean_of(const std::vector<double>& v)
{
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

/// Of the mean of `m` neighbours, in closed form.
double true_error(double kept, int m)
{
    double sum = m;
    double power = 1.0;
    for (int k = 1; k < m; ++k) {
        power *= kept;
        sum += 2.0 * (m - k) * power;
    }
    return deviation * std::sqrt(sum) / m;
}

struct found {
    double squares = 0.0; // mean, by that in closed form
    double held = 0.0;    // share of the windows behind the records that hold the level
};

/// Of many records and the window behind each.
found of_many(double kept, std::size_t record, int window)
{
    constexpr int many = 2000;
    found f;
    for (std::uint32_t seed = 1; seed <= many; ++seed) {
        process p(kept, seed);
        const auto e = platform::window_error(p.next(record), window);
        const double off = mean_of(p.next(static_cast<std::size_t>(window))) / level - 1.0;
        f.held += std::abs(off) <= e->factor * e->error ? 1.0 / many : 0.0;
        f.squares += std::pow(e->error / true_error(kept, window), 2.0) / many;
    }
    return f;
}

TEST_CASE("window error: the mean of a window is as far off as it is known to be", "[report]")
{
    // Independent entries; such as remember five, ten neighbours; windows short and long. A record
    // knows the slowest waves the less the fewer of them it has seen.
    struct {
        double kept;
        std::size_t record;
        int window;
        double squares; // at least; at most by as much above 1
        double held;    // at least
    } const cases[] = {
        {0.0, 100, 1, 0.9, 0.94},   {0.0, 100, 10, 0.9, 0.94},  {0.0, 100, 50, 0.9, 0.91},
        {0.0, 300, 600, 0.9, 0.90}, {0.8, 100, 10, 0.85, 0.92}, {0.8, 250, 10, 0.9, 0.94},
        {0.9, 250, 12, 0.85, 0.92}, {0.9, 250, 60, 0.8, 0.90},
    };
    for (const auto& c : cases) {
        const found f = of_many(c.kept, c.record, c.window);
        INFO(c.kept << ", window of " << c.window << " beside " << c.record << ": squares "
                    << f.squares << ", held " << f.held);
        CHECK(f.squares > c.squares);
        CHECK(f.squares < 2.0 - c.squares);
        CHECK(f.held >= c.held);
        CHECK(f.held < 0.99);
    }
}

TEST_CASE("window error: one wave rests on few degrees, many on many", "[report]")
{
    std::vector<double> wave;
    for (int i = 0; i < 100; ++i) {
        wave.push_back(level * (1.0 + 0.01 * std::cos(0.2 * i)));
    }
    CHECK(platform::window_error(wave, 5.0)->factor > 2.5);
    CHECK(platform::window_error(process(0.0, 1).next(1000), 1.0)->factor < 2.0);
}

TEST_CASE("window error: nothing is known of a short record, and nothing differs in an even one",
          "[report]")
{
    CHECK_FALSE(platform::window_error(process(0.0, 1).next(7), 1.0));
    CHECK_FALSE(platform::window_error({}, 1.0));
    CHECK_FALSE(platform::window_error(std::vector<double>(20, 0.0), 1.0));
    const auto even = platform::window_error(std::vector<double>(20, level), 3.0);
    CHECK(even->value == Approx(level));
    CHECK(even->error == Approx(0.0).margin(1e-12));
    // Parts of an entry are not known: they count as one.
    const auto record = process(0.5, 1).next(50);
    CHECK(platform::window_error(record, 0.25)->error ==
          Approx(platform::window_error(record, 1.0)->error));
}

} // namespace report_window_error_test
