// SPDX-License-Identifier: Apache-2.0
//
// Simulated time: integer picoseconds in one strong type, and the one place where a rate becomes
// a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <systemc>
#include <type_traits>

namespace ssdvp {

class sim_time {
public:
    constexpr sim_time() = default;
    constexpr explicit sim_time(std::uint64_t picoseconds) : m_ps(picoseconds) {}

    static sim_time from_sc(const sc_core::sc_time& t) { return sim_time(t.value()); }
    /// What sc_time::from_value() gives, inline: every TLM hop converts, and the library's call
    /// was 3 % of a run.
    [[nodiscard]] sc_core::sc_time to_sc() const
    {
        using sc_core::sc_time;
        static_assert(std::is_standard_layout_v<sc_time> && sizeof(sc_time) == sizeof m_ps,
                      "sc_time is its value in units of the resolution");
        sc_time t;
        std::memcpy(static_cast<void*>(&t), &m_ps, sizeof t);
        return t;
    }

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

/// What sc_time_stamp() returns: one simulation context lives as long as the process.
inline const sc_core::sc_time& kernel_clock = sc_core::sc_get_curr_simcontext()->time_stamp();
/// How far the kernel's time lags behind that of the block which acts (calendar.h). It belongs to
/// the kernel's context too.
inline sim_time& kernel_lag = *std::make_unique<sim_time>().release();

[[nodiscard]] inline sim_time now()
{
    return sim_time::from_sc(kernel_clock) + kernel_lag;
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
    constexpr std::uint64_t fits = (~std::uint64_t{0} / ps_per_second) - 1;
    if (count < fits && r.per_second() <= ps_per_second) { // 64-bit division is much cheaper
        return sim_time((count * ps_per_second + (r.per_second() - 1)) / r.per_second());
    }
    const auto product = static_cast<uint128>(count) * ps_per_second + (r.per_second() - 1);
    return sim_time(static_cast<std::uint64_t>(product / r.per_second()));
}

} // namespace ssdvp
