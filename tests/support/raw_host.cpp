// SPDX-License-Identifier: Apache-2.0
#include "tests/support/raw_host.h"

#include <cstring>
#include <fmt/format.h>

#include "platform/config/loader.h"

namespace ssdvp::test {

using namespace ssdvp::literals;

namespace {

constexpr std::uint32_t status_mask = 0x7FF; // SCT and SC

platform::ssd_config drive_config(const std::vector<std::string>& sets)
{
    platform::config_sources sources;
    sources.files = {"device/tiny", "workload/random-read"};
    sources.sets = {"cpu.core=flat", "data=full", "host.nvme.slots=32",
                    "host.nvme.queue_entries=64", "host.nvme.max_transfer_size=16KiB"};
    sources.sets.insert(sources.sets.end(), sets.begin(), sets.end());
    return platform::load(sources);
}

} // namespace

raw_host::raw_host(const std::vector<std::string>& sets) : raw_host("ssd", sets)
{
    elaborate();
}

raw_host::raw_host(const char* name, const std::vector<std::string>& sets) : m_firmware("")
{
    m_drive = std::make_unique<platform::ssd>(name, drive_config(sets), m_firmware, m_nobody,
                                              platform::ssd_options());
    m_arena = m_drive->host().ram().allocate(arena_size);
}

void raw_host::elaborate()
{
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

raw_host::~raw_host() = default;

void raw_host::run(sim_time t)
{
    sc_core::sc_start(t.to_sc());
}

std::string raw_host::trouble()
{
    if (m_drive->panicked()) {
        return "firmware panicked";
    }
    return m_drive->faults().count() == 0 ? "" : m_drive->faults().faults().front().what;
}

void raw_host::write32(std::uint32_t offset, std::uint32_t value)
{
    access(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
}

void raw_host::write64(std::uint32_t offset, std::uint64_t value)
{
    access(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
}

std::uint32_t raw_host::read32(std::uint32_t offset)
{
    std::uint32_t value = 0;
    access(tlm::TLM_READ_COMMAND, offset, &value, sizeof value);
    return value;
}

void raw_host::access(tlm::tlm_command command, std::uint32_t offset, void* bytes, unsigned length)
{
    tlm::tlm_generic_payload gp;
    gp.set_command(command);
    gp.set_address(offset);
    gp.set_data_ptr(static_cast<unsigned char*>(bytes));
    gp.set_data_length(length);
    gp.set_streaming_width(length);
    sc_core::sc_time delay;
    dynamic_cast<host::driver&>(m_drive->host().drive()).mmio->b_transport(gp, delay);
    if (!gp.is_response_ok()) {
        m_drive->faults().record("raw_host", "a register access was refused");
    }
}

bool raw_host::wait_csts(std::uint32_t mask, std::uint32_t value)
{
    const sim_time end = now() + patience;
    while ((read32(NVME_REG_CSTS) & mask) != value) {
        if (now() > end || !trouble().empty()) {
            return false;
        }
        run(100_us);
    }
    return true;
}

bool raw_host::disable()
{
    write32(NVME_REG_CC, 0);
    run(10_us);
    return wait_csts(NVME_CSTS_RDY, 0);
}

bool raw_host::enable(std::uint32_t more)
{
    std::memset(&at<unsigned char>(m_arena), 0, 0x2000 * queues);
    m_queues = {};
    write32(NVME_REG_AQA, (entries - 1) << 16 | (entries - 1));
    write64(NVME_REG_ASQ, sq(0));
    write64(NVME_REG_ACQ, cq(0));
    write32(NVME_REG_CC,
            NVME_CC_EN | 6u << NVME_CC_IOSQES_SHIFT | 4u << NVME_CC_IOCQES_SHIFT | more);
    run(10_us);
    return wait_csts(NVME_CSTS_RDY | NVME_CSTS_CFS, NVME_CSTS_RDY);
}

std::vector<std::uint32_t> raw_host::create_queues(std::uint32_t size)
{
    std::vector<std::uint32_t> statuses;
    for (std::uint32_t id = 1; id < queues; ++id) {
        std::memset(&at<unsigned char>(cq(id)), 0, size * sizeof(nvme_cqe));
        nvme_sqe sqe{};
        sqe.opcode = NVME_ADMIN_CREATE_CQ;
        sqe.prp1 = cq(id);
        sqe.cdw10 = (size - 1) << 16 | id;
        sqe.cdw11 = id << 16 | 3;
        statuses.push_back(command(0, sqe));
        sqe.opcode = NVME_ADMIN_CREATE_SQ;
        sqe.prp1 = sq(id);
        sqe.cdw11 = id << 16 | 1;
        statuses.push_back(command(0, sqe));
        m_queues[id] = {};
        m_queues[id].entries = size;
    }
    return statuses;
}

void raw_host::put(std::uint32_t id, const nvme_sqe& sqe)
{
    ring_state& q = m_queues[id];
    at<nvme_sqe>(sq(id) + q.tail * sizeof sqe) = sqe;
    q.tail = (q.tail + 1) % q.entries;
}

void raw_host::ring(std::uint32_t id)
{
    write32(NVME_REG_DOORBELL + NVME_DOORBELL_STRIDE * id, m_queues[id].tail);
}

bool raw_host::reap(std::uint32_t id, nvme_cqe& cqe)
{
    ring_state& q = m_queues[id];
    cqe = at<nvme_cqe>(cq(id) + q.head * sizeof cqe);
    if ((cqe.status & 1u) != q.phase) {
        return false;
    }
    q.head = (q.head + 1) % q.entries;
    q.phase ^= q.head == 0 ? 1 : 0;
    return true;
}

void raw_host::ring_head(std::uint32_t id)
{
    write32(NVME_REG_DOORBELL + NVME_DOORBELL_STRIDE * id + NVME_DOORBELL_CQHDBL,
            m_queues[id].head);
}

std::uint32_t raw_host::command(std::uint32_t id, nvme_sqe sqe)
{
    sqe.cid = 0xABC;
    put(id, sqe);
    ring(id);
    const sim_time end = now() + patience;
    nvme_cqe cqe{};
    while (now() < end && trouble().empty()) {
        run(20_us);
        while (reap(id, cqe)) {
            ring_head(id);
            if (cqe.cid == sqe.cid) {
                run(10_us);
                return (cqe.status >> 1u) & status_mask;
            }
        }
    }
    if (trouble().empty()) {
        m_drive->faults().record("raw_host",
                                 fmt::format("command {:#04x} of queue {} has not ended "
                                             "in {} s",
                                             unsigned{sqe.opcode}, id, patience.ns() / 1000000000));
    }
    return no_completion;
}

} // namespace ssdvp::test
