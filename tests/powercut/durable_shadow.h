// SPDX-License-Identifier: Apache-2.0
//
// What a drive may legally hold, with and without power cuts, sector by sector.
//
// Every write (trim and write zeroes write 0) is a version that begins at its submission and ends
// at its completion. Version v follows w when w had ended before v began; versions that overlap in
// time may land in either order. A read may return w unless an acknowledged v that follows w had
// ended before the read began. After a power cut w is legal unless a durable v follows it; v is
// durable when it was acknowledged with FUA, or ended before a Flush began that has completed. The
// first read after the cut picks one legal version, and from then on the sector holds that one.
#pragma once

#include <cstdint>
#include <vector>

namespace ssdvp::test {

class durable_shadow {
public:
    explicit durable_shadow(std::uint64_t sectors);

    /// Time advances with every command that begins or ends.
    std::uint64_t tick() { return ++m_now; }
    /// A value that no sector ever had.
    std::uint64_t fresh_value(std::uint64_t lba) { return (lba << 32) | ++m_value; }

    void begin_write(std::uint64_t lba, std::uint64_t value, std::uint64_t begun);
    enum class outcome { ACKNOWLEDGED, DURABLE, FAILED };
    /// The write of this sector that began then ends now. One that failed may have happened.
    void end_write(std::uint64_t lba, std::uint64_t begun, outcome how);
    /// A Flush that began then has completed.
    void end_flush(std::uint64_t begun);

    void begin_read() { ++m_reading; }
    /// May a read that began then and ends now return this? After a cut it settles the sector.
    bool end_read(std::uint64_t lba, std::uint64_t value, std::uint64_t begun);
    void forget_read() { --m_reading; }

    /// The power goes: commands under way never end, and what is not durable may be gone.
    void cut();

    [[nodiscard]] std::uint64_t sectors() const { return m_sectors.size(); }
    /// Values that the sector may hold once the power has come back.
    [[nodiscard]] std::vector<std::uint64_t> legal_after_cut(std::uint64_t lba) const;

private:
    static constexpr std::uint64_t under_way = ~0ull;
    struct version {
        std::uint64_t value;
        std::uint64_t begun;
        std::uint64_t ended; // under_way
        bool acknowledged;
        bool forced; // durable by itself: FUA, or found after a cut
    };
    using versions = std::vector<version>;

    [[nodiscard]] bool durable(const version& v) const
    {
        return v.acknowledged && (v.forced || v.ended < m_flushed);
    }
    /// When the last durable version began: what had ended before is gone.
    [[nodiscard]] std::uint64_t durable_begun(const versions& all) const;
    [[nodiscard]] static std::uint64_t newest_begun(const versions& all, std::uint64_t limit);
    void prune(versions& all) const;
    void settle(versions& all, std::uint64_t value) const;

    std::vector<versions> m_sectors;
    std::uint64_t m_now = 1;
    std::uint64_t m_value = 0;
    std::uint64_t m_flushed = 0; // begin of the last completed Flush since power came
    std::uint64_t m_cut = 0;
    std::uint64_t m_reading = 0;
};

} // namespace ssdvp::test
