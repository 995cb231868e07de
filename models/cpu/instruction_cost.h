// SPDX-License-Identifier: Apache-2.0
//
// What a stretch of firmware costs. The core asks at every call of the port; the answer covers the
// instructions since the previous call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ssdvp::cpu {

enum class port_call : std::uint8_t {
    read32,
    write32,
    wait_irq,
    time,
    log,
    stopping,
    touch,
    fence,
    fetch // no call of the program: its blocks tell what the core fetches
};

struct instruction_charge {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
};

/// What the program has spent since the last look, in 1/256 instruction and cycle.
struct spent_account {
    static constexpr std::int64_t one = 256;

    std::int64_t instructions;
    std::int64_t cycles;
};

/// An image has several accounts: functions that call each other add to different ones, so that
/// no addition waits for the one before it. Their sum counts.
struct spent_accounts {
    static constexpr std::size_t count = 4;
    std::array<spent_account, count> each;

    /// The sum, and empties them.
    spent_account take()
    {
        spent_account sum{};
        for (const spent_account& one : each) {
            sum.instructions += one.instructions;
            sum.cycles += one.cycles;
        }
        each = {};
        return sum;
    }
};

/// Where to read what is not charged yet, between calls: the accounts that the program adds to, and
/// what is left of earlier ones. Null where only calls cost anything.
struct uncharged {
    const spent_accounts* accounts = nullptr;
    const spent_account* left = nullptr;
};

/// Is told which block of the program (code_map) the core is about to run.
class fetch_listener {
public:
    virtual void fetch(std::uint64_t block) = 0;

protected:
    ~fetch_listener() = default;
};

class instruction_cost {
public:
    virtual ~instruction_cost() = default;
    /// Cost of the firmware code that led to `call`. Must not touch simulation state.
    virtual instruction_charge charge(port_call call) = 0;
    /// What runs from now on costs nothing, outside of simulated time; or does again.
    virtual void functional(bool on) { (void)on; }
    /// The program starts from reset on this core.
    virtual void restarted() {}
    /// The program goes on behind a wait: others may have run meanwhile.
    virtual void resumed() {}
    /// Cycles of the call itself: the bus, an interrupt.
    virtual void also(port_call call, std::uint64_t cycles)
    {
        (void)call;
        (void)cycles;
    }
    /// Programs that were built for it tell `to` what is fetched; others tell nothing.
    virtual void tell_fetches(fetch_listener& to) { (void)to; }
    /// Stays valid as long as this.
    [[nodiscard]] virtual uncharged open() const { return {}; }
    /// Level of the timing, as the summary reports it: "full", "host_size", "flat"
    [[nodiscard]] virtual const char* level() const = 0;
};

} // namespace ssdvp::cpu
