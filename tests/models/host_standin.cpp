// SPDX-License-Identifier: Apache-2.0
#include "tests/models/host_standin.h"

namespace ssdvp::test {

void standin::access(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const std::uint64_t at = gp.get_address();
    if (at + gp.get_data_length() > NVME_BAR_SIZE) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    std::uint64_t value = 0;
    if (gp.is_read()) {
        value = read(at);
        std::memcpy(gp.get_data_ptr(), &value, gp.get_data_length());
        delay += sc_core::sc_time(500, sc_core::SC_NS);
        return;
    }
    std::memcpy(&value, gp.get_data_ptr(), gp.get_data_length());
    write(at, value, now() + sim_time::from_sc(delay));
}

std::uint64_t standin::read(std::uint64_t at) const
{
    if (at == NVME_REG_CAP) {
        return (m_options.entries - 1) | std::uint64_t{m_options.timeout_units} << 24;
    }
    return at == NVME_REG_CSTS ? m_csts : 0;
}

void standin::write(std::uint64_t at, std::uint64_t value, sim_time when)
{
    if (at >= NVME_REG_DOORBELL && at < NVME_REG_MSIX_TABLE) {
        const auto index = static_cast<unsigned>((at - NVME_REG_DOORBELL) / 4);
        doorbells.push_back({index / 2, index % 2 == 1, static_cast<std::uint32_t>(value), when});
        if (index % 2 == 0) {
            work w;
            w.queue = index / 2;
            w.tail = static_cast<std::uint32_t>(value);
            m_agenda.push(when, w);
        }
        return;
    }
    register_writes.push_back(at);
    if (at == NVME_REG_AQA) {
        m_queues[0].sq_size = (value & 0xFFF) + 1;
        m_queues[0].cq_size = ((value >> 16) & 0xFFF) + 1;
    } else if (at == NVME_REG_ASQ) {
        m_queues[0].sq = value;
    } else if (at == NVME_REG_ACQ) {
        m_queues[0].cq = value;
    } else if (at == NVME_REG_CC) {
        write_cc(static_cast<std::uint32_t>(value));
    }
}

void standin::write_cc(std::uint32_t value)
{
    const bool enable = (value & NVME_CC_EN) != 0 && (cc & NVME_CC_EN) == 0;
    cc = value;
    if ((value & NVME_CC_EN) == 0) {
        m_csts = 0;
        m_queues.clear(); // a reset forgets them
    } else if (enable && m_options.fatal) {
        m_csts = NVME_CSTS_CFS;
    } else if (enable && !m_options.never_ready) {
        work w;
        w.kind = work::ready;
        m_agenda.push(now() + m_options.ready_after, w);
    }
    if ((value & NVME_CC_SHN_MASK) != 0 && !m_options.shutdown_hangs) {
        m_csts |= NVME_CSTS_SHST_COMPLETE;
    }
}

void standin::act()
{
    activated();
    work w;
    std::set<unsigned> interrupts;
    while (m_agenda.pop_due(w)) {
        if (w.kind == work::ready) {
            m_csts = NVME_CSTS_RDY;
        } else if (w.kind == work::complete) {
            post(w.queue, w.cqe, sim_time());
            interrupts.insert(m_queues[m_queues[w.queue].cq_id].vector);
            if (!m_options.coalesce) {
                message(m_queues[m_queues[w.queue].cq_id].vector, sim_time());
            }
        } else {
            fetch(w.queue, w.tail);
        }
    }
    for (const unsigned v : interrupts) {
        if (m_options.coalesce) {
            message(v, sim_time());
        }
    }
}

void standin::fetch(unsigned id, std::uint32_t tail)
{
    queue& q = m_queues[id];
    while (q.head != tail) {
        nvme_sqe sqe{};
        memory_access(false, q.sq + q.head * sizeof sqe, &sqe, sizeof sqe);
        q.head = (q.head + 1) % q.sq_size;
        work w;
        w.kind = work::complete;
        w.queue = id;
        w.cqe.cid = sqe.cid;
        w.cqe.sq_id = static_cast<std::uint16_t>(id);
        w.cqe.sq_head = static_cast<std::uint16_t>(q.head);
        const unsigned status = id == 0 ? do_admin(sqe, w.cqe) : do_io(id, sqe);
        w.cqe.status = static_cast<std::uint16_t>(status << 1);
        sim_time latency = m_options.latency;
        if (id != 0 && !latencies[sqe.opcode].empty()) {
            latency = latencies[sqe.opcode].front();
            latencies[sqe.opcode].erase(latencies[sqe.opcode].begin());
        }
        if (id != 0 && m_options.ledger != nullptr) {
            m_options.ledger->stamp(std::size_t{id} * m_options.ledger_entries + sqe.cid,
                                    latency_part::array, now() + latency);
        }
        if (id != 0 && m_options.early_bytes) {
            post(id, w.cqe, latency);
            message(m_queues[q.cq_id].vector, latency);
        } else {
            m_agenda.push(now() + latency, w);
        }
    }
}

unsigned standin::do_admin(const nvme_sqe& sqe, nvme_cqe& cqe)
{
    admin.push_back(sqe.opcode);
    const unsigned id = sqe.cdw10 & 0xFFFF;
    if (sqe.opcode == NVME_ADMIN_IDENTIFY) {
        std::vector<unsigned char> page(4096, 0);
        if (sqe.cdw10 == 1) {
            std::memcpy(&page[24], "stand-in                                ", 40);
            page[77] = static_cast<unsigned char>(m_options.mdts);
            page[520] = 4;
            page[525] = m_options.write_cache ? 0x7 : 0x6;
        } else {
            std::memcpy(page.data(), &m_options.capacity, 8);
            page[128 + 2] = static_cast<unsigned char>(m_options.lbads);
        }
        memory_access(true, sqe.prp1, page.data(), 4096);
    } else if (sqe.opcode == NVME_ADMIN_SET_FEATURES) {
        const std::uint32_t asked = (sqe.cdw11 & 0xFFFF) + 1;
        const std::uint32_t granted = std::min(asked, m_options.queue_pairs) - 1;
        cqe.dw0 = granted << 16 | granted;
    } else if (sqe.opcode == NVME_ADMIN_CREATE_CQ) {
        queue& q = m_queues[id];
        q.cq = sqe.prp1;
        q.cq_size = (sqe.cdw10 >> 16) + 1;
        q.vector = sqe.cdw11 >> 16;
    } else if (sqe.opcode == NVME_ADMIN_CREATE_SQ) {
        queue& q = m_queues[id];
        q.sq = sqe.prp1;
        q.sq_size = (sqe.cdw10 >> 16) + 1;
        q.cq_id = sqe.cdw11 >> 16;
    }
    return 0;
}

unsigned standin::do_io(unsigned id, const nvme_sqe& sqe)
{
    commands.push_back({sqe, id, {}, now()});
    seen& s = commands.back();
    std::uint64_t lba = std::uint64_t{sqe.cdw11} << 32 | sqe.cdw10;
    std::uint64_t count = (sqe.cdw12 & 0xFFFF) + 1;
    const bool moves = sqe.opcode == NVME_IO_READ || sqe.opcode == NVME_IO_WRITE;
    if (sqe.opcode == NVME_IO_DSM) {
        nvme_dsm_range range{};
        memory_access(false, sqe.prp1, &range, sizeof range);
        lba = range.slba;
        count = range.blocks;
    }
    if (sqe.opcode != NVME_IO_FLUSH && lba + count > m_options.capacity) {
        return NVME_SC_LBA_OUT_OF_RANGE;
    }
    if (failing.count(lba) != 0) {
        return sqe.opcode == NVME_IO_READ ? NVME_SC_UNRECOVERED_READ_ERROR : NVME_SC_WRITE_FAULT;
    }
    if (const auto spoils = spoiled.find(lba); spoils != spoiled.end() && spoils->second > 0) {
        --spoils->second;
        return NVME_SC_DATA_TRANSFER_ERROR;
    }
    if (moves) {
        s.pages = walk(sqe, count * sector_size);
        move(sqe.opcode == NVME_IO_WRITE, lba, count, s.pages);
    } else if (sqe.opcode == NVME_IO_DSM && zero_after_trim) {
        for (std::uint64_t i = 0; i < count; ++i) {
            tags.erase(lba + i);
            sectors.erase(lba + i);
        }
    }
    return 0;
}

std::vector<std::uint64_t> standin::walk(const nvme_sqe& sqe, std::uint64_t bytes)
{
    std::vector<std::uint64_t> pages = {sqe.prp1};
    const std::uint64_t count = (sqe.prp1 % 4096 + bytes + 4095) / 4096;
    if (count == 2) {
        pages.push_back(sqe.prp2);
    }
    for (std::uint64_t i = 1; count > 2 && i < count; ++i) {
        std::uint64_t page = 0;
        memory_access(false, sqe.prp2 + (i - 1) * 8, &page, 8);
        pages.push_back(page);
    }
    return pages;
}

void standin::move(bool write, std::uint64_t lba, std::uint64_t count,
                   const std::vector<std::uint64_t>& pages)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = pages[i / 8] + i % 8 * sector_size;
        std::vector<unsigned char> bytes(sector_size, 0);
        if (write) {
            memory_access(false, at, bytes.data(), sector_size);
            if (lba + i != drop_writes_of) {
                std::memcpy(&tags[lba + i], bytes.data(), 8);
                sectors[lba + i] = bytes;
            }
        } else {
            if (sectors.count(lba + i) != 0) {
                bytes = sectors[lba + i];
            }
            const std::uint64_t tag = tags.count(lba + i) != 0 ? tags[lba + i] : 0;
            std::memcpy(bytes.data(), &tag, 8);
            memory_access(true, at, bytes.data(), sector_size);
        }
    }
}

void standin::post(unsigned id, nvme_cqe cqe, sim_time delay)
{
    queue& q = m_queues[id == 0 ? 0 : m_queues[id].cq_id];
    cqe.status = static_cast<std::uint16_t>(cqe.status | q.phase);
    memory_access(true, q.cq + q.cq_tail * sizeof cqe, &cqe, sizeof cqe, delay);
    if (++q.cq_tail == q.cq_size) {
        q.cq_tail = 0;
        q.phase ^= 1;
    }
}

void standin::message(unsigned vector, sim_time delay)
{
    ++messages;
    std::uint32_t data = vector;
    memory_access(true, 0xFEE00000, &data, 4, delay);
}

void standin::memory_access(bool write, std::uint64_t at, void* bytes, unsigned length,
                            sim_time after)
{
    tlm::tlm_generic_payload gp;
    gp.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    gp.set_address(at);
    gp.set_data_ptr(static_cast<unsigned char*>(bytes));
    gp.set_data_length(length);
    gp.set_streaming_width(length);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = after.to_sc();
    if (host->nb_transport_fw(gp, phase, delay) != tlm::TLM_COMPLETED || gp.is_response_error()) {
        throw std::runtime_error("host memory refused an access");
    }
}

void bench::build()
{
    ledger = std::make_unique<latency_ledger>(host::driver::ledger_commands(drive), 16);
    device.ledger = ledger.get();
    device.ledger_entries = drive.queue_entries;
    device.data = drive.data;
    host = std::make_unique<host::host_system>(
        "host", drive, workload, host::environment{ledger.get(), &faults, &done, seed});
    drv = std::make_unique<standin>("device", device);
    host->to_link->bind(drv->registers);
    drv->host.bind(*host->from_link);
}

bool bench::start()
{
    bool ok = false;
    bool ended = false;
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    host->start([&](bool result) {
        ok = result;
        ended = true;
    });
    if (!ended) { // a refusal may come at once
        sc_core::sc_start();
    }
    return ok && ended;
}

} // namespace ssdvp::test
