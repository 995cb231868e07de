// SPDX-License-Identifier: Apache-2.0
//
// The shadow copy: which versions of each sector a read may return. Every write gives its sectors
// their next version; a read is right when each sector holds a version between the lowest that
// was valid when it was submitted and the newest written when it completed. Writes in flight
// together may land in any order, so their sectors stay open until the last of them has ended: any
// of them may be what a read finds, what was there before may not once one of them has ended.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/data_mode.h"
#include "models/common/fault_log.h"
#include "models/common/lazy_array.h"
#include "models/common/state_archive.h"
#include "models/host/shadow/durability.h"
#include "models/host/shadow/open_sector.h"

namespace ssdvp::host {

class shadow {
public:
    /// Mode none remembers nothing and checks nothing. `faults` may be null.
    shadow(data_mode mode, std::string who, fault_log* faults);

    /// Sizes the tables: drive capacity in sectors, commands in flight, sectors per command.
    void configure(std::uint64_t capacity, std::uint32_t slots, std::uint32_t max_sectors);
    /// What these take of the host's address space, in bytes; little of it is memory.
    [[nodiscard]] static constexpr std::uint64_t address_space(std::uint64_t capacity,
                                                               bool power_cuts)
    {
        const std::uint64_t groups = (capacity + group_sectors - 1) / group_sectors + 1;
        const std::uint64_t cut = durability::address_space(group_sectors) + sizeof(std::uint64_t);
        return groups * (sizeof(std::uint32_t) + sizeof(leaf) + (power_cuts ? cut : 0));
    }
    /// Sectors that the drive already holds in version 1; they take no memory here.
    void set_preconditioned(std::uint64_t first, std::uint64_t count);

    /// A command's begin and end. `slot` names the read or write in flight, `data` its buffer.
    /// begin_write fills the buffer; begin_read spoils it, so that old bytes never pass a check.
    struct span {
        std::uint32_t slot;
        std::uint64_t lba;
        std::uint32_t sectors;
    };
    void begin_read(const span& s, unsigned char* data);
    void end_read(const span& s, const unsigned char* data, bool ok);
    void begin_write(const span& s, unsigned char* data);
    void end_write(const span& s, bool ok, bool durable = false); // durable: FUA
    void begin_trim(const span& s);
    void end_trim(const span& s, bool ok);
    void begin_flush(std::uint32_t slot);
    void end_flush(std::uint32_t slot, bool ok);

    /// Before configure(): remembers what a power cut may undo.
    void expect_power_cuts() { m_power_cuts = true; }
    /// From now on: what is acknowledged survives a power cut, as the drive tells by declaring no
    /// volatile write cache; else it does after a Flush.
    void set_write_through(bool on) { m_durable.set_write_through(on); }
    /// Power went: what is in flight is in flight no more. Each sector may now hold any version
    /// from the last durable one on; the first read of it settles which.
    void power_lost();
    /// The controller was reset: what is in flight is in flight no more, and was done or not. What
    /// was acknowledged stays. The next read settles it. Needs expect_power_cuts().
    void controller_reset();
    struct extent {
        std::uint64_t lba;
        std::uint32_t sectors;
    };
    /// Sectors that may hold one of several versions, or all that were ever written; in order of
    /// address, neighbours joined, at most `longest` at a time.
    [[nodiscard]] std::vector<extent> uncertain(std::uint32_t longest) const;
    [[nodiscard]] std::vector<extent> written(std::uint32_t longest) const;
    /// The sector came with metadata that are not its own.
    void wrong_metadata(std::uint64_t lba);
    /// A read of the sectors failed that has to succeed.
    void unreadable(const extent& e, std::uint16_t status);

    [[nodiscard]] bool active() const { return m_mode != data_mode::none; }
    [[nodiscard]] std::uint64_t sectors_checked() const { return m_checked; }
    [[nodiscard]] std::uint64_t mismatches() const { return m_mismatches; }
    /// Groups of 4 KiB whose sectors are remembered one by one.
    [[nodiscard]] std::uint64_t split_groups() const;
    /// Sectors read as zero because they had been trimmed.
    [[nodiscard]] std::uint64_t trimmed_zeros() const { return m_trimmed_zeros; }
    /// What it knows of the sectors. Precondition: nothing is in flight. What is loaded is durable.
    void keep(state_archive& a);
    /// For reset at the end of a warm-up: counters only, no knowledge is lost.
    void reset_counters();

    /// Content of a sector in mode full: its tag, then filler derived from the tag.
    static void fill_sector(unsigned char* sector, std::uint64_t tag);
    static bool sector_holds(const unsigned char* sector, std::uint64_t tag);

private:
    static constexpr unsigned group_shift = 3; // 4 KiB of the drive
    static constexpr std::uint32_t group_sectors = 1u << group_shift;
    static constexpr std::uint32_t open_flag = 1u << 31;    // entry is an index into m_open
    static constexpr std::uint32_t trimmed_flag = 1u << 24; // beside a version: may read as zero
    static constexpr std::size_t cleared_kept = 1u << 16;

    using entry =
        std::uint32_t; // settled: version (24 bits) and trimmed_flag; or open_flag | index
    /// Of a group: 0 = not written yet; leaf_flag | index of a leaf; whole_flag | index into
    /// m_open: of writes that each cover it whole; else the entry of all sectors.
    static constexpr std::uint32_t leaf_flag = 1u << 31;
    static constexpr std::uint32_t whole_flag = 1u << 30;
    struct leaf {
        std::array<entry, group_sectors> sector;
    };
    struct bounds {
        std::uint32_t floor;
        std::uint32_t newest;
        bool trimmed;
    };
    struct cleared_trim {
        std::uint64_t lba;
        std::uint64_t operation;
    };

    [[nodiscard]] bool covers(const span& s) const;
    [[nodiscard]] entry base_entry(std::uint64_t lba) const;
    [[nodiscard]] bool base_is_even(const span& s) const;
    [[nodiscard]] entry entry_of(std::uint32_t group, std::uint64_t lba) const;
    [[nodiscard]] entry get(std::uint64_t lba) const;
    template <typename Fn>
    void for_each(const span& s, Fn fn) const;
    entry& touch(std::uint64_t lba);
    [[nodiscard]] std::uint32_t make_leaf(std::uint64_t first);
    void begin_durable(std::uint32_t index, std::uint64_t first);
    void join_settled(const span& s);
    void join(std::uint64_t group);
    [[nodiscard]] bounds bounds_of(entry e) const;
    open_sector& record(entry& e);
    open_sector& open(entry& e);
    [[nodiscard]] bool goes_whole(std::uint64_t lba, std::uint32_t sectors) const;
    std::uint32_t begin_whole(std::uint64_t group);
    void end_whole(std::uint64_t group, bool wrote);
    void give(unsigned char* data, const span& s, std::uint32_t version) const;
    static std::uint32_t begin_version(open_sector& o);
    void close(std::uint64_t lba, entry& e, bool wrote);
    void close_one(std::uint64_t lba, bool wrote, bool trim);
    void replaced(std::uint64_t lba, open_sector& o);
    [[nodiscard]] std::uint32_t* snapshot(std::uint32_t slot);
    [[nodiscard]] bool is_even(const span& s, entry& all) const;
    [[nodiscard]] bool is_plain(const span& s, const unsigned char* data,
                                const std::uint32_t* seen) const;
    void check_groups(const span& s, const unsigned char* data, const std::uint32_t* seen);
    void check_singly(const span& s, const unsigned char* data, const std::uint32_t* seen);
    bool acceptable(std::uint64_t lba, std::uint64_t tag, std::uint32_t seen, std::uint32_t slot);
    [[nodiscard]] bool cleared_since(std::uint64_t lba, std::uint64_t operation) const;
    void mismatch(std::uint64_t lba, std::uint64_t tag, std::uint32_t floor);
    void acknowledged(const span& s, bool durable);
    void lose_power(std::uint64_t lba, entry& e);
    void lose_group(std::uint64_t lba, entry e);
    void end_trims(std::uint64_t lba, entry e);
    void settle(std::uint64_t lba, std::uint32_t seen, std::uint64_t tag);
    [[nodiscard]] bool ghost(std::uint64_t lba, std::uint32_t version) const;
    void trimmed(std::uint64_t lba);
    void close_if_known(entry& e);
    [[nodiscard]] std::uint64_t place_of(std::uint64_t lba) const;
    [[nodiscard]] std::vector<std::uint64_t> touched() const;
    template <typename Wanted>
    [[nodiscard]] std::vector<extent> extents(std::vector<std::uint64_t> places,
                                              std::uint32_t longest, Wanted wanted) const;

    data_mode m_mode;
    std::string m_who;
    fault_log* m_faults;
    std::uint64_t m_capacity = 0;
    std::uint32_t m_max_sectors = 0;
    std::uint64_t m_precondition_first = 0;
    std::uint64_t m_precondition_count = 0;

    lazy_array<std::uint32_t> m_groups; // sector / 8
    lazy_array<leaf> m_leaves;
    std::uint32_t m_leaves_used = 1;
    std::vector<std::uint32_t> m_leaves_free;
    std::vector<open_sector> m_open;
    std::vector<std::uint32_t> m_open_free;
    bool m_power_cuts = false;
    durability m_durable;                      // with m_power_cuts
    lazy_array<std::uint64_t> m_leaf_first;    // likewise: per leaf, its first sector
    std::vector<std::uint32_t> m_flush_epochs; // likewise: per slot

    lazy_array<std::uint32_t> m_snapshots;  // per slot: floor and trimmed_flag of each sector
    std::vector<std::uint64_t> m_submitted; // per slot: m_operation when its read began
    std::uint64_t m_operation = 0;
    std::vector<cleared_trim> m_cleared; // ring: trims that a later write covered
    std::uint64_t m_cleared_count = 0;

    std::uint64_t m_checked = 0;
    std::uint64_t m_mismatches = 0;
    std::uint64_t m_trimmed_zeros = 0;
};

} // namespace ssdvp::host
