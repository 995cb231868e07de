// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/log_drive.h"

#include <algorithm>
#include <cstring>

#include "models/regs/irq_regs.h"
#include "tests/powercut/log_parts.h"

namespace ssdvp::test {

namespace log_parts {

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
    for (std::uint32_t c = 0; c < m_p.geometry.channels; ++c) {
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
                1u << IRQ_LINE_NVME | ((1u << m_p.geometry.channels) - 1) << IRQ_LINE_CHANNEL0);
}

/// One operation from doorbell to completion, on the plane where the block lies.
std::uint8_t log_drive::execute(flash_op op, std::uint32_t block, flash_desc d)
{
    const std::uint32_t place = block / m_p.geometry.blocks_per_plane;
    const std::uint32_t lun = place / m_p.geometry.planes;
    const std::uint32_t channel = lun / m_p.geometry.luns_per_channel;
    d.op = static_cast<std::uint8_t>(op);
    d.lun = static_cast<std::uint8_t>(lun % m_p.geometry.luns_per_channel);
    d.plane_mask = static_cast<std::uint8_t>(1u << place % m_p.geometry.planes);
    d.block = block % m_p.geometry.blocks_per_plane;
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
    for (std::uint32_t level = 0; level <= (once ? 0 : m_p.flash.retry_levels); ++level) {
        d.retry = static_cast<std::uint8_t>(level);
        if (execute(FLASH_OP_READ, block, d) == FLASH_STATUS_OK) {
            return true;
        }
    }
    return false;
}

// ---- the write buffer ----

void log_drive::drain()
{
    for (std::uint32_t i = 0; i < m_s.buffered; ++i) {
        if (m_s.gathered == 0 && m_s.open == 0) {
            open_block(false);
        }
        gather(m_s.buffer[i], buffer_at + i * m_p.ftl.map_unit);
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
            std::memcpy(to, at<std::uint8_t>(buffer_at + i * m_p.ftl.map_unit), m_p.ftl.map_unit);
            return true;
        }
    }
    if (m_s.map[unit] == 0) {
        std::memset(to, 0, m_p.ftl.map_unit);
        return true;
    }
    const std::uint32_t address = m_s.map[unit] - 1;
    flash_desc d{};
    d.column = address % m_slots * m_p.ftl.map_unit;
    d.length = m_p.ftl.map_unit;
    d.buffer = unit_at;
    const std::uint32_t page = address / m_slots;
    return read_page(page / m_p.geometry.pages_per_block, page % m_p.geometry.pages_per_block, d);
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
        std::memcpy(at<std::uint8_t>(kept_at), at<std::uint8_t>(unit_at), m_p.ftl.map_unit);
        drain();
        std::memcpy(at<std::uint8_t>(unit_at), at<std::uint8_t>(kept_at), m_p.ftl.map_unit);
        i = 0;
    }
    m_s.buffered = std::max(m_s.buffered, i + 1);
    m_s.buffer[i] = unit;
    std::memcpy(at<std::uint8_t>(buffer_at + i * m_p.ftl.map_unit), at<std::uint8_t>(unit_at),
                m_p.ftl.map_unit);
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
        std::memset(at<std::uint8_t>(host_at), 0, m_p.ftl.map_unit);
    } else {
        fe_move m = move(c, FE_MOVE_FROM_HOST);
        m.length = bytes;
        carry_out(m);
    }
    for (std::uint32_t done = 0; done < bytes;) {
        const std::uint64_t byte = lba * 512 + done;
        const auto unit = static_cast<std::uint32_t>(byte / m_p.ftl.map_unit);
        const auto in = static_cast<std::uint32_t>(byte % m_p.ftl.map_unit);
        const std::uint32_t piece = std::min(bytes - done, m_p.ftl.map_unit - in);
        if (piece != m_p.ftl.map_unit && !read_unit(unit)) {
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
        const auto in = static_cast<std::uint32_t>(byte % m_p.ftl.map_unit);
        const std::uint32_t piece = std::min(bytes - done, m_p.ftl.map_unit - in);
        if (!read_unit(static_cast<std::uint32_t>(byte / m_p.ftl.map_unit))) {
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

} // namespace log_parts

namespace {

void log_main(hal* h)
{
    try {
        log_parts::log_drive(h).run();
    } catch (const log_parts::stop&) {
        return;
    }
}

} // namespace

const firmware_image log_firmware = {FIRMWARE_IMAGE_MAGIC,
                                     HAL_ABI_VERSION,
                                     "log drive",
                                     log_main,
                                     nullptr,
                                     nullptr,
                                     1,
                                     nullptr,
                                     nullptr};

void use_log_firmware(ram_config& c, log_flaw flaw)
{
    c.firmware = &log_firmware;
    c.params.retention.reserved = static_cast<std::uint32_t>(flaw);
}

} // namespace ssdvp::test
