// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/log_drive.h"

#include <algorithm>
#include <cstring>

#include "models/regs/irq_regs.h"

namespace ssdvp::test {

namespace {

constexpr std::uint32_t units_most = 2048, blocks_most = 512, buffer_most = 8, slots_most = 8;
constexpr std::uint32_t ring = 16, commands = 64;                 // entries
constexpr std::uint64_t pages_at = MAP_DRAM_BASE + (1u << 20);    // one page being read
constexpr std::uint64_t gathered_at = MAP_DRAM_BASE + (2u << 20); // units for the next program
constexpr std::uint64_t oob_at = MAP_DRAM_BASE + (3u << 20);
constexpr std::uint64_t host_at = MAP_DRAM_BASE + (4u << 20);
constexpr std::uint64_t buffer_at = MAP_DRAM_BASE + (5u << 20); // write buffer
constexpr std::uint64_t unit_at = MAP_DRAM_BASE + (6u << 20);
constexpr std::uint64_t kept_at = MAP_DRAM_BASE + (7u << 20); // a block, with a flaw

constexpr std::uint64_t submissions_at = MAP_SRAM_BASE + BOOT_FREE_OFFSET;
constexpr std::uint64_t completions_at = submissions_at + 32 * ring * sizeof(flash_desc);
constexpr std::uint64_t commands_at = completions_at + 32 * ring * sizeof(flash_completion);
constexpr std::uint64_t moves_at = commands_at + commands * sizeof(fe_command);
constexpr std::uint64_t dones_at = moves_at + ring * sizeof(fe_move);

struct stop {}; // the bench ends

struct block_info {
    std::uint32_t next, valid; // page; units
    bool bad, clean;
};

/// All state, at the start of DRAM: zeroes after power-up.
struct log_state {
    std::uint32_t map[units_most]; // address plus one
    std::uint64_t sequence_of[units_most];
    block_info blocks[blocks_most];
    std::uint64_t sequence;
    std::uint32_t open; // block plus one
    std::uint32_t buffered;
    std::uint32_t buffer[buffer_most]; // units
    std::uint32_t gathered;
    std::uint32_t gather[slots_most];
    std::uint32_t tail[32], head[32], phase[32]; // of the channels
    std::uint32_t command_head, command_phase, move_tail, done_head, done_phase, csts;
};

/// The spare word that says a page is whole: its sequence and a check of all words.
std::uint64_t seal(const std::uint64_t* words, std::uint32_t slots, std::uint64_t sequence)
{
    std::uint64_t check = sequence * 0x9E3779B97F4A7C15u;
    for (std::uint32_t i = 1; i <= slots; ++i) {
        check = (check ^ words[i]) * 0xBF58476D1CE4E5B9u;
    }
    return sequence << 24 | (check >> 40 & 0xFFFFFEu) | 1u;
}

class log_drive {
public:
    explicit log_drive(hal* h)
        : m_hal(h), m_p(*at<boot_params>(MAP_SRAM_BASE + BOOT_PARAMS_OFFSET)),
          m_s(*at<log_state>(MAP_DRAM_BASE)), m_slots(m_p.page_size / m_p.map_unit),
          m_blocks(m_p.channels * m_p.luns_per_channel * m_p.planes * m_p.blocks_per_plane),
          m_flaw(static_cast<log_flaw>(m_p.reserved[0]))
    {}
    void run();

private:
    template <typename T>
    T* at(std::uint64_t address)
    {
        return static_cast<T*>(hal_pointer(m_hal, address));
    }
    void wait();
    void channel_set(std::uint32_t channel, std::uint32_t reg, std::uint64_t value);
    void fe_set(std::uint32_t reg, std::uint64_t value);
    void start_hardware();
    std::uint8_t execute(flash_op op, std::uint32_t block, flash_desc d);
    bool read_page(std::uint32_t block, std::uint32_t page, flash_desc d);
    void scan_block(std::uint32_t block);
    void rewrite_some_block();
    void recover();
    bool program(std::uint32_t block);
    void open_block(bool collecting);
    void write_gathered();
    void gather(std::uint32_t unit, std::uint64_t from);
    std::uint32_t clean_blocks() const;
    bool collect();
    void drop(std::uint32_t unit);
    void drain();
    bool read_unit(std::uint32_t unit);
    void buffer_unit(std::uint32_t unit);
    fe_move move(const fe_command& c, fe_move_op op);
    void carry_out(fe_move m);
    void complete(const fe_command& c, bool good);
    bool write(const fe_command& c, std::uint64_t lba, std::uint32_t sectors, bool zeroes);
    bool read(const fe_command& c);
    bool trim(const fe_command& c);
    bool admin(const fe_command& c);
    void serve(const fe_command& c);
    void control();

    hal* m_hal;
    const boot_params& m_p;
    log_state& m_s;
    std::uint32_t m_slots, m_blocks;
    log_flaw m_flaw;
};

// ---- hardware ----

void log_drive::wait()
{
    hal_wait_irq(m_hal);
    if (hal_stopping(m_hal) != 0) {
        throw stop();
    }
}

void log_drive::channel_set(std::uint32_t channel, std::uint32_t reg, std::uint64_t value)
{
    hal_write32(m_hal, MAP_CHANNEL_BASE + channel * MAP_CHANNEL_SIZE + reg,
                static_cast<std::uint32_t>(value));
}

void log_drive::fe_set(std::uint32_t reg, std::uint64_t value)
{
    hal_write32(m_hal, MAP_NVME_BASE + reg, static_cast<std::uint32_t>(value));
}

void log_drive::start_hardware()
{
    for (std::uint32_t c = 0; c < m_p.channels; ++c) {
        channel_set(c, CHANNEL_REG_SQ_BASE_LO, submissions_at + c * ring * sizeof(flash_desc));
        channel_set(c, CHANNEL_REG_SQ_SIZE, ring);
        channel_set(c, CHANNEL_REG_CQ_BASE_LO,
                    completions_at + c * ring * sizeof(flash_completion));
        channel_set(c, CHANNEL_REG_CQ_SIZE, ring);
        channel_set(c, CHANNEL_REG_INT_ENABLE, 1);
        m_s.phase[c] = 1;
    }
    fe_set(FE_REG_CMD_BASE_LO, commands_at);
    fe_set(FE_REG_CMD_SIZE, commands);
    fe_set(FE_REG_MOVE_BASE_LO, moves_at);
    fe_set(FE_REG_MOVE_SIZE, ring);
    fe_set(FE_REG_DONE_BASE_LO, dones_at);
    fe_set(FE_REG_DONE_SIZE, ring);
    m_s.command_phase = m_s.done_phase = 1;
    fe_set(FE_REG_INT_ENABLE, FE_INT_COMMAND | FE_INT_DONE | FE_INT_CC);
    hal_write32(m_hal, MAP_IRQ_BASE + IRQ_REG_ENABLE_LO,
                1u << IRQ_LINE_NVME | ((1u << m_p.channels) - 1) << IRQ_LINE_CHANNEL0);
}

/// One operation from doorbell to completion, on the plane where the block lies.
std::uint8_t log_drive::execute(flash_op op, std::uint32_t block, flash_desc d)
{
    const std::uint32_t place = block / m_p.blocks_per_plane;
    const std::uint32_t lun = place / m_p.planes;
    const std::uint32_t channel = lun / m_p.luns_per_channel;
    d.op = static_cast<std::uint8_t>(op);
    d.lun = static_cast<std::uint8_t>(lun % m_p.luns_per_channel);
    d.plane_mask = static_cast<std::uint8_t>(1u << place % m_p.planes);
    d.block = block % m_p.blocks_per_plane;
    std::uint32_t& tail = m_s.tail[channel];
    *at<flash_desc>(submissions_at + (channel * ring + tail) * sizeof d) = d;
    tail = (tail + 1) % ring;
    channel_set(channel, CHANNEL_REG_SQ_TAIL, tail);
    std::uint32_t& head = m_s.head[channel];
    const auto* done =
        at<flash_completion>(completions_at + (channel * ring + head) * sizeof(flash_completion));
    while (done->phase != m_s.phase[channel]) {
        wait();
    }
    const std::uint8_t status = done->status;
    head = (head + 1) % ring;
    m_s.phase[channel] ^= head == 0 ? 1u : 0u;
    channel_set(channel, CHANNEL_REG_CQ_HEAD, head);
    return status;
}

bool log_drive::read_page(std::uint32_t block, std::uint32_t page, flash_desc d)
{
    const bool once = d.purpose == FLASH_PURPOSE_RECOVERY && m_flaw == log_flaw::SCAN_WITHOUT_RETRY;
    d.page = page;
    for (std::uint32_t level = 0; level <= (once ? 0 : m_p.retry_levels); ++level) {
        d.retry = static_cast<std::uint8_t>(level);
        if (execute(FLASH_OP_READ, block, d) == FLASH_STATUS_OK) {
            return true;
        }
    }
    return false;
}

// ---- recovery ----

void log_drive::scan_block(std::uint32_t block)
{
    block_info& b = m_s.blocks[block];
    auto* words = at<std::uint64_t>(oob_at);
    flash_desc d{};
    d.purpose = FLASH_PURPOSE_RECOVERY;
    d.oob = oob_at;
    d.oob_length = 8 * (1 + m_slots);
    b.clean = true;
    b.next = 0;
    for (std::uint32_t page = 0; page < m_p.pages_per_block; ++page) {
        const bool good = read_page(block, page, d);
        if (good && words[0] == ~0ull) {
            break;
        }
        b.clean = !good && m_flaw == log_flaw::TORN_IS_CLEAN && page == 0;
        b.next = b.clean ? 0 : m_p.pages_per_block; // never continued
        const std::uint64_t sequence = words[0] >> 24;
        if (!good || words[0] != seal(words, m_slots, sequence)) {
            continue;
        }
        m_s.sequence = std::max(m_s.sequence, sequence);
        for (std::uint32_t i = 0; i < m_slots; ++i) {
            const std::uint64_t unit = words[1 + i];
            if (unit < m_p.user_units && sequence >= m_s.sequence_of[unit]) {
                m_s.sequence_of[unit] = sequence;
                m_s.map[unit] = (block * m_p.pages_per_block + page) * m_slots + i + 1;
            }
        }
    }
}

void log_drive::recover()
{
    for (std::uint32_t b = 0; b < m_blocks; ++b) {
        scan_block(b);
    }
    for (std::uint32_t u = 0; u < m_p.user_units; ++u) {
        if (m_s.map[u] != 0) {
            ++m_s.blocks[(m_s.map[u] - 1) / m_slots / m_p.pages_per_block].valid;
        }
    }
    if (m_flaw == log_flaw::SEQUENCE_RESTARTS) {
        m_s.sequence = 0;
    }
    if (m_flaw == log_flaw::REWRITES_AT_POWER_UP) {
        rewrite_some_block();
    }
}

/// Page by page to memory, erase, and back: all of it is lost when the power goes in between.
void log_drive::rewrite_some_block()
{
    std::uint32_t victim = 0;
    while (victim < m_blocks && m_s.blocks[victim].valid == 0) {
        ++victim;
    }
    if (victim == m_blocks) {
        return;
    }
    flash_desc d{};
    d.purpose = FLASH_PURPOSE_GC;
    d.length = m_p.page_size;
    d.oob_length = 8 * (1 + m_slots);
    std::uint32_t good = 0;
    for (std::uint32_t page = 0; page < m_p.pages_per_block; ++page, ++good) {
        d.purpose = FLASH_PURPOSE_RECOVERY;
        d.buffer = kept_at + page * m_p.page_size;
        d.oob = kept_at + (1u << 19) + page * 256;
        if (!read_page(victim, page, d) || *at<std::uint64_t>(d.oob) == ~0ull) {
            return; // only whole blocks
        }
    }
    d.purpose = FLASH_PURPOSE_GC;
    d.retry = 0;
    execute(FLASH_OP_ERASE, victim, flash_desc{});
    for (std::uint32_t page = 0; page < good; ++page) {
        d.page = page;
        d.buffer = kept_at + page * m_p.page_size;
        d.oob = kept_at + (1u << 19) + page * 256;
        execute(FLASH_OP_PROGRAM, victim, d);
    }
}

// ---- the log ----

std::uint32_t log_drive::clean_blocks() const
{
    std::uint32_t n = 0;
    for (std::uint32_t b = 0; b < m_blocks; ++b) {
        n += m_s.blocks[b].clean ? 1 : 0;
    }
    return n;
}

/// Only while nothing is gathered may collection come in between.
void log_drive::open_block(bool collecting)
{
    while (!collecting && clean_blocks() <= 4 && collect()) {
    }
    for (std::uint32_t b = 0; b < m_blocks && m_s.open == 0; ++b) {
        // The one after the other, so that all of them wear.
        const auto i = static_cast<std::uint32_t>((b + m_s.sequence) % m_blocks);
        if (m_s.blocks[i].clean) {
            m_s.blocks[i].clean = false;
            m_s.open = i + 1;
        }
    }
    if (m_s.open == 0) {
        m_hal->ops->panic(m_hal->ctx, "log_drive", 0, "no clean block");
    }
}

/// The gathered units to the open block's next page.
bool log_drive::program(std::uint32_t block)
{
    block_info& b = m_s.blocks[block];
    auto* words = at<std::uint64_t>(oob_at);
    for (std::uint32_t i = 0; i < m_slots; ++i) {
        words[1 + i] = i < m_s.gathered ? m_s.gather[i] : units_most;
    }
    const std::uint64_t sequence = ++m_s.sequence;
    words[0] = seal(words, m_slots, sequence);
    flash_desc d{};
    d.page = b.next;
    d.length = m_p.page_size;
    d.buffer = gathered_at;
    d.oob = oob_at;
    d.oob_length = 8 * (1 + m_slots);
    if (execute(FLASH_OP_PROGRAM, block, d) != FLASH_STATUS_OK) {
        b.bad = true;
        return false;
    }
    for (std::uint32_t i = 0; i < m_s.gathered; ++i) {
        drop(m_s.gather[i]);
        m_s.map[m_s.gather[i]] = (block * m_p.pages_per_block + b.next) * m_slots + i + 1;
        ++b.valid;
    }
    ++b.next;
    return true;
}

void log_drive::drop(std::uint32_t unit)
{
    if (m_s.map[unit] != 0) {
        --m_s.blocks[(m_s.map[unit] - 1) / m_slots / m_p.pages_per_block].valid;
    }
}

void log_drive::write_gathered()
{
    while (m_s.gathered != 0) {
        if (m_s.open == 0) {
            open_block(true);
        }
        const std::uint32_t block = m_s.open - 1;
        const bool good = program(block);
        if (!good || m_s.blocks[block].next == m_p.pages_per_block) {
            m_s.open = 0;
        }
        m_s.gathered = good ? 0 : m_s.gathered;
    }
}

void log_drive::gather(std::uint32_t unit, std::uint64_t from)
{
    std::memcpy(at<std::uint8_t>(gathered_at + m_s.gathered * m_p.map_unit), at<std::uint8_t>(from),
                m_p.map_unit);
    m_s.gather[m_s.gathered++] = unit;
    if (m_s.gathered == m_slots) {
        write_gathered();
    }
}

/// Frees the block with the fewest valid units. False: nothing would be gained.
bool log_drive::collect()
{
    std::uint32_t victim = m_blocks;
    for (std::uint32_t b = 0; b < m_blocks; ++b) {
        const block_info& i = m_s.blocks[b];
        if (!i.bad && !i.clean && b + 1 != m_s.open &&
            (victim == m_blocks || i.valid < m_s.blocks[victim].valid)) {
            victim = b;
        }
    }
    if (victim == m_blocks || m_s.blocks[victim].valid + m_slots > m_p.pages_per_block * m_slots) {
        return false;
    }
    const bool early = m_flaw == log_flaw::ERASES_TOO_EARLY && m_s.blocks[victim].valid <= m_slots;
    flash_desc d{};
    d.purpose = FLASH_PURPOSE_GC;
    d.length = m_p.page_size;
    d.buffer = pages_at;
    const std::uint32_t first = victim * m_p.pages_per_block * m_slots;
    for (std::uint32_t u = 0; u < m_p.user_units; ++u) {
        const std::uint32_t place = m_s.map[u] - 1 - first; // wraps when it lies elsewhere
        if (m_s.map[u] != 0 && place < m_p.pages_per_block * m_slots) {
            if (read_page(victim, place / m_slots, d)) {
                if (early && m_s.gathered + 1 == m_s.blocks[victim].valid) {
                    execute(FLASH_OP_ERASE, victim, flash_desc{});
                }
                gather(u, pages_at + place % m_slots * m_p.map_unit);
            }
        }
    }
    write_gathered();
    block_info& b = m_s.blocks[victim];
    b.bad = execute(FLASH_OP_ERASE, victim, flash_desc{}) != FLASH_STATUS_OK;
    b.clean = !b.bad;
    b.next = 0;
    return true;
}

// ---- the write buffer ----

void log_drive::drain()
{
    for (std::uint32_t i = 0; i < m_s.buffered; ++i) {
        if (m_s.gathered == 0 && m_s.open == 0) {
            open_block(false);
        }
        gather(m_s.buffer[i], buffer_at + i * m_p.map_unit);
    }
    write_gathered();
    m_s.buffered = 0;
}

/// A unit to unit_at. False: unreadable.
bool log_drive::read_unit(std::uint32_t unit)
{
    auto* to = at<std::uint8_t>(unit_at);
    for (std::uint32_t i = 0; i < m_s.buffered; ++i) {
        if (m_s.buffer[i] == unit) {
            std::memcpy(to, at<std::uint8_t>(buffer_at + i * m_p.map_unit), m_p.map_unit);
            return true;
        }
    }
    if (m_s.map[unit] == 0) {
        std::memset(to, 0, m_p.map_unit);
        return true;
    }
    const std::uint32_t address = m_s.map[unit] - 1;
    flash_desc d{};
    d.column = address % m_slots * m_p.map_unit;
    d.length = m_p.map_unit;
    d.buffer = unit_at;
    const std::uint32_t page = address / m_slots;
    return read_page(page / m_p.pages_per_block, page % m_p.pages_per_block, d);
}

/// unit_at becomes the newest data of the unit.
void log_drive::buffer_unit(std::uint32_t unit)
{
    std::uint32_t i = 0;
    while (i < m_s.buffered && m_s.buffer[i] != unit) {
        ++i;
    }
    if (i == buffer_most) {
        // The new data wait where the host put them: draining uses other memory.
        std::memcpy(at<std::uint8_t>(kept_at), at<std::uint8_t>(unit_at), m_p.map_unit);
        drain();
        std::memcpy(at<std::uint8_t>(unit_at), at<std::uint8_t>(kept_at), m_p.map_unit);
        i = 0;
    }
    m_s.buffered = std::max(m_s.buffered, i + 1);
    m_s.buffer[i] = unit;
    std::memcpy(at<std::uint8_t>(buffer_at + i * m_p.map_unit), at<std::uint8_t>(unit_at),
                m_p.map_unit);
}

// ---- the host ----

fe_move log_drive::move(const fe_command& c, fe_move_op op)
{
    fe_move m{};
    m.op = static_cast<std::uint8_t>(op);
    m.flags = FE_MOVE_NOTIFY | FE_MOVE_IRQ;
    m.slot = c.slot;
    m.buffer = host_at;
    return m;
}

void log_drive::carry_out(fe_move m)
{
    *at<fe_move>(moves_at + m_s.move_tail * sizeof m) = m;
    m_s.move_tail = (m_s.move_tail + 1) % ring;
    fe_set(FE_REG_MOVE_TAIL, m_s.move_tail);
    const auto* done = at<fe_move_done>(dones_at + m_s.done_head * sizeof(fe_move_done));
    while (done->phase != m_s.done_phase) {
        wait();
    }
    m_s.done_head = (m_s.done_head + 1) % ring;
    m_s.done_phase ^= m_s.done_head == 0 ? 1u : 0u;
    fe_set(FE_REG_DONE_HEAD, m_s.done_head);
}

void log_drive::complete(const fe_command& c, bool good)
{
    fe_move m = move(c, FE_MOVE_COMPLETE);
    m.flags |= FE_MOVE_CQE;
    m.status = good ? 0 : static_cast<std::uint16_t>(NVME_SC_UNRECOVERED_READ_ERROR);
    carry_out(m);
}

bool log_drive::write(const fe_command& c, std::uint64_t lba, std::uint32_t sectors, bool zeroes)
{
    const std::uint32_t bytes = sectors * 512;
    if (zeroes) {
        std::memset(at<std::uint8_t>(host_at), 0, m_p.map_unit);
    } else {
        fe_move m = move(c, FE_MOVE_FROM_HOST);
        m.length = bytes;
        carry_out(m);
    }
    for (std::uint32_t done = 0; done < bytes;) {
        const std::uint64_t byte = lba * 512 + done;
        const auto unit = static_cast<std::uint32_t>(byte / m_p.map_unit);
        const auto in = static_cast<std::uint32_t>(byte % m_p.map_unit);
        const std::uint32_t piece = std::min(bytes - done, m_p.map_unit - in);
        if (piece != m_p.map_unit && !read_unit(unit)) {
            return false;
        }
        std::memcpy(at<std::uint8_t>(unit_at + in), at<std::uint8_t>(host_at + (zeroes ? 0 : done)),
                    piece);
        buffer_unit(unit);
        done += piece;
    }
    return true;
}

bool log_drive::read(const fe_command& c)
{
    const std::uint64_t lba = c.sqe.cdw10;
    const std::uint32_t bytes = ((c.sqe.cdw12 & 0xFFFFu) + 1) * 512;
    for (std::uint32_t done = 0; done < bytes;) {
        const std::uint64_t byte = lba * 512 + done;
        const auto in = static_cast<std::uint32_t>(byte % m_p.map_unit);
        const std::uint32_t piece = std::min(bytes - done, m_p.map_unit - in);
        if (!read_unit(static_cast<std::uint32_t>(byte / m_p.map_unit))) {
            return false;
        }
        std::memcpy(at<std::uint8_t>(host_at + done), at<std::uint8_t>(unit_at + in), piece);
        done += piece;
    }
    fe_move m = move(c, FE_MOVE_TO_HOST);
    m.length = bytes;
    carry_out(m);
    return true;
}

bool log_drive::trim(const fe_command& c)
{
    nvme_dsm_range ranges[8];
    fe_move m = move(c, FE_MOVE_FROM_HOST);
    m.flags |= FE_MOVE_METADATA;
    const std::uint32_t n = std::min((c.sqe.cdw10 & 0xFFu) + 1, 8u);
    m.length = n * static_cast<std::uint32_t>(sizeof ranges[0]);
    carry_out(m);
    std::memcpy(ranges, at<std::uint8_t>(host_at), m.length);
    bool good = true;
    for (std::uint32_t i = 0; i < n; ++i) {
        good = write(c, ranges[i].slba, ranges[i].blocks, true) && good;
    }
    return good;
}

bool log_drive::admin(const fe_command& c)
{
    const bool cq = c.sqe.opcode == NVME_ADMIN_CREATE_CQ;
    fe_set(FE_REG_Q_ID, c.sqe.cdw10 & 0xFFFFu);
    fe_set(FE_REG_Q_SIZE, (c.sqe.cdw10 >> 16) + 1);
    fe_set(FE_REG_Q_CQID, c.sqe.cdw11 >> 16);
    fe_set(FE_REG_Q_COMMAND, cq ? FE_Q_CREATE_CQ : FE_Q_CREATE_SQ);
    return true;
}

void log_drive::serve(const fe_command& c)
{
    const bool fua = (c.sqe.cdw12 & NVME_RW_FUA) != 0 && m_flaw != log_flaw::FUA_IGNORED;
    bool good = true;
    if (c.sq_id == 0) {
        good = admin(c);
    } else if (c.sqe.opcode == NVME_IO_READ) {
        good = read(c);
    } else if (c.sqe.opcode == NVME_IO_DSM) {
        good = trim(c);
    } else if (c.sqe.opcode == NVME_IO_FLUSH) {
        if (m_flaw != log_flaw::FLUSH_DOES_NOTHING) {
            drain();
        }
    } else {
        good = write(c, c.sqe.cdw10, (c.sqe.cdw12 & 0xFFFFu) + 1,
                     c.sqe.opcode == NVME_IO_WRITE_ZEROES);
        if (fua) {
            drain();
        }
    }
    complete(c, good);
}

void log_drive::control()
{
    const std::uint32_t cc = hal_read32(m_hal, MAP_NVME_BASE + FE_REG_CC);
    std::uint32_t csts = (cc & NVME_CC_EN) != 0 ? NVME_CSTS_RDY : 0;
    if ((cc & NVME_CC_SHN_MASK) != 0) {
        drain();
        csts |= NVME_CSTS_SHST_COMPLETE;
    }
    if (csts != m_s.csts) {
        m_s.csts = csts;
        fe_set(FE_REG_CSTS, csts);
    }
}

void log_drive::run()
{
    start_hardware();
    recover();
    for (;;) {
        control();
        const auto* c = at<fe_command>(commands_at + m_s.command_head * sizeof(fe_command));
        if (c->phase != m_s.command_phase) {
            wait();
            continue;
        }
        const fe_command mine = *c;
        m_s.command_head = (m_s.command_head + 1) % commands;
        m_s.command_phase ^= m_s.command_head == 0 ? 1u : 0u;
        fe_set(FE_REG_CMD_HEAD, m_s.command_head);
        serve(mine);
    }
}

void log_main(hal* h)
{
    try {
        log_drive(h).run();
    } catch (const stop&) {
        return;
    }
}

} // namespace

const firmware_image log_firmware = {
    FIRMWARE_IMAGE_MAGIC, HAL_ABI_VERSION, "log drive", log_main, nullptr, nullptr};

void use_log_firmware(ram_config& c, log_flaw flaw)
{
    c.firmware = &log_firmware;
    c.params.reserved[0] = static_cast<std::uint32_t>(flaw);
}

} // namespace ssdvp::test
