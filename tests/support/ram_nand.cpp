// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ram_nand.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "firmware/space/reserve.h"
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/gc_policy.h"
#include "models/regs/irq_regs.h"
#include "models/regs/nor_regs.h"
#include "models/regs/thermal_regs.h"
#include "models/regs/timer_regs.h"

namespace ssdvp::test {

namespace {

constexpr std::uint32_t anchor_copies = 2; // whose blocks are erased beside the superblocks'

/// Its own data, or the map page that tells where they are.
bool host_waits_for(const flash_desc& d)
{
    const bool searches = d.purpose == FLASH_PURPOSE_SCAN && d.priority == 0; // for a host read
    return d.op == FLASH_OP_READ &&
           (d.purpose == FLASH_PURPOSE_HOST || d.purpose == FLASH_PURPOSE_MAP || searches);
}

/// Numbers that a channel knows the names of: what nobody has set is none of them.
bool is_told(const flash_desc& d)
{
    return d.op >= FLASH_OP_READ && d.op <= FLASH_OP_COPYBACK && d.purpose < FLASH_PURPOSES &&
           d.wait < FE_WAITS;
}

std::uint32_t offset_in(std::uint64_t address, std::uint64_t base)
{
    return static_cast<std::uint32_t>(address - base);
}

} // namespace

ram_config tiny_drive()
{
    ram_config c;
    boot_params& p = c.params;
    p.magic = BOOT_PARAMS_MAGIC;
    p.version = BOOT_PARAMS_VERSION;
    p.sram_size = 1u << 20;
    p.dram_size = 16u << 20;
    p.geometry.channels = 2;
    p.geometry.luns_per_channel = 2;
    p.geometry.planes = 2;
    p.geometry.blocks_per_plane = 24;
    p.geometry.pages_per_block = 8;
    p.geometry.page_size = 8192;
    p.geometry.oob_size = 64;
    p.wear.endurance = 3000;
    p.ftl.map_unit = 4096;
    p.ftl.scheme = FTL_SCHEME_PAGE_MAP;
    // 24 superblocks of 4 LUNs x 2 planes x 8 pages x 2 units = 128 units
    p.ftl.user_units = 17 * 128;
    p.map.checkpoint_units = 4 * 24 * 128; // seldom: 4 times all that there is
    p.cache.policy = CACHE_POLICY_WO_LRU;
    p.gc.policy = GC_POLICY_GREEDY;
    p.cache.capacity = 64 * 4096;
    p.gc.low_permille = 100;
    p.gc.high_permille = 150;
    p.wear.static_delta = 0;
    p.wear.dynamic = 1;
    p.host.trim = 1;
    p.ftl.multi_plane = 1;
    p.host.queue_pairs = 4;
    p.host.mdts = 65536;
    p.host.data_mode = 1;
    return c;
}

ram_config one_plane()
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.geometry.channels = p.geometry.luns_per_channel = p.geometry.planes = 1;
    p.geometry.blocks_per_plane = 96;
    p.geometry.pages_per_block = 8;
    p.geometry.page_size = p.ftl.map_unit = sector;
    p.geometry.oob_size = 16;
    p.ftl.user_units = 384;
    p.host.mdts = 4096;
    p.map.checkpoint_units = 1u << 12;
    return c;
}

void anchor_apart(ram_config& c)
{
    boot_params& p = c.params;
    const std::uint32_t luns = p.geometry.channels * p.geometry.luns_per_channel;
    if (reserve_small(luns, p.geometry.planes)) { // whole superblocks are its own
        p.geometry.blocks_per_plane += (ANCHOR_BLOCKS + p.geometry.planes - 1) / p.geometry.planes;
        return;
    }
    p.geometry.blocks_per_plane += ANCHOR_COPIES * ANCHOR_BLOCKS;
    const std::uint32_t middle = p.geometry.blocks_per_plane / 2;
    for (std::uint32_t block = middle - ANCHOR_BLOCKS; block < middle + ANCHOR_BLOCKS; ++block) {
        const std::uint32_t owner = block < middle ? luns - 1 : 0;
        for (std::uint32_t n = 0; n < luns * p.geometry.planes; ++n) {
            if (n != owner) { // plane 0 of that LUN
                c.factory_bad.insert({n % luns % p.geometry.channels,
                                      n % luns / p.geometry.channels, n / luns, block});
            }
        }
    }
}

ram_nand::ram_nand(const ram_config& c) : ram_cells(c), host_memory(c.host_memory), m_random(c.seed)
{
    fill_ops();
    reset_hardware();
    start_core();
}

ram_nand::~ram_nand()
{
    m_stopping = true;
    if (m_powered && !m_panicked && !m_ended) {
        run_firmware();
    }
}

/// Firmware wakes, or goes round again and asks whether it should stop.
int ram_nand::begin_round()
{
    for (ram_channel& ch : m_channels) {
        ch.rung = 0;
    }
    m_fe.move_rung = 0;
    return m_stopping ? 1 : 0;
}

void ram_nand::entry(unsigned high, unsigned low)
{
    auto* self = reinterpret_cast<ram_nand*>((std::uintptr_t{high} << 32) | low);
    (self->config.firmware != nullptr ? *self->config.firmware : ssdvp_firmware).main(&self->m_hal);
    self->m_ended = true;
}

void ram_nand::run_firmware()
{
    if (!m_panicked && !m_ended) {
        swapcontext(&m_test, &m_core);
    }
}

bool ram_nand::step()
{
    if (!m_powered || m_panicked || m_ended) {
        return false;
    }
    if (!m_asleep || (m_pending & m_enabled) != 0) {
        run_firmware();
    } else if (m_events.empty()) {
        return false;
    } else if (m_timer <= m_events.top().time) {
        fire_timer();
    } else {
        const event e = m_events.top();
        m_events.pop();
        m_now = e.time;
        if (e.kind == 0) {
            end_operation(e.index, e.lun);
        } else {
            end_move(e.index);
        }
    }
    if (m_dying) {
        power_off();
    }
    return true;
}

void ram_nand::fire_timer()
{
    m_now = m_timer;
    m_timer = never;
    m_pending |= 1ull << IRQ_LINE_TIMER0;
}

bool ram_nand::elapse()
{
    settle();
    if (m_timer == never || m_panicked || !m_powered) {
        return false;
    }
    fire_timer();
    settle();
    return true;
}

void ram_nand::wait_until(std::uint64_t ns)
{
    settle();
    while (m_timer != never && m_timer <= ns && m_powered && !m_panicked) {
        fire_timer();
        settle();
    }
    m_now = std::max(m_now, ns);
}

void ram_nand::settle()
{
    while (step()) {
    }
}

const telemetry& ram_nand::counters() const
{
    return *reinterpret_cast<const telemetry*>(sram() + BOOT_TELEMETRY_OFFSET);
}

std::uint32_t ram_nand::free_slots() const
{
    std::uint32_t n = 0;
    for (const ram_slot& s : m_fe.slots) {
        n += s.busy ? 0 : 1;
    }
    return n;
}

void ram_nand::schedule(std::uint32_t kind, std::uint32_t index, std::uint32_t lun)
{
    const std::uint64_t delay = config.random_delays ? 1 + m_random() % (kind == 0 ? 200 : 20) : 1;
    m_events.push({m_now + delay, m_order++, kind, index, lun});
}

// ---- registers ----

std::uint32_t ram_nand::thermal_read(std::uint32_t at)
{
    heat.looks += at == THERMAL_REG_COMPOSITE ? 1 : 0;
    return at == THERMAL_REG_COMPOSITE    ? heat.composite
           : at == THERMAL_REG_CONTROLLER ? heat.controller
           : at == THERMAL_REG_ENERGY     ? heat.microjoules
                                          : heat.nand;
}

void ram_nand::thermal_write(std::uint32_t at, std::uint32_t value)
{
    std::uint32_t& kept = at == THERMAL_REG_LOW     ? heat.low
                          : at == THERMAL_REG_HIGH  ? heat.high
                          : at == THERMAL_REG_LEVEL ? heat.level
                          : at == THERMAL_REG_POWER ? heat.power
                                                    : heat.divider;
    kept = value;
}

std::uint32_t ram_nand::read32(std::uint64_t address)
{
    if (address >= MAP_NVME_BASE && address < MAP_NVME_BASE + MAP_NVME_SIZE) {
        return fe_read(offset_in(address, MAP_NVME_BASE));
    }
    if (address >= MAP_SATA_BASE && address < MAP_SATA_BASE + MAP_SATA_SIZE) {
        return sata_read(offset_in(address, MAP_SATA_BASE));
    }
    if (address >= MAP_THERMAL_BASE && address < MAP_THERMAL_BASE + MAP_THERMAL_SIZE) {
        return thermal_read(offset_in(address, MAP_THERMAL_BASE));
    }
    if (address == MAP_NOR_BASE + NOR_REG_STATUS) {
        return m_nor_command == NOR_PROGRAM ? 0 : NOR_STATUS_FAILED; // nothing is kept
    }
    violate("read of an unexpected register");
    return 0;
}

void ram_nand::write32(std::uint64_t address, std::uint32_t value)
{
    if (address >= MAP_CHANNEL_BASE) {
        const std::uint32_t at = offset_in(address, MAP_CHANNEL_BASE);
        channel_write(at / MAP_CHANNEL_SIZE, at % MAP_CHANNEL_SIZE, value);
    } else if (address == MAP_IRQ_BASE + IRQ_REG_ENABLE_LO) {
        m_enabled = (m_enabled & ~0xFFFFFFFFull) | value;
    } else if (address == MAP_IRQ_BASE + IRQ_REG_ENABLE_HI) {
        m_enabled = (m_enabled & 0xFFFFFFFFull) | (std::uint64_t{value} << 32);
    } else if (address == MAP_NOR_BASE + NOR_REG_COMMAND) {
        m_nor_command = value;
        m_pending |= 1ull << IRQ_LINE_NOR;
    } else if (address > MAP_NOR_BASE && address < MAP_NOR_BASE + MAP_NOR_SIZE) {
        return;
    } else if (address >= MAP_THERMAL_BASE && address < MAP_THERMAL_BASE + MAP_THERMAL_SIZE) {
        thermal_write(offset_in(address, MAP_THERMAL_BASE), value);
    } else if (address == MAP_TIMER_BASE + TIMER_REG_ONESHOT) {
        m_timer = value == 0 ? never : m_now + value;
    } else if (address >= MAP_NVME_BASE && address < MAP_NVME_BASE + MAP_NVME_SIZE) {
        fe_write(offset_in(address, MAP_NVME_BASE), value);
    } else if (address >= MAP_SATA_BASE && address < MAP_SATA_BASE + MAP_SATA_SIZE) {
        fe_write(offset_in(address, MAP_SATA_BASE), value); // those that it writes are the same
    } else {
        violate("write of an unexpected register");
    }
}

void ram_nand::channel_write(std::uint32_t channel, std::uint32_t offset, std::uint32_t value)
{
    ram_channel& ch = m_channels.at(channel);
    switch (offset) {
    case CHANNEL_REG_SQ_BASE_LO:
        ch.sq = value;
        break;
    case CHANNEL_REG_SQ_SIZE:
        ch.sq_size = value;
        break;
    case CHANNEL_REG_SQ_TAIL:
        if (++ch.rung > 1 && !m_functional && m_fe.csts != 0) {
            violate("two doorbells of a channel in one round");
        }
        take_descriptors(channel, value);
        break;
    case CHANNEL_REG_CQ_BASE_LO:
        ch.cq = value;
        break;
    case CHANNEL_REG_CQ_SIZE:
        ch.cq_size = value;
        break;
    case CHANNEL_REG_CQ_HEAD:
        ch.cq_head = value;
        break;
    case CHANNEL_REG_INT_ENABLE:
        ch.enabled = value != 0;
        break;
    case CHANNEL_REG_SUSPEND:
        suspend_asked[channel] = value;
        break;
    default:
        break;
    }
}

// ---- channels ----

void ram_nand::take_descriptors(std::uint32_t channel, std::uint32_t tail)
{
    ram_channel& ch = m_channels[channel];
    while (ch.tail != tail && !m_dying) {
        flash_desc d;
        std::memcpy(&d, memory(ch.sq) + ch.tail * sizeof d, sizeof d);
        ch.tail = (ch.tail + 1) % ch.sq_size;
        if (!is_told(d)) {
            violate("operation, purpose or reason to wait that nobody has set");
        }
        if (m_functional) {
            post(channel, perform(channel, d));
            continue;
        }
        ram_lun& lun = ch.luns.at(d.lun);
        if (host_waits_for(d)) {
            std::uint64_t ahead = 0;
            for (const flash_desc& w : lun.waiting) {
                ahead += host_waits_for(w) ? 0 : 1;
            }
            host_reads_behind_max = std::max(host_reads_behind_max, ahead);
        } else if (++lun.background > (takes_passes(d) ? config.params.geometry.word_line : 1)) {
            violate("two operations other than reads for the host in hardware on one LUN");
        }
        if (d.op == FLASH_OP_ERASE &&
            ++m_erases_in_flight >
                anchor_copies + std::max(1u, config.params.geometry.channels *
                                                 config.params.geometry.luns_per_channel / 4)) {
            violate("too many erases in flight");
        }
        lun.waiting.push_back(d);
        if (lun.waiting.size() == 1) {
            begin_operation(channel, d.lun);
        }
    }
}

void ram_nand::begin_operation(std::uint32_t channel, std::uint32_t l)
{
    const flash_desc& d = m_channels[channel].luns[l].waiting.front();
    m_reads += d.op == FLASH_OP_READ ? 1 : 0;
    schedule(0, channel, l);
    cut_at(d, false);
}

void ram_nand::end_operation(std::uint32_t channel, std::uint32_t l)
{
    ram_lun& lun = m_channels[channel].luns[l];
    const flash_desc d = lun.waiting.front();
    const flash_completion c = perform(channel, d);
    lun.waiting.pop_front();
    lun.background -= host_waits_for(d) ? 0 : 1;
    m_erases_in_flight -= d.op == FLASH_OP_ERASE ? 1 : 0;
    if (cut_at(d, true)) {
        return;
    }
    post(channel, c);
    if (!lun.waiting.empty()) {
        begin_operation(channel, l);
    }
}

void ram_nand::post(std::uint32_t channel, const flash_completion& done)
{
    ram_channel& ch = m_channels[channel];
    flash_completion c = done;
    c.phase = static_cast<std::uint8_t>(ch.phase);
    if ((ch.cq_tail + 1) % ch.cq_size == ch.cq_head) {
        violate("completion ring overrun");
    }
    std::memcpy(memory(ch.cq) + ch.cq_tail * sizeof c, &c, sizeof c);
    wrote(ch.cq + ch.cq_tail * sizeof c, sizeof c);
    ch.cq_tail = (ch.cq_tail + 1) % ch.cq_size;
    ch.phase ^= ch.cq_tail == 0 ? 1u : 0u;
    if (ch.enabled) {
        m_pending |= 1ull << (IRQ_LINE_CHANNEL0 + channel % IRQ_CHANNEL_LINES);
    }
}

void ram_nand::set_feature(std::uint32_t channel, const flash_desc& d)
{
    std::uint32_t value = 0;
    if (m_functional || d.length != sizeof value || d.column > 0xFF) {
        violate("set features that the LUN would refuse");
        return;
    }
    std::memcpy(&value, memory(d.buffer), sizeof value);
    features[{channel, d.lun, d.column}] = value;
}

int ram_nand::precondition(const std::vector<std::uint64_t>& units,
                           const std::vector<std::uint64_t>& tags)
{
    const std::uint64_t buffer = MAP_DRAM_BASE + config.params.dram_size;
    const std::uint32_t sectors = config.params.ftl.map_unit / sector;
    for (std::size_t i = 0; i < tags.size(); ++i) {
        std::memcpy(memory(buffer + i * sector), &tags[i], 8);
        wrote(buffer + i * sector, 8);
    }
    if (!tags.empty() && tags.size() != units.size() * sectors) {
        throw std::runtime_error("one tag a sector");
    }
    m_functional = true;
    const int r = ssdvp_firmware.precondition(&m_hal, units.data(),
                                              static_cast<std::uint32_t>(units.size()), buffer);
    m_functional = false;
    return r;
}

int ram_nand::precondition_end()
{
    m_functional = true;
    const int r = ssdvp_firmware.precondition_end(&m_hal);
    m_functional = false;
    return r;
}

bool ram_nand::precondition_by_counts(std::uint64_t units, std::uint64_t overwrites,
                                      std::uint64_t seed, const std::vector<std::uint64_t>& tags)
{
    const firmware_counts& counts = *ssdvp_firmware.counts;
    const firmware_counted what = {units, overwrites, seed, batch, nullptr, 0};
    m_functional = true;
    const bool begun = counts.begin(&m_hal, &what) == 0;
    for (std::uint64_t left = 1; begun && left != 0;) {
        left = counts.write(&m_hal, 1000);
        if (left == FIRMWARE_COUNTS_FULL) {
            throw std::runtime_error("no space left");
        }
    }
    if (begun) {
        deal_counted(tags);
    }
    m_functional = false;
    return begun;
}

bool ram_nand::precondition_by_counts(const std::vector<std::uint64_t>& units,
                                      const std::vector<std::uint64_t>& tags,
                                      const std::function<void()>& each)
{
    const firmware_counts& counts = *ssdvp_firmware.counts;
    std::vector<std::uint32_t> table(counts.places(&m_hal));
    const firmware_counted what = {
        config.params.ftl.user_units, 0, 0, batch, table.data(), each ? 1u : 0u};
    m_functional = true;
    const bool begun = counts.begin(&m_hal, &what) == 0;
    const std::uint64_t some = each ? 1 : 1001; // at a time: no multiple of a write unit
    for (std::uint64_t i = 0; begun && i < units.size(); i += some) {
        const auto n = static_cast<std::uint32_t>(std::min(some, units.size() - i));
        if (counts.give(&m_hal, units.data() + i, n) != 0) {
            throw std::runtime_error("no space left");
        }
        if (each) {
            each();
        }
    }
    if (begun) {
        counts.give(&m_hal, nullptr, 0);
        deal_counted(tags);
    }
    m_functional = false;
    return begun;
}

void ram_nand::deal_counted(const std::vector<std::uint64_t>& tags)
{
    const std::uint64_t buffer = MAP_DRAM_BASE + config.params.dram_size;
    const std::uint32_t sectors = config.params.ftl.map_unit / sector;
    std::vector<std::uint64_t> asked(batch);
    while (const std::uint32_t n = ssdvp_firmware.counts->deal(&m_hal, asked.data(), buffer)) {
        for (std::uint64_t i = 0; i < n * sectors && !tags.empty(); ++i) {
            const std::uint64_t unit = asked[i / sectors];
            const std::uint64_t tag =
                unit == FIRMWARE_NO_UNIT ? 0 : tags[unit * sectors + i % sectors];
            std::memcpy(memory(buffer + i * sector), &tag, sizeof tag);
        }
    }
}

std::vector<superblock_figures> ram_nand::superblocks()
{
    std::vector<superblock_figures> all(config.params.geometry.blocks_per_plane);
    all.resize(std::min<std::size_t>(all.size(),
                                     read_superblocks(m_hal.sram, m_hal.dram, all.data(),
                                                      config.params.geometry.blocks_per_plane)));
    return all;
}

} // namespace ssdvp::test
