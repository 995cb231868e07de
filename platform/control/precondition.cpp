// SPDX-License-Identifier: Apache-2.0
#include "platform/control/precondition.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <vector>

#include "models/common/rng.h"
#include "platform/config/derived.h"
#include "platform/control/drawn_ahead.h"
#include "platform/control/load_memory.h"
#include "platform/control/load_writes.h"
#include "platform/control/overwrites.h"
#include "platform/control/settling.h"
#include "platform/control/steady_rounds.h"
#include "platform/control/unit_writer.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t progress_every = 1024;                // batches
constexpr std::uint64_t large_drive = std::uint64_t{1} << 22; // units: the map is beyond any cache
constexpr std::uint32_t given_units = 1024;                   // at a time

constexpr const char* no_space_left =
    "preconditioning failed: the firmware finds no space left; is the drive worn out?";

/// Of the time that counts and dealing take.
constexpr double dealing_share(bool units_are_given)
{
    return units_are_given ? 0.2 : 0.9;
}

/// What is to be done, and who hears of it.
struct task {
    ssd& drive;
    std::uint64_t fill;       // units
    std::uint64_t overwrites; // of them
    std::uint64_t settles;    // then: units that this takes at least; 0: it is not wanted
    const std::function<void(double share)>& progress;
    const std::function<bool()>& interrupted;
};

std::uint64_t share_of_units(const ssd_config& config, double share)
{
    return static_cast<std::uint64_t>(static_cast<double>(user_units(config)) * share);
}

std::uint64_t programmed_pages(const ssd& drive)
{
    return drive.read().flash.programs;
}

/// Rounds of overwrites, until write amplification is steady.
class overwrite_rounds {
public:
    /// Of so many units that are filled.
    overwrite_rounds(const ssd& drive, std::uint64_t filled)
        : m_drive(drive),
          m_range(std::min(range_of(drive.config()), filled * drive.config().ftl.map_unit)),
          m_rule(steady_rule_of(drive.config())), m_round(round_units(drive.config())),
          m_last(reading(0))
    {}
    /// After `written` units: true once it is steady.
    bool steady(std::uint64_t written)
    {
        if (written % m_round != 0) {
            return false;
        }
        const run_sample now = reading(written);
        m_rounds.push_back(difference(now, m_last));
        m_last = now;
        return m_rounds.size() >= m_rule.rounds && is_steady();
    }
    [[nodiscard]] bool is_steady() const
    {
        return m_rounds.size() >= m_rule.rounds &&
               unsteady(m_rounds, m_rule, block_pages(m_drive.config())).empty() &&
               unsettled(m_rounds, m_range).empty();
    }

private:
    [[nodiscard]] static std::uint64_t range_of(const ssd_config& c)
    {
        const host::stream_config& s = c.precondition.stream;
        return c.precondition.source == overwrite_source::own ? written_range(c)
               : s.range_size != 0                            ? s.range_size
                                                              : logical_bytes(c) - s.range_start;
    }
    /// A unit counts as a request, and as so much time: what a round takes is no matter.
    [[nodiscard]] run_sample reading(std::uint64_t written) const
    {
        const flash_statistics f = m_drive.read().flash;
        run_sample s;
        s.when = sim_time(written);
        auto& writes = s.kinds[static_cast<std::size_t>(host::request_kind::write)];
        writes.requests = written;
        writes.bytes = written * m_drive.config().ftl.map_unit;
        s.flash = {0, f.programs, f.erases};
        for (const purpose_statistics& p : f.by_purpose) { // the total leaves preconditioning out
            s.flash.bytes_programmed += p.bytes_programmed;
        }
        return s;
    }

    const ssd& m_drive;
    std::uint64_t m_range; // bytes
    steady_rule m_rule;
    std::uint64_t m_round;
    run_sample m_last;
    std::vector<run_sample> m_rounds;
};

bool goes_on(const task& t, std::uint64_t n, precondition_result& result)
{
    if (n % (unit_batch * progress_every) == 0) {
        t.progress(static_cast<double>(n) / static_cast<double>(t.fill + t.overwrites));
    }
    result.units_written = n + 1;
    result.interrupted = n % unit_batch == 0 && t.interrupted();
    return !result.interrupted;
}

void by_units(const task& t, unit_buffer& buffer, precondition_result& result)
{
    drive_writer writer(t.drive, buffer);
    for (std::uint64_t n = 0; n < t.fill && !result.interrupted; ++n) {
        writer.add(n);
        goes_on(t, n, result);
    }
    if (t.overwrites != 0 && !result.interrupted) {
        const ssd_config& c = t.drive.config();
        const bool wanted = overwriting_until(c) == precondition_until::steady;
        overwrites addresses(c, c.precondition.source, t.fill);
        overwrite_rounds rounds(t.drive, t.fill);
        for (std::uint64_t n = 0; n < t.overwrites; ++n) {
            writer.add(addresses.next());
            if (!goes_on(t, t.fill + n, result) || (wanted && rounds.steady(n + 1))) {
                break;
            }
        }
        result.never_steady = wanted && !rounds.is_steady();
    }
    writer.flush();
}

/// Of one partition, which fills so many units. False: interrupted.
bool deal(const task& t, unit_buffer& buffer, std::uint32_t partition, std::uint64_t fill)
{
    const partition_map map(t.drive.config());
    std::vector<std::uint64_t> units(buffer.room());
    std::uint64_t dealt = 0;
    std::uint64_t calls = 0;
    while (const std::uint32_t count =
               t.drive.firmware(partition).deal_counted(units.data(), buffer.bus_address())) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (units[i] == FIRMWARE_NO_UNIT) {
                buffer.clear(i);
            } else {
                buffer.put(i, map.global({partition, units[i]}));
            }
        }
        dealt += count;
        if (calls++ % progress_every == 0) {
            const double share =
                (partition + static_cast<double>(dealt) / static_cast<double>(fill)) / map.count();
            t.progress(1.0 - dealing_share(t.settles != 0) * (1.0 - std::min(share, 1.0)));
            if (t.interrupted()) {
                return false;
            }
        }
    }
    return true;
}

/// What each partition is to count: of overwrites, its share of what is filled.
std::vector<firmware_counted> counted_of(const task& t, std::uint32_t room)
{
    const partition_map map(t.drive.config());
    rng random(t.drive.config().run.seed, overwrite_numbers);
    std::vector<firmware_counted> parts;
    std::uint64_t filled = 0;
    std::uint64_t given = 0; // of the overwrites
    for (std::uint32_t p = 0; p < map.count(); ++p) {
        const std::uint64_t fill = map.share(p, t.fill);
        filled += fill;
        const auto due =
            static_cast<std::uint64_t>(static_cast<uint128>(t.overwrites) * filled / t.fill);
        parts.push_back({fill, due - given, random.below(UINT64_MAX), room, nullptr, 0});
        given = due;
    }
    return parts;
}

/// False: interrupted.
bool write_counted(const task& t, firmware_program& firmware, const firmware_counted& part,
                   precondition_result& result)
{
    const std::uint64_t before = result.units_written;
    const std::uint64_t all = part.units + part.overwrites;
    std::uint64_t left = all;
    while (left != 0 && !result.interrupted) {
        left = firmware.write_counted(unit_batch * progress_every);
        if (left == FIRMWARE_COUNTS_FULL) {
            throw precondition_error(no_space_left);
        }
        result.units_written = before + all - left;
        t.progress((1.0 - dealing_share(false)) * static_cast<double>(result.units_written) /
                   static_cast<double>(t.fill + t.overwrites));
        result.interrupted = t.interrupted();
    }
    return !result.interrupted;
}

/// False: this drive cannot be filled so, and nothing has happened.
bool by_counts(const task& t, unit_buffer& buffer, precondition_result& result)
{
    const std::vector<firmware_counted> parts = counted_of(t, buffer.room());
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
        if (!t.drive.firmware(p).begin_counts(parts[p])) {
            return false; // the first one: they are alike
        }
    }
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
        if (!write_counted(t, t.drive.firmware(p), parts[p], result)) {
            return true;
        }
    }
    for (std::uint32_t p = 0; p < parts.size() && !result.interrupted; ++p) {
        result.interrupted = !deal(t, buffer, p, parts[p].units);
    }
    return true;
}

/// Gathers the units of partitions, and hands them to their firmware.
class unit_giver {
public:
    unit_giver(const task& t, precondition_result& result)
        : m_task(t), m_result(result), m_map(t.drive.config()), m_parts(m_map.count())
    {}
    /// False: this drive cannot be filled so, and nothing has happened.
    bool begin(std::uint32_t room)
    {
        bool begun = true;
        for (std::uint32_t p = 0; p < m_parts.size() && begun; ++p) {
            firmware_program& firmware = m_task.drive.firmware(p);
            m_parts[p].table.resize(firmware.counted_places());
            begun = firmware.begin_counts(
                {m_map.share(p, m_task.fill), 0, 0, room, m_parts[p].table.data(), 1});
        }
        return begun;
    }
    /// So many units that `next` tells, fewer when after one of them it is `enough`.
    template <class Next, class Enough>
    void give(std::uint64_t count, const Next& next, const Enough& enough)
    {
        bool ends = count == 0;
        for (std::uint64_t n = 1; !ends && !m_result.interrupted; ++n) {
            add(next());
            ends = enough() || n == count;
            if (++m_result.units_written % (unit_batch * progress_every) == 0) {
                tell();
            }
        }
    }
    /// There are no more.
    void end()
    {
        for (std::uint32_t p = 0; p < m_parts.size(); ++p) {
            if (m_parts[p].count != 0) {
                hand_over(p);
            }
            hand_over(p);
        }
    }

private:
    struct part {
        std::vector<std::uint32_t> table;
        std::array<std::uint64_t, given_units> units{};
        std::uint32_t count = 0;
    };
    void add(std::uint64_t unit)
    {
        const partition_unit u = m_map.local(unit);
        part& p = m_parts[u.partition];
        p.units[p.count++] = u.unit;
        if (p.count == p.units.size()) {
            hand_over(u.partition);
        }
    }
    void hand_over(std::uint32_t partition)
    {
        part& p = m_parts[partition];
        if (!m_task.drive.firmware(partition).give_counted(p.units.data(), p.count)) {
            throw precondition_error(no_space_left);
        }
        p.count = 0;
    }
    void tell()
    {
        const std::uint64_t all = m_task.fill + m_task.overwrites + m_task.settles;
        const double share = static_cast<double>(m_result.units_written) / static_cast<double>(all);
        m_task.progress((1.0 - dealing_share(true)) * std::min(1.0, share));
        m_result.interrupted = m_task.interrupted();
    }

    const task& m_task;
    precondition_result& m_result;
    partition_map m_map;
    std::vector<part> m_parts;
};

/// Fills, overwrites, and writes as the load does until the state is steady. False: as of
/// by_counts().
bool by_given_units(const task& t, unit_buffer& buffer, precondition_result& result)
{
    const ssd_config& c = t.drive.config();
    unit_giver to(t, result);
    if (!to.begin(buffer.room())) {
        return false;
    }
    std::uint64_t unit = 0;
    overwrites before(c, c.precondition.source, t.fill);
    load_writes own(c, t.fill);
    rng mix(c.run.seed, mixing_numbers);
    settling state(t.drive, t.fill);
    drawn_ahead next_before([&before] { return before.next(); });
    drawn_ahead next_own([&own] { return own.next(); });
    const auto look = [&state] {
        state.wrote();
        return state.over();
    };
    const auto watch = [&look] {
        look();
        return false;
    };
    to.give(
        t.fill, [&unit] { return unit++; }, [] { return false; });
    to.give(
        units_to_mix(c, t.fill, t.overwrites), [&] { return mix.below(t.fill); },
        [] { return false; });
    state.begin();
    to.give(
        t.overwrites, [&] { return next_before.next(); }, watch);
    if (t.overwrites == 0 || !overwrites_as_load(c)) { // else the state settles already
        state.begin();
    }
    const std::uint64_t written = result.units_written;
    to.give(
        state.steady() ? 0 : UINT64_MAX, [&] { return next_own.next(); }, look);
    if (!result.interrupted) {
        result.units_settled = result.units_written - written;
        result.settled = state.steady();
        result.never_steady = !result.settled;
        result.levels = state.levels();
        result.level_units = state.round();
        to.end();
    }
    for (std::uint32_t p = 0; p < t.drive.partitions() && !result.interrupted; ++p) {
        result.interrupted = !deal(t, buffer, p, partition_map(c).share(p, t.fill));
    }
    return true;
}

} // namespace

std::uint64_t units_to_fill(const ssd_config& config)
{
    return std::min(user_units(config), share_of_units(config, config.precondition.fill));
}

std::uint64_t units_to_overwrite(const ssd_config& config)
{
    return units_to_fill(config) == 0 ? 0 : share_of_units(config, config.precondition.overwrite);
}

namespace {

std::uint64_t units_to_settle(ssd& drive)
{
    return overwriting_until(drive.config()) == precondition_until::settled
               ? settling(drive, units_to_fill(drive.config())).least_units()
               : 0;
}

precondition_result fill_and_overwrite(ssd& drive,
                                       const std::function<void(double share)>& progress,
                                       const std::function<bool()>& interrupted,
                                       const address_function& address)
{
    const ssd_config& config = drive.config();
    const task t = {drive,
                    units_to_fill(config),
                    units_to_overwrite(config),
                    units_to_settle(drive),
                    progress,
                    interrupted};
    precondition_result result;
    if (t.fill + t.overwrites == 0) {
        return result;
    }
    if (!drive.firmware().can_precondition()) {
        throw precondition_error(
            "this firmware image cannot precondition; set precondition.fill=0 and "
            "precondition.overwrite=0, or add the entry to its firmware_image");
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t pages_before = programmed_pages(drive);
    drive.set_functional(true);
    drive.open_service_buffer(true);
    if (t.fill >= large_drive && (t.overwrites != 0 || t.settles != 0)) {
        drive.expect_random_access();
    }
    unit_buffer buffer(drive, address);
    result.by_counts =
        preconditions_by_counts(config) && drive.firmware().can_count() &&
        (t.settles != 0 ? by_given_units(t, buffer, result) : by_counts(t, buffer, result));
    if (!result.by_counts && config.precondition.method == precondition_method::counts) {
        throw precondition_error("this firmware image cannot precondition by counts; set "
                                 "precondition.method=units");
    }
    if (!result.by_counts) {
        by_units(t, buffer, result);
    }
    if (!result.by_counts || !result.interrupted) { // else the map says nothing yet
        for (std::uint32_t p = 0; p < drive.partitions(); ++p) {
            drive.firmware(p).precondition_end();
        }
    }
    drive.open_service_buffer(false);
    drive.set_functional(false);
    result.units_filled = std::min(t.fill, result.units_written);
    result.pages = programmed_pages(drive) - pages_before;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

} // namespace

precondition_result precondition(ssd& drive, const std::function<void(double share)>& progress,
                                 const std::function<bool()>& interrupted,
                                 const address_function& address)
{
    try {
        return fill_and_overwrite(drive, progress, interrupted, address);
    } catch (const cpu::program_panic&) {
        if (!interrupted()) {
            throw;
        }
    }
    precondition_result left; // by the guard
    left.interrupted = true;
    return left;
}

} // namespace ssdvp::platform
