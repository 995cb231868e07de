// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/cut_host.h"

#include <algorithm>
#include <cstring>

#include "models/regs/ata_records.h"

namespace ssdvp::test {

namespace {

constexpr std::uint32_t enabled =
    NVME_CC_EN | 6u << NVME_CC_IOSQES_SHIFT | 4u << NVME_CC_IOCQES_SHIFT;

/// Steps of a drive that gets nothing new to do. None needs a tenth of that.
constexpr std::uint64_t steps_most = 2000000;

std::uint64_t word_of(std::uint64_t value, std::uint32_t i)
{
    return value == 0 ? 0 : value + i * 0x9E3779B97F4A7C15u;
}

std::string hex(std::uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
    return text;
}

bool writes(std::uint8_t opcode)
{
    return opcode == NVME_IO_WRITE || opcode == NVME_IO_WRITE_ZEROES || opcode == NVME_IO_DSM ||
           opcode == NVME_ADMIN_FORMAT;
}

} // namespace

cut_host::cut_host(ram_nand& nand, durable_shadow& shadow)
    : m_nand(nand), m_shadow(shadow), m_requests(nand.config.slots)
{}

bool cut_host::is_good(std::uint16_t status) const
{
    return sata() ? (status & (ATA_STATUS_ERR | ATA_STATUS_DF)) == 0 : status == 0;
}

cut_host::request* cut_host::free_request()
{
    for (request& r : m_requests) {
        if (!r.busy) {
            return &r;
        }
    }
    return nullptr;
}

void cut_host::begin_zero(std::uint64_t lba, std::uint64_t sectors, std::uint64_t begun)
{
    for (std::uint64_t i = 0; i < sectors; ++i) {
        m_shadow.begin_write(lba + i, 0, begun);
    }
}

/// Host data and what the shadow must know before the drive sees the command.
void cut_host::prepare(request& r)
{
    const host_op& op = r.op;
    const std::uint32_t words = m_nand.config.params.host.data_mode == 2 ? sector / 8 : 1;
    switch (op.opcode) {
    case NVME_IO_WRITE:
        r.data.resize(std::size_t{op.sectors} * sector);
        for (std::uint32_t i = 0; i < op.sectors; ++i) {
            const std::uint64_t value = m_shadow.fresh_value(op.lba + i);
            for (std::uint32_t w = 0; w < words; ++w) {
                const std::uint64_t word = word_of(value, w);
                std::memcpy(&r.data[std::size_t{i} * sector + w * 8], &word, 8);
            }
            m_shadow.begin_write(op.lba + i, value, r.begun);
        }
        break;
    case NVME_IO_READ:
        r.data.assign(std::size_t{op.sectors} * sector, 0xEE);
        for (std::uint32_t i = 0; i < op.sectors; ++i) {
            m_shadow.begin_read();
        }
        break;
    case NVME_IO_WRITE_ZEROES:
        r.data.assign(sata() ? std::size_t{op.sectors} * sector : 0, 0); // ATA: a write of zeroes
        begin_zero(op.lba, op.sectors, r.begun);
        break;
    case NVME_IO_DSM:
        prepare_trim(r);
        break;
    case NVME_ADMIN_FORMAT:
        r.op.sectors = static_cast<std::uint32_t>(m_shadow.sectors());
        begin_zero(0, m_shadow.sectors(), r.begun);
        break;
    default:
        break;
    }
}

void cut_host::prepare_trim(request& r)
{
    const auto& ranges = r.op.ranges;
    r.data.assign(sata() ? sector : ranges.size() * sizeof(nvme_dsm_range), 0);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const nvme_dsm_range d{0, ranges[i].second, ranges[i].first};
        const std::uint64_t entry = ranges[i].first | std::uint64_t{ranges[i].second} << 48;
        if (sata()) {
            std::memcpy(r.data.data() + i * sizeof entry, &entry, sizeof entry);
        } else {
            std::memcpy(r.data.data() + i * sizeof d, &d, sizeof d);
        }
        begin_zero(ranges[i].first, ranges[i].second, r.begun);
    }
}

bool cut_host::start(const host_op& op)
{
    const bool posted = m_nand.powered() && (sata() ? post_ata(op) : post_nvme(op));
    m_posted += posted ? 1 : 0;
    m_under_way += posted ? 1 : 0;
    return posted;
}

void cut_host::occupy(request& r, const host_op& op)
{
    r.busy = true;
    r.op = op;
    r.begun = m_shadow.tick();
    prepare(r);
}

bool cut_host::post_nvme(const host_op& op)
{
    request* r = m_nand.free_slots() != 0 ? free_request() : nullptr;
    if (r == nullptr) {
        return false;
    }
    occupy(*r, op);
    nvme_sqe q{};
    q.opcode = op.opcode;
    q.nsid = 1;
    if (op.opcode == NVME_IO_DSM) {
        q.cdw10 = static_cast<std::uint32_t>(op.ranges.size() - 1);
        q.cdw11 = NVME_DSM_DEALLOCATE;
    } else if (op.opcode != NVME_IO_FLUSH && op.opcode != NVME_ADMIN_FORMAT) {
        q.cdw10 = static_cast<std::uint32_t>(op.lba);
        q.cdw11 = static_cast<std::uint32_t>(op.lba >> 32);
        q.cdw12 = (op.sectors - 1) | (op.fua ? NVME_RW_FUA : 0u);
    }
    r->id = static_cast<std::uint32_t>(
        m_nand.submit(op.opcode == NVME_ADMIN_FORMAT ? 0 : 1, q, &r->data));
    return true;
}

bool cut_host::pump()
{
    const bool moved = m_nand.step();
    host_completion c;
    while (m_nand.completion(c)) {
        finish(c);
    }
    if (moved && stepped) {
        stepped();
    }
    return moved && m_nand.powered();
}

bool cut_host::stuck(const char* where)
{
    if (m_nand.powered()) {
        found.wrong(std::string(where) + ": the drive is stuck: " + m_nand.panic_text() + " " +
                    m_nand.error_text());
    }
    return false;
}

bool cut_host::drain()
{
    for (std::uint64_t n = 0; m_under_way != 0; ++n) {
        if (n == steps_most || !pump()) {
            return stuck("commands");
        }
    }
    return m_nand.powered();
}

bool cut_host::idle(std::uint32_t rings)
{
    if (!drain() || (has_memory() && !set_memory(!m_lent))) {
        return false;
    }
    for (std::uint64_t n = 0; pump(); ++n) {
        if (n == steps_most) {
            return stuck("rest");
        }
    }
    for (std::uint32_t i = 0; i < rings && m_nand.elapse(); ++i) {
        if (stepped) {
            stepped();
        }
    }
    return m_nand.powered();
}

bool cut_host::admin(std::uint8_t opcode, std::uint32_t cdw10, std::uint32_t cdw11)
{
    nvme_sqe q{};
    q.opcode = opcode;
    q.cdw10 = cdw10;
    q.cdw11 = cdw11;
    return await(m_nand.submit(0, q, nullptr));
}

/// The end of a command when there is no other. False: an error, or as power_up().
bool cut_host::await(std::int64_t id)
{
    host_completion c;
    for (;;) {
        while (m_nand.completion(c)) {
            if (c.id == id) {
                return is_good(c.status);
            }
        }
        if (!m_nand.step()) {
            return stuck("admin command");
        }
        if (stepped) {
            stepped();
        }
    }
}

bool cut_host::await_ready(bool ready, const char* where)
{
    while (((m_nand.csts() & NVME_CSTS_RDY) != 0) != ready) {
        if (!m_nand.step()) {
            return stuck(where);
        }
        if (stepped) {
            stepped();
        }
    }
    return true;
}

/// SATA: the register is SFE_REG_LINK, and bit 0 says that the host wants the device.
bool cut_host::enable()
{
    if (sata()) {
        m_nand.set_fe_register(SFE_REG_SPEED, 3);
        m_nand.write_cc(SFE_LINK_ENABLE);
        return await_ready(true, "signature");
    }
    m_nand.write_cc(enabled);
    return await_ready(true, "enable") && (!has_memory() || set_memory(true)) &&
           admin(NVME_ADMIN_CREATE_CQ, 1 | (63u << 16), 3u) &&
           admin(NVME_ADMIN_CREATE_SQ, 1 | (63u << 16), 1u | (1u << 16));
}

/// All but the first page, which has the list, in two pieces; or takes it back, and uses it.
bool cut_host::set_memory(bool lend)
{
    constexpr std::uint32_t page = 4096;
    std::vector<std::uint8_t>& memory = m_nand.host_memory;
    const auto pages = static_cast<std::uint32_t>(memory.size() / page) - 1;
    const nvme_host_descriptor list[] = {{ram_host_base + 2 * page, pages - 1, 0},
                                         {ram_host_base + page, 1, 0}};
    nvme_sqe q{};
    q.opcode = NVME_ADMIN_SET_FEATURES;
    q.cdw10 = NVME_FEATURE_HOST_MEMORY;
    if (lend) {
        std::memcpy(memory.data(), list, sizeof list);
        q.cdw11 = 1;
        q.cdw12 = pages;
        q.cdw13 = static_cast<std::uint32_t>(ram_host_base);
        q.cdw14 = ram_host_base >> 32;
        q.cdw15 = 2;
    }
    const bool good = await(m_nand.submit(0, q, nullptr));
    m_lent = good && lend;
    if (good && !lend) {
        std::fill(memory.begin() + page, memory.end(), std::uint8_t{0x5A});
    }
    return good;
}

bool cut_host::power_up()
{
    m_nand.power_on();
    if (m_nand.panicked()) {
        return stuck("boot");
    }
    return m_nand.powered() && enable();
}

bool cut_host::shut_down()
{
    if (!drain()) {
        return false;
    }
    const std::uint64_t begun = m_shadow.tick();
    if (sata()) {
        if (!flush_and_stop()) {
            return false;
        }
    } else {
        m_nand.write_cc(enabled | 1u << NVME_CC_SHN_SHIFT);
        while ((m_nand.csts() & NVME_CSTS_SHST_MASK) != NVME_CSTS_SHST_COMPLETE) {
            if (!pump()) {
                return stuck("shutdown");
            }
        }
    }
    // What was acknowledged before is kept, while there is a place to keep it.
    if (m_nand.counters().spare_percent != 0 || m_nand.counters().read_only == 0) {
        m_shadow.end_flush(begun);
    }
    return true;
}

bool cut_host::begin_shutdown()
{
    if (sata()) { // STANDBY IMMEDIATE is not queued
        return drain() && begin_standby();
    }
    m_nand.write_cc(enabled | 1u << NVME_CC_SHN_SHIFT);
    return m_nand.powered();
}

bool cut_host::reset()
{
    m_nand.write_cc(sata() ? std::uint32_t{SFE_LINK_HARD} : 0u);
    if (!await_ready(false, "reset")) {
        return false;
    }
    m_shadow.tick();
    for (request& r : m_requests) { // nobody will complete them; a write may have happened
        if (r.busy && r.op.opcode == NVME_IO_READ) {
            for (std::uint32_t i = 0; i < r.op.sectors; ++i) {
                m_shadow.forget_read();
            }
        } else if (r.busy) {
            end_write(r, durable_shadow::outcome::FAILED);
        }
        r.busy = false;
    }
    m_under_way = 0;
    return enable();
}

bool cut_host::check_everything()
{
    const std::uint32_t most = m_nand.config.params.host.mdts / sector;
    host_op op;
    op.opcode = NVME_IO_READ;
    for (op.lba = 0; op.lba < m_shadow.sectors(); op.lba += op.sectors) {
        op.sectors =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(most, m_shadow.sectors() - op.lba));
        while (!start(op)) {
            if (!pump()) {
                return stuck("reads");
            }
        }
    }
    return drain();
}

void cut_host::power_lost()
{
    for (request& r : m_requests) {
        r.busy = false;
    }
    m_under_way = 0;
    m_shadow.cut();
}

void cut_host::end_write(const request& r, durable_shadow::outcome how)
{
    const bool one = writes(r.op.opcode) && r.op.opcode != NVME_IO_DSM;
    for (std::uint32_t i = 0; one && i < r.op.sectors; ++i) {
        m_shadow.end_write(r.op.lba + i, r.begun, how);
    }
    for (const auto& range : r.op.ranges) {
        for (std::uint32_t i = 0; i < range.second; ++i) {
            m_shadow.end_write(range.first + i, r.begun, how);
        }
    }
}

void cut_host::finish_write(const request& r, bool good)
{
    using outcome = durable_shadow::outcome;
    const bool durable = r.op.fua || r.op.opcode == NVME_ADMIN_FORMAT;
    found.refused += good ? 0 : 1;
    end_write(r, !good ? outcome::FAILED : durable ? outcome::DURABLE : outcome::ACKNOWLEDGED);
}

void cut_host::check_sector(const request& r, std::uint32_t i)
{
    const bool full = m_nand.config.params.host.data_mode == 2;
    std::uint64_t value = 0;
    std::memcpy(&value, &r.data[std::size_t{i} * sector], 8);
    bool whole = true;
    for (std::uint32_t w = 1; full && w < sector / 8; ++w) {
        std::uint64_t word = 0;
        std::memcpy(&word, &r.data[std::size_t{i} * sector + w * 8], 8);
        whole = whole && word == word_of(value, w);
    }
    ++found.checked;
    found.held += value != 0 ? 1 : 0;
    const bool legal = m_shadow.end_read(r.op.lba + i, value, r.begun);
    if (!legal && whole && (value == 0 || value >> 32 == r.op.lba + i) && stale_allowed) {
        ++found.stale;
    } else if (!legal || !whole) {
        ++found.lost;
        found.wrong("sector " + std::to_string(r.op.lba + i) + " holds " + hex(value) +
                    (whole ? "" : ", and is not of one piece"));
    }
}

void cut_host::finish_read(const request& r, std::uint16_t status)
{
    for (std::uint32_t i = 0; i < r.op.sectors; ++i) {
        if (status == 0) {
            check_sector(r, i);
            continue;
        }
        m_shadow.forget_read();
        if ((status & 0x7FFu) == NVME_SC_FORMAT_IN_PROGRESS) {
            continue;
        }
        ++found.checked;
        ++found.unread;
        if (!errors_allowed) {
            ++found.lost;
            found.wrong("sector " + std::to_string(r.op.lba + i) + " cannot be read, status " +
                        hex(status));
        }
    }
}

void cut_host::finish(const host_completion& c)
{
    const auto r = std::find_if(m_requests.begin(), m_requests.end(),
                                [&c](const request& x) { return x.busy && x.id == c.id; });
    if (r == m_requests.end()) {
        return;
    }
    m_shadow.tick();
    if (writes(r->op.opcode)) {
        finish_write(*r, is_good(c.status));
    } else if (r->op.opcode == NVME_IO_READ) {
        finish_read(*r, is_good(c.status) ? std::uint16_t{0} : c.status);
    } else if (is_good(c.status)) {
        m_shadow.end_flush(r->begun);
    }
    r->busy = false;
    --m_under_way;
}

} // namespace ssdvp::test
