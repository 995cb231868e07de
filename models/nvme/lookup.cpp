// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/lookup.h"

namespace ssdvp::nvme {

namespace {

constexpr std::uint32_t sector_shift = 9;
constexpr std::uint32_t namespace_read = 1; // the one that it serves

std::uint32_t blocks_of(const nvme_sqe& sqe)
{
    return (sqe.cdw12 & 0xFFFFu) + 1;
}

/// Nothing beside the number of blocks: no FUA, limited retry, protection information, directive.
bool is_plain_read(const nvme_sqe& sqe)
{
    return sqe.opcode == NVME_IO_READ && (sqe.flags & 0x3u) == 0 && (sqe.cdw12 >> 16) == 0 &&
           sqe.nsid == namespace_read;
}

} // namespace

lookup_engine::lookup_engine(front_end_shared& shared, command_fetch& fetch, data_mover& mover)
    : m_shared(shared), m_fetch(fetch), m_mover(mover), m_reads(shared.config.slots)
{
    m_gp.set_command(tlm::TLM_READ_COMMAND);
    m_gp.set_data_ptr(reinterpret_cast<unsigned char*>(&m_word));
    m_gp.set_data_length(sizeof m_word);
}

std::uint64_t lookup_engine::unit_of(const command_slot& c) const
{
    return lba_of(c.sqe) >> (m_regs.unit_shift() - sector_shift);
}

/// Within one unit of the map, and with pointers in which nothing is wrong.
bool lookup_engine::is_candidate(const command_slot& c) const
{
    if (!m_regs.enabled() || m_channels.empty() || c.sq == 0 || !is_plain_read(c.sqe) ||
        c.data.error != 0 || c.data.length != blocks_of(c.sqe) << sector_shift) {
        return false;
    }
    const std::uint64_t last = lba_of(c.sqe) + blocks_of(c.sqe) - 1;
    return unit_of(c) < m_regs.units && last >> (m_regs.unit_shift() - sector_shift) == unit_of(c);
}

/// The doubleword of memory that has the byte at `address`; what cannot be read is 0.
lookup_engine::word lookup_engine::fetch_word(std::uint64_t address, sim_time from)
{
    m_word = 0;
    m_gp.set_address(address - address % sizeof m_word);
    const dma_result r = m_shared.block.dma(m_shared.block.memory, m_gp, from);
    return {r.ok ? m_word >> (address % sizeof m_word * 8) : 0, r.end};
}

/// Marks first, then what firmware changes before it clears a mark. None: firmware's.
std::optional<std::uint64_t> lookup_engine::look_up(std::uint64_t unit, sim_time from,
                                                    sim_time& end)
{
    const word mark = fetch_word(m_regs.marks + unit / 8, from);
    const word state = fetch_word(m_regs.state + (unit >> m_regs.page_shift()), from);
    const word entry = fetch_word(m_regs.map + (unit << m_regs.entry_shift()), from);
    end = later(later(mark.end, state.end), entry.end);
    const unsigned bits = 8u << m_regs.entry_shift();
    const std::uint64_t value =
        bits < 64 ? entry.value & ((std::uint64_t{1} << bits) - 1) : entry.value;
    const bool lost = (value >> (bits - 1)) != 0;
    if ((mark.value >> (unit % 8) & 1) != 0 || (state.value & 1) == 0 || value == 0 || lost) {
        return std::nullopt;
    }
    return value - 1;
}

bool lookup_engine::take(std::uint16_t slot, sim_time ready)
{
    command_slot& c = m_shared.slots[slot];
    if (!is_candidate(c) || m_reads[slot].flies) {
        return false;
    }
    const sim_time begin = later(ready, m_free);
    m_free = begin + m_shared.config.lookup_time;
    sim_time end;
    const std::optional<std::uint64_t> address = look_up(unit_of(c), begin, end);
    end = later(end, m_free);
    m_shared.block.stamp(slot, latency_part::front_end, end);
    if (!address) {
        ++m_shared.stats.lookups_missed;
        give_to_firmware(slot, end);
        return true;
    }
    describe(slot, *address);
    flash_read& r = m_reads[slot];
    r.flies = true;
    r.before = r.dropped = false;
    r.generation = m_shared.generation;
    m_shared.agenda.push(end, {job_kind::looked_up, 0, 0, slot, m_shared.generation, 0});
    return true;
}

void lookup_engine::describe(std::uint16_t slot, std::uint64_t address)
{
    const command_slot& c = m_shared.slots[slot];
    const auto field = [address](std::uint32_t from, std::uint32_t to) {
        return static_cast<std::uint32_t>((address >> from) &
                                          ((std::uint64_t{1} << (to - from)) - 1));
    };
    const std::uint64_t row = address >> m_regs.row_shift();
    const std::uint32_t pages = m_regs.pages == 0 ? 1 : m_regs.pages;
    const auto channels = static_cast<std::uint32_t>(m_channels.size());
    const std::uint32_t lun = field(m_regs.lun_shift(), m_regs.row_shift());
    const std::uint64_t first =
        lba_of(c.sqe) - (unit_of(c) << (m_regs.unit_shift() - sector_shift));
    flash_read& r = m_reads[slot];
    r.channel = lun % channels;
    flash_desc& d = r.desc;
    d = flash_desc{};
    d.op = FLASH_OP_READ;
    d.lun = static_cast<std::uint8_t>(lun / channels);
    d.plane_mask = static_cast<std::uint8_t>(1u << field(m_regs.plane_shift(), m_regs.lun_shift()));
    d.purpose = FLASH_PURPOSE_HOST;
    d.program_mode = static_cast<std::uint8_t>((m_regs.control & FE_LOOKUP_CONTROL_MODE_MASK) >>
                                               FE_LOOKUP_CONTROL_MODE_SHIFT);
    d.tag = slot;
    d.trace = slot;
    d.block = static_cast<std::uint32_t>(row / pages);
    d.page = static_cast<std::uint32_t>(row % pages);
    d.column = (field(0, m_regs.plane_shift()) << m_regs.unit_shift()) +
               static_cast<std::uint32_t>(first << sector_shift);
    d.length = c.data.length;
    d.buffer = m_regs.data + (std::uint64_t{slot} << m_regs.unit_shift());
}

void lookup_engine::start(std::uint16_t slot)
{
    const flash_read& r = m_reads[slot];
    if (r.generation != m_shared.generation || r.dropped) {
        page_arrived(slot, FLASH_STATUS_OK); // nobody waits for it
        return;
    }
    ++m_shared.stats.lookups;
    m_channels[r.channel]->read_page(r.desc);
}

void lookup_engine::page_arrived(std::uint16_t tag, flash_status status)
{
    flash_read& r = m_reads[tag];
    land(r);
    if (r.generation != m_shared.generation) { // a reset emptied the slot
        return;
    }
    if (r.dropped) {
        m_shared.release(tag);
        m_fetch.fetch(); // a slot is free
        return;
    }
    if (status != FLASH_STATUS_OK) { // firmware knows other levels
        give_to_firmware(tag, now());
        return;
    }
    to_host(tag);
}

/// It reads nothing any more: what it read may be erased.
void lookup_engine::land(flash_read& r)
{
    r.flies = false;
    m_before -= r.before ? 1 : 0;
}

void lookup_engine::give_to_firmware(std::uint16_t slot, sim_time when)
{
    m_shared.hand_over(when, {job_kind::command, 0, 0, slot, m_shared.generation, 0});
}

void lookup_engine::to_host(std::uint16_t slot)
{
    const flash_desc& d = m_reads[slot].desc;
    fe_move m{};
    m.op = FE_MOVE_TO_HOST;
    m.flags = FE_MOVE_CQE;
    m.slot = slot;
    m.length = d.length;
    m.buffer = d.buffer;
    ++m_regs.reads;
    m_regs.sectors += d.length >> sector_shift;
    m_shared.stats.lookup_sectors += d.length >> sector_shift;
    m_mover.move_of_hardware(m);
}

void lookup_engine::drop_queue(std::uint32_t sq)
{
    for (std::size_t slot = 0; slot < m_reads.size(); ++slot) {
        flash_read& r = m_reads[slot];
        r.dropped = r.dropped || (r.flies && r.generation == m_shared.generation &&
                                  m_shared.slots[slot].sq == sq);
    }
}

void lookup_engine::reset()
{
    for (flash_read& r : m_reads) {
        r = flash_read();
    }
    m_regs = lookup_registers();
    m_before = 0;
    m_free = sim_time();
}

bool lookup_engine::read(std::uint32_t offset, std::uint32_t& value) const
{
    if (offset == FE_REG_LOOKUP_FENCE) {
        value = m_before != 0 ? FE_LOOKUP_FENCE_PENDING : 0;
        return true;
    }
    return m_regs.read(offset, value);
}

bool lookup_engine::write(std::uint32_t offset, std::uint32_t value)
{
    if (offset == FE_REG_LOOKUP_FENCE) {
        m_before = 0;
        for (flash_read& r : m_reads) {
            r.before = r.flies;
            m_before += r.flies ? 1 : 0;
        }
        return true;
    }
    return m_regs.write(offset, value);
}

} // namespace ssdvp::nvme
