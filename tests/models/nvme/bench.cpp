// SPDX-License-Identifier: Apache-2.0
#include "tests/models/nvme/bench.h"

#include <cstring>

namespace ssdvp::test {

namespace {

constexpr front_end_bench::ring_sizes sizes = {nvme_bench::command_entries,
                                               nvme_bench::move_entries, nvme_bench::done_entries};

nvme::front_end_environment environment(nvme_bench& b)
{
    nvme::front_end_environment e;
    e.ledger = &b.ledger;
    e.ledger_queues = 5;
    e.ledger_entries = 64;
    e.faults = &b.faults;
    e.irq_line = 3;
    return e;
}

} // namespace

nvme_bench::nvme_bench(const sc_core::sc_module_name& name, const nvme::front_end_config& config)
    : front_end_bench(name, sizes, 2 << 20), wire("wire", bench_link()),
      dut("dut", config, environment(*this)), m_mmio("mmio"), m_host("host"),
      m_queues(config.queue_pairs + 1), m_vectors(config.vectors)
{
    m_mmio.bind(wire.host_mmio);
    wire.bar.bind(dut.bar);
    dut.link.bind(link_checker.in);
    link_checker.out.bind(wire.device);
    wire.host.bind(m_host);
    bind_device_side(dut);
    m_host.register_b_transport(this, &nvme_bench::host_access);
}

void nvme_bench::host_access(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const std::uint64_t address = gp.get_address();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    if (address >= msi_base && address < msi_base + 0x1000) {
        std::uint32_t value = 0;
        std::memcpy(&value, gp.get_data_ptr(), sizeof value);
        messages.push_back({value, now() + sim_time::from_sc(delay)});
        return;
    }
    const std::uint64_t length = gp.get_data_length();
    const bool is_high = address >= high_base && address <= high_base + high.size() - length;
    if (is_high || host.has(address, length)) {
        if (gp.is_read()) {
            read.push_back(address);
        }
        transfer(gp, &at<unsigned char>(address));
    } else {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

void nvme_bench::bar_write(std::uint64_t offset, std::uint32_t value)
{
    access(m_mmio, tlm::TLM_WRITE_COMMAND, offset, value);
}

void nvme_bench::bar_write64(std::uint64_t offset, std::uint64_t value)
{
    access(m_mmio, tlm::TLM_WRITE_COMMAND, offset, value);
}

std::uint32_t nvme_bench::bar_read(std::uint64_t offset)
{
    return access(m_mmio, tlm::TLM_READ_COMMAND, offset, std::uint32_t{0});
}

std::uint64_t nvme_bench::bar_read64(std::uint64_t offset)
{
    return access(m_mmio, tlm::TLM_READ_COMMAND, offset, std::uint64_t{0});
}

void nvme_bench::put(std::uint32_t sq, const nvme_sqe& sqe)
{
    queue& q = m_queues[sq];
    at<nvme_sqe>(q.sq + q.tail * sizeof sqe) = sqe;
    q.tail = (q.tail + 1) % q.sq_entries;
}

void nvme_bench::ring_sq(std::uint32_t sq)
{
    bar_write(NVME_REG_DOORBELL + 8 * sq, m_queues[sq].tail);
}

void nvme_bench::submit(std::uint32_t sq, const nvme_sqe& sqe)
{
    put(sq, sqe);
    ring_sq(sq);
}

bool nvme_bench::reap(std::uint32_t cq, nvme_cqe& cqe)
{
    queue& q = m_queues[cq];
    cqe = at<nvme_cqe>(q.cq + q.head * sizeof cqe);
    if ((cqe.status & 1) != q.phase) {
        return false;
    }
    if (++q.head == q.cq_entries) {
        q.head = 0;
        q.phase ^= 1;
    }
    return true;
}

void nvme_bench::ring_cq(std::uint32_t cq)
{
    bar_write(NVME_REG_DOORBELL + 8 * cq + 4, m_queues[cq].head);
}

void nvme_bench::prepare()
{
    if (now() == sim_time()) {
        run({}); // elaborates
    }
    open_rings();
    reg_write(FE_REG_INT_ENABLE, FE_INT_COMMAND | FE_INT_DONE);
    for (std::uint32_t v = 0; v < m_vectors; ++v) {
        const std::uint64_t entry = NVME_REG_MSIX_TABLE + 16 * v;
        bar_write64(entry, msi_base + 4 * v);
        bar_write(entry + 8, v);
        bar_write(entry + 12, 0);
        if (m_vectors > 8) {
            run(100_ns); // the link takes them one by one
        }
    }
}

void nvme_bench::enable(std::uint32_t cc)
{
    m_queues[0] = {8, 0, 8, 0, 1, sq_base(0), cq_base(0)};
    bar_write(NVME_REG_AQA, 7u | (7u << 16));
    bar_write64(NVME_REG_ASQ, sq_base(0));
    bar_write64(NVME_REG_ACQ, cq_base(0));
    bar_write(NVME_REG_CC, cc);
    run(1_us);
    REQUIRE(reg_read(FE_REG_CC) == cc);
    reg_write(FE_REG_CSTS, NVME_CSTS_RDY);
    REQUIRE(bar_read(NVME_REG_CSTS) == NVME_CSTS_RDY);
    run(1_us);
}

void nvme_bench::start(std::uint32_t cc)
{
    prepare();
    enable(cc);
}

void nvme_bench::create_io(std::uint32_t id, std::uint32_t entries)
{
    create_io_at(id, entries, sq_base(id), cq_base(id), FE_PRIORITY_URGENT);
}

void nvme_bench::create_io_at(std::uint32_t id, std::uint32_t entries, std::uint64_t sq,
                              std::uint64_t cq, fe_queue_priority priority)
{
    m_queues[id] = {entries, 0, entries, 0, 1, sq, cq};
    std::memset(&at<unsigned char>(cq), 0, entries * sizeof(nvme_cqe));
    reg_write(FE_REG_Q_ID, id);
    reg_write(FE_REG_Q_SIZE, entries);
    reg_write(FE_REG_Q_BASE_LO, static_cast<std::uint32_t>(cq));
    reg_write(FE_REG_Q_BASE_HI, static_cast<std::uint32_t>(cq >> 32));
    reg_write(FE_REG_Q_VECTOR, id | (1u << 16));
    reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_CQ);
    reg_write(FE_REG_Q_BASE_LO, static_cast<std::uint32_t>(sq));
    reg_write(FE_REG_Q_BASE_HI, static_cast<std::uint32_t>(sq >> 32));
    reg_write(FE_REG_Q_CQID, id);
    reg_write(FE_REG_Q_PRIORITY, priority);
    reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_SQ);
}

void nvme_bench::delete_io(std::uint32_t id)
{
    reg_write(FE_REG_Q_ID, id);
    reg_write(FE_REG_Q_COMMAND, FE_Q_DELETE_SQ);
    reg_write(FE_REG_Q_COMMAND, FE_Q_DELETE_CQ);
}

} // namespace ssdvp::test
