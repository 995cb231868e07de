// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ram_nand.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>

#include "models/regs/irq_regs.h"
#include "models/regs/timer_regs.h"

namespace ssdvp::test {

namespace {

constexpr std::size_t stack_size = 1u << 20;
constexpr std::uint32_t sector = 512;

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
    p.channels = 2;
    p.luns_per_channel = 2;
    p.planes = 2;
    p.blocks_per_plane = 24;
    p.pages_per_block = 8;
    p.page_size = 8192;
    p.oob_size = 64;
    p.endurance = 3000;
    p.map_unit = 4096;
    p.ftl_scheme = BOOT_FTL_PAGE_MAP;
    // 24 superblocks of 4 LUNs x 2 planes x 8 pages x 2 units = 128 units
    p.user_units = 17 * 128;
    p.cache_policy = BOOT_CACHE_WO_LRU;
    p.gc_policy = BOOT_GC_GREEDY;
    p.cache_capacity = 64 * 4096;
    p.gc_low_permille = 100;
    p.gc_high_permille = 150;
    p.wear_static_delta = 0;
    p.wear_dynamic = 1;
    p.trim = 1;
    p.multi_plane = 1;
    p.queue_pairs = 4;
    p.mdts = 65536;
    p.data_mode = 1;
    return c;
}

ram_nand::ram_nand(const ram_config& c) : config(c), m_random(c.seed)
{
    const boot_params& p = config.params;
    m_sram.resize(p.sram_size);
    m_dram =
        static_cast<std::uint8_t*>(mmap(nullptr, p.dram_size + (16u << 20), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (m_dram == MAP_FAILED) {
        throw std::runtime_error("no memory for the drive");
    }
    std::memcpy(m_sram.data() + BOOT_PARAMS_OFFSET, &p, sizeof p);
    m_channels.resize(p.channels);
    for (channel_state& ch : m_channels) {
        ch.luns.resize(p.luns_per_channel);
    }
    m_blocks.resize(std::size_t{p.channels} * p.luns_per_channel * p.planes * p.blocks_per_plane);
    m_slots.resize(config.slots);
    m_ops.read32 = [](void* self, std::uint64_t a) {
        return static_cast<ram_nand*>(self)->read32(a);
    };
    m_ops.write32 = [](void* self, std::uint64_t a, std::uint32_t v) {
        static_cast<ram_nand*>(self)->write32(a, v);
    };
    m_ops.wait_irq = [](void* s) -> std::uint64_t {
        auto* self = static_cast<ram_nand*>(s);
        while ((self->m_pending & self->m_enabled) == 0 && !self->m_stopping) {
            self->m_asleep = true;
            swapcontext(&self->m_core, &self->m_test);
        }
        self->m_asleep = false;
        ++self->m_wakes;
        self->begin_round();
        const std::uint64_t lines = self->m_pending & self->m_enabled;
        self->m_pending &= ~lines;
        return lines;
    };
    m_ops.time_ns = [](void* self) { return static_cast<ram_nand*>(self)->m_now; };
    m_ops.log = [](void*, int, const char*, std::uint64_t, std::uint64_t) {};
    m_ops.panic = [](void* s, const char* file, int line, const char* message) {
        auto* self = static_cast<ram_nand*>(s);
        self->m_panicked = true;
        self->m_panic_text = std::string(file) + ":" + std::to_string(line) + ": " + message;
        std::fprintf(stderr, "firmware panic: %s\n", self->m_panic_text.c_str());
        if (self->m_functional) {
            throw std::runtime_error(self->m_panic_text);
        }
        for (;;) {
            swapcontext(&self->m_core, &self->m_test);
        }
    };
    m_ops.stopping = [](void* self) { return static_cast<ram_nand*>(self)->begin_round(); };
    m_hal.ops = &m_ops;
    m_hal.ctx = this;
    m_hal.sram = m_sram.data();
    m_hal.dram = m_dram;
    m_stack.resize(stack_size);
    getcontext(&m_core);
    m_core.uc_stack.ss_sp = m_stack.data();
    m_core.uc_stack.ss_size = m_stack.size();
    m_core.uc_link = &m_test;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&m_core, reinterpret_cast<void (*)()>(&ram_nand::entry), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    settle();
}

ram_nand::~ram_nand()
{
    m_stopping = true;
    if (!m_panicked && !m_ended) {
        run_firmware();
    }
    munmap(m_dram, config.params.dram_size + (16u << 20));
}

/// Firmware wakes, or goes round again and asks whether it should stop.
int ram_nand::begin_round()
{
    for (channel_state& ch : m_channels) {
        ch.rung = 0;
    }
    m_move_rung = 0;
    return m_stopping ? 1 : 0;
}

void ram_nand::entry(unsigned high, unsigned low)
{
    auto* self = reinterpret_cast<ram_nand*>((std::uintptr_t{high} << 32) | low);
    ssdvp_firmware.main(&self->m_hal);
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
    if (m_panicked || m_ended) {
        return false;
    }
    if (!m_asleep || (m_pending & m_enabled) != 0) {
        run_firmware();
        return true;
    }
    if (m_events.empty()) {
        return false;
    }
    if (m_timer <= m_events.top().time) {
        fire_timer();
        return true;
    }
    const event e = m_events.top();
    m_events.pop();
    m_now = e.time;
    if (e.kind == 0) {
        end_operation(e.index, e.lun);
    } else {
        end_move(e.index);
    }
    return true;
}

void ram_nand::fire_timer()
{
    m_now = m_timer;
    m_timer = never;
    m_pending |= 1ull << IRQ_LINE_TIMER;
}

bool ram_nand::elapse()
{
    settle();
    if (m_timer == never || m_panicked) {
        return false;
    }
    fire_timer();
    settle();
    return true;
}

void ram_nand::settle()
{
    while (step()) {
    }
}

void ram_nand::violate(const std::string& what)
{
    if (m_broken.size() < 20) {
        m_broken.push_back(what);
    }
}

std::uint8_t* ram_nand::memory(std::uint64_t address)
{
    return static_cast<std::uint8_t*>(hal_pointer(&m_hal, address));
}

const telemetry& ram_nand::counters() const
{
    return *reinterpret_cast<const telemetry*>(m_sram.data() + BOOT_TELEMETRY_OFFSET);
}

std::uint32_t ram_nand::free_slots() const
{
    std::uint32_t n = 0;
    for (const slot_state& s : m_slots) {
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

std::uint32_t ram_nand::read32(std::uint64_t address)
{
    if (address >= MAP_NVME_BASE && address < MAP_NVME_BASE + MAP_NVME_SIZE) {
        return fe_read(offset_in(address, MAP_NVME_BASE));
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
    } else if (address == MAP_TIMER_BASE + TIMER_REG_ONESHOT) {
        m_timer = value == 0 ? never : m_now + value;
    } else if (address >= MAP_NVME_BASE && address < MAP_NVME_BASE + MAP_NVME_SIZE) {
        fe_write(offset_in(address, MAP_NVME_BASE), value);
    } else {
        violate("write of an unexpected register");
    }
}

void ram_nand::channel_write(std::uint32_t channel, std::uint32_t offset, std::uint32_t value)
{
    channel_state& ch = m_channels.at(channel);
    switch (offset) {
    case CHANNEL_REG_SQ_BASE_LO:
        ch.sq = value;
        break;
    case CHANNEL_REG_SQ_SIZE:
        ch.sq_size = value;
        break;
    case CHANNEL_REG_SQ_TAIL:
        if (++ch.rung > 1 && !m_functional && m_csts != 0) {
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
    channel_state& ch = m_channels[channel];
    while (ch.tail != tail) {
        flash_desc d;
        std::memcpy(&d, memory(ch.sq) + ch.tail * sizeof d, sizeof d);
        ch.tail = (ch.tail + 1) % ch.sq_size;
        if (m_functional) {
            post(channel, perform(channel, d));
            continue;
        }
        lun_state& lun = ch.luns.at(d.lun);
        if (d.op == FLASH_OP_READ && d.purpose == FLASH_PURPOSE_HOST) {
            std::uint64_t ahead = 0;
            for (const flash_desc& w : lun.waiting) {
                ahead += w.op != FLASH_OP_READ || w.purpose != FLASH_PURPOSE_HOST ? 1 : 0;
            }
            host_reads_behind_max = std::max(host_reads_behind_max, ahead);
        } else if (++lun.background > 1) {
            violate("two operations other than host reads in hardware on one LUN");
        }
        if (d.op == FLASH_OP_ERASE &&
            ++m_erases_in_flight >
                std::max(1u, config.params.channels * config.params.luns_per_channel / 4)) {
            violate("too many erases in flight");
        }
        lun.waiting.push_back(d);
        if (lun.waiting.size() == 1) {
            schedule(0, channel, d.lun);
        }
    }
}

void ram_nand::end_operation(std::uint32_t channel, std::uint32_t l)
{
    lun_state& lun = m_channels[channel].luns[l];
    const flash_desc d = lun.waiting.front();
    const flash_completion c = perform(channel, d);
    lun.waiting.pop_front();
    lun.background -= d.op == FLASH_OP_READ && d.purpose == FLASH_PURPOSE_HOST ? 0 : 1;
    m_erases_in_flight -= d.op == FLASH_OP_ERASE ? 1 : 0;
    post(channel, c);
    if (!lun.waiting.empty()) {
        schedule(0, channel, l);
    }
}

void ram_nand::post(std::uint32_t channel, const flash_completion& done)
{
    channel_state& ch = m_channels[channel];
    flash_completion c = done;
    c.phase = static_cast<std::uint8_t>(ch.phase);
    if ((ch.cq_tail + 1) % ch.cq_size == ch.cq_head) {
        violate("completion ring overrun");
    }
    std::memcpy(memory(ch.cq) + ch.cq_tail * sizeof c, &c, sizeof c);
    ch.cq_tail = (ch.cq_tail + 1) % ch.cq_size;
    ch.phase ^= ch.cq_tail == 0 ? 1u : 0u;
    if (ch.enabled) {
        m_pending |= 1ull << (IRQ_LINE_CHANNEL0 + channel);
    }
}

ram_nand::block_state& ram_nand::block_at(const nand_place& p)
{
    const boot_params& g = config.params;
    return m_blocks.at(
        ((std::size_t{p.channel} * g.luns_per_channel + p.lun) * g.planes + p.plane) *
            g.blocks_per_plane +
        p.block);
}

std::uint32_t ram_nand::erases(const nand_place& p) const
{
    return const_cast<ram_nand*>(this)->block_at(p).erases;
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

std::vector<nand_page> ram_nand::pages() const
{
    const boot_params& g = config.params;
    const std::size_t sectors = g.page_size / sector;
    std::vector<nand_page> all;
    for (const block_state& b : m_blocks) {
        for (std::uint32_t page = 0; page < b.programmed; ++page) {
            nand_page image;
            image.words.resize(1 + g.page_size / g.map_unit);
            std::memcpy(image.words.data(), &b.oob[std::size_t{page} * g.oob_size],
                        image.words.size() * 8);
            if (!b.tags.empty()) {
                image.tags.assign(&b.tags[page * sectors], &b.tags[page * sectors] + sectors);
            }
            all.push_back(std::move(image));
        }
    }
    return all;
}

int ram_nand::precondition(const std::vector<std::uint64_t>& units,
                           const std::vector<std::uint64_t>& tags)
{
    const std::uint64_t buffer = MAP_DRAM_BASE + config.params.dram_size;
    const std::uint32_t sectors = config.params.map_unit / sector;
    for (std::size_t i = 0; i < tags.size(); ++i) {
        std::memcpy(memory(buffer + i * sector), &tags[i], 8);
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

} // namespace ssdvp::test
