// SPDX-License-Identifier: Apache-2.0
//
// What of each sector survives a power cut for certain: the version at the last completed Flush
// that began after the write was acknowledged, or a later write with Force Unit Access (NVM Express
// base 1.4, section 6.8; volatile write cache, 5.21.1.6). Time is counted in epochs that end when a
// Flush begins: a completed Flush makes durable what was acknowledged in its epoch or before.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/lazy_array.h"

namespace ssdvp::host {

class durability {
public:
    void configure(std::uint64_t sectors) { m_records = lazy_array<record>(sectors); }
    [[nodiscard]] static constexpr std::uint64_t address_space(std::uint64_t sectors)
    {
        return sectors * sizeof(record);
    }
    /// Everything that is acknowledged from now on is durable.
    void set_write_through(bool on) { m_write_through = on; }

    /// The sector holds `version`, durably.
    void begin(std::uint64_t sector, std::uint32_t version) { m_records[sector].durable = version; }
    /// A write ended well: the sector holds `version` or a newer one. `durable`: on flash already.
    void acknowledge(std::uint64_t sector, std::uint32_t version, bool durable);
    /// A trim begins or ends, or the power goes while it is in flight; `newest` version was given
    /// out by now.
    void trim(std::uint64_t sector, std::uint32_t newest);

    /// The epoch that this Flush is for.
    [[nodiscard]] std::uint32_t begin_flush() { return m_epoch++; }
    void end_flush(std::uint32_t epoch) { m_flushed = epoch > m_flushed ? epoch : m_flushed; }

    struct survivor {
        std::uint32_t version; // the oldest that the sector may hold
        bool zero;             // a trim since then may have emptied it
        std::uint32_t ghost;   // 0, or: newer ones up to this were gone after an earlier cut
    };
    /// Power went: what was acknowledged and not flushed is as good as not acknowledged.
    survivor cut(std::uint64_t sector);
    /// A read after the cut found `version` (0: zeros), and none up to `newest` any more;
    /// `trimmed`: there was a trim since the cut.
    struct finding {
        std::uint32_t version;
        std::uint32_t newest;
        bool trimmed;
    };
    void settle(std::uint64_t sector, const finding& f);

private:
    static constexpr std::uint32_t has_trim = 1u << 31;
    struct waiting { // for a Flush
        std::uint32_t version;
        std::uint32_t epoch; // 0 = none
    };
    struct record {
        std::uint32_t durable;
        std::uint32_t ghost;            // of `durable`: see survivor
        std::uint32_t trim;             // newest version at the last trim, with has_trim
        std::array<waiting, 2> pending; // acknowledged, older epoch first
    };
    void promote(record& r) const;

    lazy_array<record> m_records;
    std::uint32_t m_epoch = 1;
    std::uint32_t m_flushed = 0;
    bool m_write_through = false;
};

} // namespace ssdvp::host
