// SPDX-License-Identifier: Apache-2.0
#include "tests/models/sata/ata_standin.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace ssdvp::test {

bool ata_standin::is_queued(const fis::register_h2d& f)
{
    return f.command == ATA_READ_FPDMA_QUEUED || f.command == ATA_WRITE_FPDMA_QUEUED;
}

std::uint32_t ata_standin::sectors_of(const fis::register_h2d& f)
{
    const std::uint32_t n =
        is_queued(f) ? f.features | f.features_high << 8u : f.count | f.count_high << 8u;
    return n == 0 ? 65536 : n;
}

void ata_standin::end(const fis::register_h2d& f, std::uint8_t error)
{
    if (is_queued(f)) {
        fis::set_device_bits s;
        s.flags = fis::FLAG_INTERRUPT;
        s.status = error == 0 ? 0x40 : 0x41;
        s.error = error;
        s.active = error == 0 ? 1u << (f.count >> 3) : 0;
        send(s);
        return;
    }
    fis::register_d2h d;
    d.flags = fis::FLAG_INTERRUPT;
    d.status = error == 0 ? 0x50 : 0x51;
    d.error = error;
    send(d);
}

void ata_standin::act()
{
    activated();
    job j{job::command, {}, 0, {}};
    while (m_agenda.pop_due(j)) {
        if (j.kind == job::signature) {
            fis::register_d2h d;
            d.status = 0x50;
            d.error = d.count = 1;
            d.lba_low[0] = opt.signature;
            send(d);
        } else if (j.kind == job::command) {
            take(j);
        } else if (j.kind == job::execute) {
            execute(j.f);
        } else {
            data(j.bytes);
        }
    }
}

void ata_standin::take(const job& j)
{
    commands.push_back({j.f, j.slot, now()});
    if (m_error && j.f.command != ATA_READ_LOG_EXT) {
        fis::register_h2d plain = j.f;
        plain.command = ATA_NOP;
        end(plain, fis::ERROR_ABRT);
        return;
    }
    if (is_queued(j.f)) {
        fis::register_d2h d;
        d.status = 0x50;
        send(d);
    }
    m_agenda.push(now() + opt.latency, {job::execute, j.f, 0, {}});
}

void ata_standin::execute(const fis::register_h2d& f)
{
    if (m_error && is_queued(f)) {
        return; // aborted with the one that failed
    }
    const std::uint8_t error = fails ? fails(f) : std::uint8_t{0};
    if (error != 0) {
        if (is_queued(f)) {
            m_error = std::array<unsigned char, 4>{static_cast<unsigned char>(f.count >> 3), 0,
                                                   0x41, error};
        }
        end(f, error);
        return;
    }
    switch (f.command) {
    case ATA_READ_FPDMA_QUEUED:
    case ATA_READ_DMA_EXT:
        read(f);
        break;
    case ATA_WRITE_FPDMA_QUEUED:
    case ATA_WRITE_DMA_EXT:
    case ATA_WRITE_DMA_FUA_EXT:
    case ATA_DATA_SET_MANAGEMENT:
        m_out.push_back(f);
        ask();
        break;
    case ATA_IDENTIFY_DEVICE:
    case ATA_READ_LOG_EXT:
        page(f);
        break;
    default:
        end(f);
        break;
    }
}

void ata_standin::read(const fis::register_h2d& f)
{
    const std::uint32_t length = sectors_of(f) * sector_size;
    std::vector<unsigned char> bytes(length, 0);
    for (std::uint32_t i = 0; i < sectors_of(f); ++i) {
        const auto it = m_sectors.find(fis::lba_of(f) + i);
        if (it != m_sectors.end()) {
            std::memcpy(bytes.data() + i * sector_size, it->second.data(), sector_size);
        }
    }
    if (is_queued(f)) {
        fis::dma_setup s;
        s.flags = fis::FLAG_TO_HOST;
        s.buffer_low = f.count >> 3;
        s.count = length;
        send(s);
    }
    for (std::uint32_t at = 0; at < length; at += fis::DATA_MAX) {
        send(fis::data_header{}, bytes.data() + at, std::min(fis::DATA_MAX, length - at));
        if (!m_last.ok) {
            return; // the host resets the link
        }
    }
    end(f);
}

void ata_standin::ask()
{
    if (m_writing || m_out.empty()) {
        return;
    }
    m_writing = m_out.front();
    m_out.erase(m_out.begin());
    m_received.clear();
    const bool ranges = m_writing->command == ATA_DATA_SET_MANAGEMENT;
    m_left = ranges ? m_writing->count * 512u : sectors_of(*m_writing) * sector_size;
    if (is_queued(*m_writing)) {
        fis::dma_setup s;
        s.flags = opt.auto_activate ? fis::FLAG_AUTO_ACTIVATE : std::uint8_t{0};
        s.buffer_low = m_writing->count >> 3;
        s.count = m_left;
        send(s);
    }
    if (!is_queued(*m_writing) || !opt.auto_activate) {
        send(fis::dma_activate{}, nullptr, 0, ranges);
    }
}

void ata_standin::data(const std::vector<unsigned char>& bytes)
{
    if (!m_writing) {
        return;
    }
    m_received.insert(m_received.end(), bytes.begin(), bytes.end());
    m_left -= static_cast<std::uint32_t>(bytes.size());
    if (m_left != 0) {
        send(fis::dma_activate{});
        return;
    }
    const fis::register_h2d f = *m_writing;
    m_writing.reset();
    if (f.command == ATA_DATA_SET_MANAGEMENT) {
        trim();
    } else {
        for (std::uint32_t i = 0; i < sectors_of(f); ++i) {
            auto& sector = m_sectors[fis::lba_of(f) + i];
            std::memcpy(sector.data(), m_received.data() + i * sector_size, sector_size);
        }
    }
    end(f);
    ask();
}

void ata_standin::trim()
{
    for (std::size_t at = 0; at < m_received.size(); at += 8) {
        std::uint64_t range = 0;
        std::memcpy(&range, m_received.data() + at, sizeof range);
        const auto sectors = static_cast<std::uint32_t>(range >> 48);
        const std::uint64_t lba = range & 0xFFFFFFFFFFFFull;
        if (sectors != 0) {
            trims.emplace_back(lba, sectors);
            m_sectors.erase(m_sectors.lower_bound(lba), m_sectors.lower_bound(lba + sectors));
        }
    }
}

void ata_standin::page(const fis::register_h2d& f)
{
    std::array<unsigned char, 512> p{};
    const auto word = [&p](std::size_t i, std::uint32_t v) {
        p[2 * i] = static_cast<unsigned char>(v);
        p[2 * i + 1] = static_cast<unsigned char>(v >> 8);
    };
    if (f.command == ATA_IDENTIFY_DEVICE) {
        const char* name = "tsna-dni"; // "stand-in", two characters a word
        std::memset(p.data() + 54, ' ', 40);
        std::memcpy(p.data() + 54, name, 8);
        word(75, 31);
        word(76, opt.queued ? 0x10Eu : 0x0Eu);
        word(78, opt.auto_activate ? 4u : 0u);
        word(82, opt.write_cache ? 0x60 : 0x40);
        word(83, 0x6400);
        word(85, opt.cache_on ? 0x60 : 0x40);
        for (std::size_t i = 0; i < 4; ++i) {
            word(100 + i, static_cast<std::uint32_t>(opt.capacity >> 16 * i) & 0xFFFF);
        }
        word(169, opt.trim ? 1u : 0u);
    } else {
        CHECK(f.lba_low[0] == ATA_LOG_QUEUE_ERROR);
        std::memcpy(p.data(), m_error->data(), m_error->size());
        m_error.reset();
        fis::set_device_bits s;
        s.status = 0x40;
        s.active = ~0u;
        send(s);
    }
    fis::pio_setup s;
    s.flags = fis::FLAG_TO_HOST | fis::FLAG_INTERRUPT;
    s.status = 0x58;
    s.end_status = 0x50;
    s.transfer_count = 512;
    send(s);
    send(fis::data_header{}, p.data(), 512, true);
}

bool ata_standin::on_frame(const sata::frame& f, sim_time arrival)
{
    if (f.damaged) {
        return false;
    }
    job j{f.type() == fis::DATA ? job::data : job::command, {}, f.slot, {}};
    if (f.type() == fis::REGISTER_H2D) {
        std::memcpy(&j.f, f.header, sizeof j.f);
    }
    j.bytes.assign(f.data, f.data + f.data_length);
    m_agenda.push(arrival, j);
    return true;
}

void ata_standin::on_phy(bool up)
{
    m_agenda.clear();
    m_out.clear();
    m_writing.reset();
    m_error.reset();
    m_next = sim_time();
    ++resets;
    if (up && !opt.silent) {
        m_agenda.push(now() + opt.ready_after, {job::signature, {}, 0, {}});
    }
}

} // namespace ssdvp::test
