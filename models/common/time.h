// SPDX-License-Identifier: Apache-2.0
//
// Simulated time: integer picoseconds in one strong type, and the one place where a rate becomes
// a time.
#pragma once

#include <cstdint>
#include <systemc>

namespace ssdvp {

class sim_time {
public:
    constexpr sim_time() = default;
    constexpr explicit sim_time(std::uint64_t picoseconds) : m_ps(picoseconds) {}

    static sim_time from_sc(const sc_core::sc_time& t) { return sim_time(t.value()); }
    [[nodiscard]] sc_core::sc_time to_sc() const { return sc_core::sc_time::from_value(m_ps); }

    [[nodiscard]] constexpr std::uint64_t ps() const { return m_ps; }
    [[nodiscard]] constexpr std::uint64_t ns() const { return m_ps / 1000; }

    friend constexpr sim_time operator+(sim_time a, sim_time b)
    {
        return sim_time(a.m_ps + b.m_ps);
    }
    /// Saturates at zero: "how long until b, seen from a" is never negative.
    friend constexpr sim_time operator-(sim_time a, sim_time b)
    {
        return sim_time(a.m_ps > b.m_ps ? a.m_ps - b.m_ps : 0);
    }
    friend constexpr sim_time operator*(sim_time a, std::uint64_t n)
    {
        return sim_time(a.m_ps * n);
    }
    friend constexpr sim_time operator*(std::uint64_t n, sim_time a) { return a * n; }
    sim_time& operator+=(sim_time b)
    {
        m_ps += b.m_ps;
        return *this;
    }
    friend constexpr bool operator==(sim_time a, sim_time b) { return a.m_ps == b.m_ps; }
    friend constexpr bool operator!=(sim_time a, sim_time b) { return a.m_ps != b.m_ps; }
    friend constexpr bool operator<(sim_time a, sim_time b) { return a.m_ps < b.m_ps; }
    friend constexpr bool operator<=(sim_time a, sim_time b) { return a.m_ps <= b.m_ps; }
    friend constexpr bool operator>(sim_time a, sim_time b) { return a.m_ps > b.m_ps; }
    friend constexpr bool operator>=(sim_time a, sim_time b) { return a.m_ps >= b.m_ps; }

private:
    std::uint64_t m_ps = 0;
};

[[nodiscard]] inline sim_time now()
{
    return sim_time::from_sc(sc_core::sc_time_stamp());
}
[[nodiscard]] constexpr sim_time later(sim_time a, sim_time b)
{
    return a < b ? b : a;
}
[[nodiscard]] constexpr sim_time earlier(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

namespace literals {
constexpr sim_time operator""_ps(unsigned long long v)
{
    return sim_time(v);
}
constexpr sim_time operator""_ns(unsigned long long v)
{
    return sim_time(v * 1000);
}
constexpr sim_time operator""_us(unsigned long long v)
{
    return sim_time(v * 1000 * 1000);
}
constexpr sim_time operator""_ms(unsigned long long v)
{
    return sim_time(v * 1000 * 1000 * 1000);
}
constexpr sim_time operator""_s(unsigned long long v)
{
    return sim_time(v * 1000 * 1000 * 1000 * 1000);
}
} // namespace literals

/// Events (bytes, transfers, cycles) per second, exact.
class rate {
public:
    constexpr rate() = default;
    constexpr explicit rate(std::uint64_t per_second) : m_per_second(per_second) {}
    [[nodiscard]] constexpr std::uint64_t per_second() const { return m_per_second; }
    friend constexpr bool operator==(rate a, rate b) { return a.m_per_second == b.m_per_second; }

private:
    std::uint64_t m_per_second = 0;
};

__extension__ typedef unsigned __int128 uint128; // counts times 10^12 overflow 64 bits

/// The time that `count` events take at rate `r`, rounded up to a whole picosecond.
/// Precondition: r is not zero.
[[nodiscard]] constexpr sim_time time_for(std::uint64_t count, rate r)
{
    constexpr std::uint64_t ps_per_second = 1000ull * 1000 * 1000 * 1000;
    const auto product = static_cast<uint128>(count) * ps_per_second + (r.per_second() - 1);
    return sim_time(static_cast<std::uint64_t>(product / r.per_second()));
}

} // namespace ssdvp
