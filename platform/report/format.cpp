// SPDX-License-Identifier: Apache-2.0
#include "platform/report/format.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace ssdvp::platform {

namespace {

/// Three significant digits below 1000, whole numbers from there.
std::string three_digits(double v)
{
    if (v >= 99.95) {
        return fmt::format("{:.0f}", v);
    }
    return v >= 9.995 ? fmt::format("{:.1f}", v) : fmt::format("{:.2f}", v);
}

template <std::size_t N>
std::string scaled(double v, double step, const std::array<const char*, N>& units)
{
    std::size_t i = 0;
    while (i + 1 < N && v >= step - 0.5) { // 999.6 would print as 1000
        v /= step;
        ++i;
    }
    return fmt::format("{}{}", three_digits(v), units[i]);
}

} // namespace

std::string text_time(double picoseconds)
{
    if (picoseconds == 0.0) {
        return "0 ns";
    }
    static constexpr std::array<const char*, 5> units = {" ps", " ns", " us", " ms", " s"};
    return scaled(picoseconds, 1000.0, units);
}

std::string text_time(sim_time t)
{
    return text_time(static_cast<double>(t.ps()));
}

std::string text_wall(double seconds)
{
    if (seconds < 99.95) {
        return three_digits(seconds) + " s";
    }
    const auto s = static_cast<std::uint64_t>(std::llround(seconds));
    if (s < 3600) {
        return fmt::format("{} min {:02} s", s / 60, s % 60);
    }
    return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

std::string text_bytes(double bytes)
{
    if (bytes < 1024) {
        return fmt::format("{:.0f} B", bytes);
    }
    static constexpr std::array<const char*, 6> units = {" B",   " KiB", " MiB",
                                                         " GiB", " TiB", " PiB"};
    return scaled(bytes, 1024.0, units);
}

std::string text_byte_rate(double per_s)
{
    static constexpr std::array<const char*, 5> units = {" B/s", " kB/s", " MB/s", " GB/s",
                                                         " TB/s"};
    return scaled(per_s, 1000.0, units);
}

std::string text_energy(double joules)
{
    static constexpr std::array<const char*, 6> units = {" pJ", " nJ", " uJ", " mJ", " J", " kJ"};
    return joules == 0.0 ? "0 J" : scaled(joules * 1e12, 1000.0, units);
}

std::string text_power(double watts)
{
    static constexpr std::array<const char*, 4> units = {" uW", " mW", " W", " kW"};
    return watts == 0.0 ? "0 W" : scaled(watts * 1e6, 1000.0, units);
}

std::string text_count(std::uint64_t n)
{
    std::string digits = fmt::format("{}", n);
    for (std::size_t at = digits.size(); at > 3; at -= 3) {
        digits.insert(at - 3, 1, ',');
    }
    return digits;
}

std::string text_rough(double n)
{
    if (n < 1000) {
        return fmt::format("{:.0f}", n);
    }
    static constexpr std::array<const char*, 5> units = {"", " k", " M", " G", " T"};
    return scaled(n, 1000.0, units);
}

std::string text_percent(double fraction)
{
    return fmt::format("{:.1f} %", 100.0 * fraction);
}

std::string exact_ns(std::uint64_t ps)
{
    return fmt::format("{}.{:03}", ps / 1000, ps % 1000);
}

} // namespace ssdvp::platform
