// SPDX-License-Identifier: Apache-2.0
//
// The drive's buffer as far as it decides which units reach the flash, and when: the least recently
// used one leaves for the next. What it does with time, and with space, is the firmware's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ssdvp::platform {

class write_buffer {
public:
    /// Of so many units; 0: all are written through. `keeps_reads`: they take room as well, else
    /// they use what is there.
    explicit write_buffer(std::uint64_t room, bool keeps_reads = false);

    /// The host writes a unit. Returns the one that goes to the flash for it.
    std::optional<std::uint64_t> write(std::uint64_t unit);
    /// The host reads it. The same.
    std::optional<std::uint64_t> read(std::uint64_t unit);
    /// What it holds, the least recently used first.
    struct held {
        std::uint64_t unit;
        bool dirty;
    };
    [[nodiscard]] std::vector<held> content() const;
    /// The host wants to have all of them on the flash, which each goes to by `out(unit)`.
    template <class Out>
    void flush(const Out& out)
    {
        for (std::uint32_t i = m_slots[0].behind; i != 0; i = m_slots[i].behind) {
            if (m_slots[i].dirty) {
                out(m_slots[i].unit);
                m_slots[i].dirty = false;
            }
        }
    }

private:
    /// In the order of their last use: slot 0 is the end of a ring, the oldest behind it.
    struct slot {
        std::uint64_t unit;
        std::uint32_t before, behind;
        std::uint32_t next; // with the same hash; 0: none
        bool dirty;
    };
    std::optional<std::uint64_t> use(std::uint64_t unit, bool written);
    void unlink(std::uint32_t i);
    void link_last(std::uint32_t i);
    [[nodiscard]] std::uint32_t& first_with_hash_of(std::uint64_t unit);
    /// 0: it has none.
    [[nodiscard]] std::uint32_t slot_of(std::uint64_t unit);
    void find_by(std::uint32_t i); // its unit, from now on
    void forget(std::uint32_t i);  // ... no more

    std::uint64_t m_room;
    bool m_keeps_reads;
    std::vector<slot> m_slots;
    // Slots by the hash of their unit. Each unit that comes takes the place of one that goes, which
    // an open table pays for with ever new tables.
    std::uint32_t m_shift; // of a hash, to an index
    std::vector<std::uint32_t> m_first;
};

} // namespace ssdvp::platform
