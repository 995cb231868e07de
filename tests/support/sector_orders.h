// SPDX-License-Identifier: Apache-2.0
//
// What one sector of a drive with a volatile buffer may hold, by trying every order: a command
// takes effect at some instant between its begin and its end, one that failed or that a cut or a
// reset caught takes effect or does not, and a power cut leaves what was there at some instant
// since the last one whose data are durable. No rule about who follows whom: the set of all drives
// that agree with what was seen so far is carried along, for few commands at a time.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <tuple>

namespace ssdvp::test {

class sector_orders {
public:
    enum class trims {
        ZERO,  // a trim is a write of zeros
        ADVISE // it may do nothing at all, and a Flush keeps nothing of it
    };
    static constexpr std::size_t slots = 4;

    /// `value`: what it holds. Values are below 32, 0 = zeros; `length` changes at most.
    sector_orders(trims how, std::uint8_t value);

    void begin_write(std::size_t slot, std::uint8_t value) { begin(slot, value, false); }
    void begin_trim(std::size_t slot) { begin(slot, 0, true); }
    enum class outcome { DONE, DURABLE, FAILED };
    void end(std::size_t slot, outcome how);
    void begin_flush(std::size_t slot);
    void end_flush(std::size_t slot, bool ok);
    void begin_read();
    void end_read(std::uint8_t value);
    /// A read that begins and ends now returns this value.
    void found(std::uint8_t value);
    void cut();
    void reset();

    /// Values that a read may return which begins and ends now, and the one that is in flight if it
    /// ends now: bit v = value v.
    [[nodiscard]] std::uint32_t now() const;
    [[nodiscard]] std::uint32_t read() const;

private:
    static constexpr std::size_t length = 12;
    static constexpr std::int8_t none = -2;    // no command
    static constexpr std::int8_t not_yet = -1; // no effect as yet

    struct drive {
        std::array<std::uint8_t, length> line{}; // from what is durable to what a read returns
        std::uint8_t newest = 0;                 // index in it
        std::int8_t acknowledged = 0;            // newest of those, likewise
        std::array<std::int8_t, slots> at{none, none, none, none};    // index of its effect
        std::array<std::int8_t, slots> flush{none, none, none, none}; // keeps up to this one
        std::uint32_t seen = 0;                                       // by the read in flight

        [[nodiscard]] auto tie() const
        {
            return std::tie(line, newest, acknowledged, at, flush, seen);
        }
        bool operator<(const drive& o) const { return tie() < o.tie(); }
        void keep(std::int8_t index); // it is durable from now on
    };
    struct command {
        std::uint8_t value;
        bool trim;
    };

    void begin(std::size_t slot, std::uint8_t value, bool trim);
    void spread();
    template <typename Fn>
    void each(Fn fn);

    trims m_trims;
    bool m_reading = false;
    std::array<command, slots> m_commands{};
    std::set<drive> m_drives;
};

} // namespace ssdvp::test
