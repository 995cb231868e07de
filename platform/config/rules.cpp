// SPDX-License-Identifier: Apache-2.0
#include "platform/config/rules.h"

#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

#include "firmware/flash/reserve.h"
#include "firmware/flash/spare.h"
#include "firmware/lib/geometry.h"
#include "models/flash/bus/interface_modes.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option.h"

namespace ssdvp::platform {
namespace {

using key_list = std::initializer_list<const char*>;
using flash::interface_rates, flash::rates_of;

class checker {
public:
    checker(const raw_tree& raw, const ssd_config& c) : m_raw(raw), m_c(c) {}

    void run() const
    {
        map_unit();
        page_lists();
        check_ecc(m_raw, m_c);
        check_read_levels(m_raw, m_c);
        check_snap_read(m_raw, m_c);
        refresh();
        erase_loops();
        erase_times();
        interface_rate();
        suspend();
        sharing();
        program_modes();
        if (!is_sata(m_c)) {
            queues();
        }
        check_slc_size(m_raw, m_c);
        addresses();
        collection();
        copyback();
        check_superblocks(m_raw, m_c);
        check_blocks(m_raw, m_c);
        check_cache(m_raw, m_c);
        check_map(m_raw, m_c);
        check_passes(m_raw, m_c);
        buffer();
    }
    void workload() const
    {
        an_end();
        for (std::size_t i = 0; i < m_c.workload.streams.size(); ++i) {
            stream(i);
        }
        stream_names();
    }

private:
    [[nodiscard]] const raw_entry* given(const std::string& key) const
    {
        const auto it = m_raw.values.find(key);
        return it == m_raw.values.end() ? nullptr : &it->second;
    }

    [[nodiscard]] std::string told(const char* key) const
    {
        return platform::told(m_raw, m_c, key);
    }

    /// Fails at the first of `involved` that was written somewhere.
    [[noreturn]] void reject(key_list involved, const std::string& what,
                             const std::string& remedy) const
    {
        for (const char* key : involved) {
            if (const raw_entry* entry = given(key)) {
                fail(entry->at, key, what, remedy);
            }
        }
        fail({"defaults", 0, 0}, *involved.begin(), what, remedy);
    }

    void map_unit() const;
    void page_lists() const;
    void refresh() const;
    void erase_loops() const;
    void erase_times() const;
    void interface_rate() const;
    void suspend() const;
    [[nodiscard]] bool keeps_order() const;
    void sharing() const;
    void program_modes() const;
    void slc_mode() const;
    void queues() const;
    void addresses() const;
    void collection() const;
    void copyback() const;
    void buffer() const;
    void an_end() const;
    void stream(std::size_t index) const;
    void stream_names() const;

    [[noreturn]] void reject_stream(std::size_t index, const char* key, const std::string& what,
                                    const std::string& remedy) const
    {
        const std::string full = fmt::format("workload.{}.{}", index, key);
        if (index < m_raw.workload.streams.size()) {
            const raw_map& fields = m_raw.workload.streams[index];
            const auto it = fields.find(key);
            fail(it == fields.end() ? m_raw.workload.at : it->second.at, full, what, remedy);
        }
        fail({"defaults", 0, 0}, full, what, remedy);
    }

    const raw_tree& m_raw;
    const ssd_config& m_c;
};

void checker::map_unit() const
{
    const auto& die = m_c.channel.die;
    if (die.geo.page_size % m_c.ftl.map_unit != 0) {
        reject({"ftl.map_unit", "nand.page_size"},
               fmt::format("{} does not divide {}", format_size(m_c.ftl.map_unit),
                           told("nand.page_size")),
               fmt::format("use at most {}", format_size(die.geo.page_size)));
    }
    if (die.stored_oob > die.geo.oob_size) {
        reject({"nand.oob_size", "ftl.map_unit", "nand.page_size"},
               fmt::format("{} cannot hold the {} of spare words that a page of {} with {} carries",
                           told("nand.oob_size"), format_size(die.stored_oob),
                           told("nand.page_size"), told("ftl.map_unit")),
               fmt::format("use nand.oob_size of {} or more, or a larger ftl.map_unit",
                           format_size(die.stored_oob)));
    }
}

void checker::page_lists() const
{
    const auto bits = static_cast<std::size_t>(m_c.channel.die.cell);
    const auto one = [&](const char* key, std::size_t entries, const char* entry) {
        if (entries != 1 && entries != bits) {
            reject({key, "nand.cell"},
                   fmt::format("has {} {}s, but a word line has {} page{} with {}", entries, entry,
                               bits, bits == 1 ? "" : "s", told("nand.cell")),
                   bits == 1 ? fmt::format("write one {}", entry)
                             : fmt::format("write one {}, or {}", entry, bits));
        }
    };
    one("nand.tR", m_c.channel.die.timing.tR.size(), "time");
    one("nand.tPROG", m_c.channel.die.timing.tPROG.size(), "time");
    one("nand.snap_read.tR", m_c.channel.die.timing.tRSNAP.size(), "time");
    if (!m_c.channel.die.errors.page_factor.empty()) {
        one("nand.errors.page_factor", m_c.channel.die.errors.page_factor.size(), "number");
    }
}

/// Limits that no read can reach would be options without effect.
void checker::refresh() const
{
    const refresh_config& r = m_c.ftl.refresh;
    const flash::ecc_config& e = m_c.channel.ecc;
    const std::uint64_t most =
        e.soft_correctable.empty() ? e.correctable : e.soft_correctable.back();
    const std::size_t levels = m_c.channel.die.errors.retry_gain.size();
    if (r.corrected_bits > most) {
        reject({"ftl.refresh.corrected_bits", "flash.ecc.correctable"},
               fmt::format("the code corrects {} bits per code word at most", most),
               "use a smaller ftl.refresh.corrected_bits");
    }
    if (r.retry_level > levels) {
        reject(
            {"ftl.refresh.retry_level", "nand.errors.retry_gain"},
            fmt::format("{} is beyond the {} read retry levels of the part", r.retry_level, levels),
            "use a smaller ftl.refresh.retry_level, or give nand.errors.retry_gain more levels");
    }
    if (levels > 254) {
        reject({"nand.errors.retry_gain"}, fmt::format("has {} levels", levels),
               "use 254 levels or fewer");
    }
    if (r.retire != 0 && r.corrected_bits == 0 && r.retry_level == 0) {
        reject({"ftl.refresh.retire"}, "no read asks for a refresh that would count",
               "give ftl.refresh.corrected_bits or ftl.refresh.retry_level");
    }
    if (m_c.ftl.patrol_interval.ps() != 0 && m_c.ftl.patrol_interval < sim_time(1000000000)) {
        reject({"ftl.patrol.interval"}, "is shorter than 1 ms", "use 1ms or more, or 0s for none");
    }
}

void checker::erase_loops() const
{
    const auto& e = m_c.channel.die.erase;
    if (e.loops_fresh > e.loops) {
        reject(
            {"flash.erase.loops_fresh", "flash.erase.loops"},
            fmt::format("a new block cannot need {} loops of at most {}", e.loops_fresh, e.loops),
            "lower flash.erase.loops_fresh or raise flash.erase.loops");
    }
    if (e.ramp + e.recovery >= e.loop_time) {
        reject({"flash.erase.ramp", "flash.erase.recovery"},
               fmt::format("ramp {} and recovery {} leave no execution in a loop of {}",
                           format_time(e.ramp), format_time(e.recovery), format_time(e.loop_time)),
               "shorten them");
    }
}

void checker::erase_times() const
{
    const auto& e = m_c.channel.die.erase;
    const raw_entry* total = given("nand.tBERS");
    if (total == nullptr || given("flash.erase.loop_time") == nullptr) {
        return;
    }
    const option* o = find_option(option_table(), "nand.tBERS");
    const auto tBERS = std::get<sim_time>(parse_value(o->spec, total->items, total->is_list));
    // The pulse may be tBERS / loops rounded up to a whole picosecond.
    if (e.loop_time * e.loops < tBERS || tBERS + sim_time(e.loops - 1) < e.loop_time * e.loops) {
        reject({"flash.erase.loop_time"},
               fmt::format("{} loops of {} make {}, but nand.tBERS is {} ({})", e.loops,
                           format_time(e.loop_time), format_time(e.loop_time * e.loops),
                           format_time(tBERS), total->at.text()),
               "give one of the two, with `default` for the other");
    }
}

void checker::interface_rate() const
{
    const interface_rates legal = rates_of(m_c.channel.bus.mode);
    const std::uint64_t r = m_c.channel.bus.transfer_rate.per_second();
    if (r >= legal.min && r <= legal.max) {
        return;
    }
    const option* o = find_option(option_table(), "nand.interface.rate");
    const auto text = [&](std::uint64_t v) { return format_value(o->spec, v); };
    reject({"nand.interface.rate", "nand.interface.mode"},
           fmt::format("{} is not legal with {}", text(r), told("nand.interface.mode")),
           legal.min == legal.max
               ? fmt::format("leave it out: the mode runs at {}", text(legal.usual))
               : fmt::format("allowed is {}..{}", text(legal.min), text(legal.max)));
}

/// The other arbiters fix the order of operations, which a suspend would break: none ever came.
void checker::suspend() const
{
    if (m_c.channel.die.suspend.kind != flash::suspend_kind::none && keeps_order()) {
        reject({"flash.suspend.policy", "flash.arbiter"},
               fmt::format("suspending an erase breaks the order that {} keeps",
                           told("flash.arbiter")),
               "use flash.arbiter: out_of_order, or flash.suspend.policy: none");
    }
}

bool checker::keeps_order() const
{
    return m_c.channel.arbiter == flash::arbiter_kind::sequential ||
           m_c.channel.arbiter == flash::arbiter_kind::interleaved;
}

void checker::sharing() const
{
    const std::pair<const char*, bool> choices[] = {{"flash.join_planes", m_c.channel.join_planes},
                                                    {"flash.use_cache", m_c.channel.use_cache}};
    for (const auto& [key, on] : choices) {
        if (on && keeps_order()) {
            reject({key, "flash.arbiter"},
                   fmt::format("operations that share a command sequence break the order that {} "
                               "keeps",
                               told("flash.arbiter")),
                   fmt::format("use flash.arbiter: out_of_order, or {}: false", key));
        }
    }
}

void checker::program_modes() const
{
    const flash::array_timing& t = m_c.channel.die.timing;
    const auto zero = [](sim_time time) { return time == sim_time(); };
    if (zero(t.slc.tR) != zero(t.slc.tPROG) || zero(t.slc.tR) != zero(t.slc.tBERS)) {
        reject({"nand.slc_mode.tR", "nand.slc_mode.tPROG", "nand.slc_mode.tBERS"},
               "SLC mode has a read, a program and an erase, and not all three have a time",
               "give nand.slc_mode.tR, tPROG and tBERS, or none of them");
    }
    if (m_c.write == write_mode::slc) {
        slc_mode();
    }
    if (!zero(t.tPROG_word_line) && !m_c.channel.die.one_pass) {
        reject({"nand.tPROG_word_line"}, "the part programs page by page",
               "use nand.one_pass: true");
    }
}

/// write.mode slc: a block has one page per word line, for everything that the drive does.
void checker::slc_mode() const
{
    const flash::die_config& die = m_c.channel.die;
    if (die.cell == flash::cell_type::slc) {
        reject({"write.mode", "nand.cell"},
               fmt::format("cells of one bit have no other mode: {}", told("nand.cell")),
               "use write.mode: normal");
    }
    if (die.timing.slc.tPROG == sim_time()) {
        reject({"write.mode"}, "the part has no SLC mode",
               "give nand.slc_mode.tR, nand.slc_mode.tPROG and nand.slc_mode.tBERS");
    }
    if (die.one_pass) {
        reject({"write.mode", "nand.one_pass"},
               "a word line in SLC mode has one page: there are none to load before it",
               "use write.mode: normal, or nand.one_pass: false");
    }
    if (block_pages(m_c) == 0) {
        reject({"write.mode", "nand.pages_per_block"},
               fmt::format("{} make no whole word line of {}", told("nand.pages_per_block"),
                           told("nand.cell")),
               fmt::format("use nand.pages_per_block of {} or more", static_cast<int>(die.cell)));
    }
}

void checker::queues() const
{
    if (m_c.driver.queue_pairs > m_c.nvme.queue_pairs) {
        reject({"host.driver.queue_pairs", "host.nvme.queue_pairs"},
               fmt::format("{} is more than {}", told("host.driver.queue_pairs"),
                           told("host.nvme.queue_pairs")),
               fmt::format("use at most {}", m_c.nvme.queue_pairs));
    }
    if (m_c.driver.queue_entries > m_c.nvme.queue_entries) {
        reject({"host.driver.queue_entries", "host.nvme.queue_entries"},
               fmt::format("{} is more than {}", told("host.driver.queue_entries"),
                           told("host.nvme.queue_entries")),
               fmt::format("use at most {}", m_c.nvme.queue_entries));
    }
}

/// What firmware names units and counts them by.
void checker::addresses() const
{
    const auto& geo = m_c.channel.die.geo;
    if (user_units(m_c) / m_c.ftl_cores > SPARE_INDEXES) {
        reject({"nand.blocks_per_plane", "nand.pages_per_block", "flash.channels",
                "flash.luns_per_channel", "nand.planes", "ftl.map_unit", "nand.page_size"},
               fmt::format("{} units are more than the {} that spare words can name",
                           user_units(m_c), SPARE_INDEXES),
               "use fewer of one of them, or a larger ftl.map_unit");
    }
    constexpr std::uint64_t superblock_max = 0xFFFFFFFF; // one word of firmware's counts
    if (superblock_units(m_c) > superblock_max) {
        reject({"nand.pages_per_block", "flash.channels", "flash.luns_per_channel", "nand.planes",
                "ftl.map_unit", "nand.page_size"},
               fmt::format("{} units in a superblock do not fit 32 bits: {}, {}, {}, {}, {}",
                           superblock_units(m_c), told("nand.pages_per_block"),
                           told("flash.channels"), told("flash.luns_per_channel"),
                           told("nand.planes"), told("ftl.map_unit")),
               "use fewer of one of them, or a larger ftl.map_unit");
    }
    constexpr std::uint64_t units_per_page_max = 32; // one word of firmware's masks
    const std::uint64_t units_per_page = geo.page_size / m_c.ftl.map_unit;
    if (units_per_page > units_per_page_max) {
        reject({"ftl.map_unit", "nand.page_size"},
               fmt::format("{} units in a page are more than {}: {}, {}", units_per_page,
                           units_per_page_max, told("ftl.map_unit"), told("nand.page_size")),
               "use a larger ftl.map_unit");
    }
    static_assert(units_per_page_max * 8 <= GROUP_MAX, "8 planes of such pages fit a group");
}

/// Firmware gets the marks in thousandths.
void checker::collection() const
{
    const auto thousandths = [](double share) { return std::lround(share * 1000.0); };
    if (thousandths(m_c.ftl.gc_threshold) >= thousandths(m_c.ftl.gc_stop)) {
        reject({"gc.threshold", "gc.stop"},
               fmt::format("{} is not below {}", told("gc.threshold"), told("gc.stop")),
               "use a gc.stop above gc.threshold by 0.001 or more");
    }
}

void checker::copyback() const
{
    if (!m_c.ftl.gc_copyback) {
        return;
    }
    if (m_c.channel.die.one_pass) {
        reject({"gc.copyback", "nand.one_pass"},
               "a copyback programs a page, but the part programs word lines",
               "use gc.copyback: false, or nand.one_pass: false");
    }
    if (m_c.channel.die.errors.rber > 0.0 && m_c.channel.ecc.kind == flash::ecc_kind::none) {
        reject({"gc.copyback", "flash.ecc.kind", "nand.errors.rber"},
               "without a code nothing tells how many wrong bits a copy carries along",
               "use flash.ecc.kind: bch or ldpc, or gc.copyback: false");
    }
}

void checker::buffer() const
{
    const std::uint64_t least = buffer_bytes_needed(m_c);
    if (buffer_has(m_c, CACHE_BUFFERS) && m_c.cache.capacity < least) {
        reject({"cache.capacity", "cache.policy", "nand.page_size", "nand.planes"},
               fmt::format("{} holds less than {} write units of {}", told("cache.capacity"),
                           write_units_buffered(m_c), format_size(write_unit_bytes(m_c))),
               fmt::format("use {} or more, or cache.policy: none", format_size(least)));
    }
}

void checker::an_end() const
{
    const auto& r = m_c.run;
    for (const auto& s : m_c.workload.streams) {
        if (r.requests != 0 || r.duration.ps() != 0 || s.requests != 0 || s.duration.ps() != 0 ||
            r.until == run_until::steady) {
            continue;
        }
        reject({"run.requests"},
               fmt::format("the run never ends: stream '{}' has no limit", s.name),
               "give run.requests, run.duration, or requests or duration of the stream");
    }
}

void checker::stream(std::size_t index) const
{
    const auto& s = m_c.workload.streams[index];
    const std::uint64_t drive = host_bytes(m_c);
    const std::string size = fmt::format("the drive's {} bytes (after ftl.over_provisioning{})",
                                         drive, drive == logical_bytes(m_c) ? "" : " and metadata");
    if (s.range_start >= drive) {
        reject_stream(index, "range.start",
                      fmt::format("{} is beyond {}", format_size(s.range_start), size),
                      "use a smaller range.start");
    }
    const std::uint64_t span = s.range_size == 0 ? drive - s.range_start : s.range_size;
    if (s.range_start + span > drive) {
        reject_stream(index, "range.size",
                      fmt::format("{} from {} ends beyond {}", format_size(s.range_size),
                                  format_size(s.range_start), size),
                      fmt::format("use at most {}, or all", format_size(drive - s.range_start)));
    }
    if (s.read_fua && is_sata(m_c) && !m_c.driver.sata.queued) {
        reject_stream(index, "read_fua", "only queued reads of SATA have Force Unit Access",
                      "use host.sata.ncq: true, or read_fua: false");
    }
    if (s.block_size > span) {
        reject_stream(index, "block_size",
                      fmt::format("{} is larger than the range of {}", format_size(s.block_size),
                                  format_size(span)),
                      "use a smaller block_size or a larger range");
    }
    const bool stack =
        s.pattern == host::pattern_kind::lru || s.pattern == host::pattern_kind::hclru;
    if (stack && span / s.block_size > host::lru_blocks_max) {
        reject_stream(index, "pattern",
                      fmt::format("an LRU stack holds {} blocks at most, the range has {}",
                                  host::lru_blocks_max, span / s.block_size),
                      fmt::format("use a range.size of at most {}, or a larger block_size",
                                  format_size(host::lru_blocks_max * s.block_size)));
    }
}

void checker::stream_names() const
{
    const auto& streams = m_c.workload.streams;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (streams[i].name == streams[j].name) {
                reject_stream(i, "name",
                              fmt::format("'{}' is the name of stream {} too", streams[i].name, j),
                              "give each stream its own name");
            }
        }
    }
}

} // namespace

std::string told(const raw_tree& raw, const ssd_config& c, const char* key)
{
    const option* o = find_option(option_table(), key);
    const auto entry = raw.values.find(key);
    return fmt::format("{} {} ({})", key, format_value(o->spec, o->get(c)),
                       entry == raw.values.end() ? std::string("default")
                                                 : entry->second.at.text());
}

void check(const raw_tree& raw, const ssd_config& c)
{
    check_partitions(raw, c);
    checker(raw, c).run();
    check_dram(raw, c);
    check_pcie(raw, c);
    check_power(raw, c);
    check_thermal(raw, c);
    check_power_states(raw, c);
    check_cores(raw, c);
    check_shallow(raw, c);
    check_nvme(raw, c);
    check_directives(raw, c);
    check_slc_cache(raw, c);
    check_map_memory(raw, c);
    check_precondition(raw, c);
}

void check_workload(const raw_tree& raw, const ssd_config& c)
{
    checker(raw, c).workload();
}

} // namespace ssdvp::platform
