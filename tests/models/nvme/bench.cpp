// SPDX-License-Identifier: Apache-2.0
#include "tests/models/nvme/bench.h"

#include <cstring>

namespace ssdvp::test {

namespace {

constexpr std::uint32_t command_ring = 0x1000;
constexpr std::uint32_t move_ring = 0x10000;
constexpr std::uint32_t done_ring = 0x20000;

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
    : sc_module(name), wire("wire", bench_link()), dut("dut", config, environment(*this)),
      m_mmio("mmio"), m_regs("regs"), m_host("host"), m_memory("memory"), m_irq("irq"),
      m_queues(config.queue_pairs + 1), m_vectors(config.vectors)
{
    m_mmio.bind(wire.host_mmio);
    wire.bar.bind(dut.bar);
    dut.link.bind(link_checker.in);
    link_checker.out.bind(wire.device);
    wire.host.bind(m_host);
    m_regs.bind(dut.regs);
    dut.memory.bind(memory_checker.in);
    memory_checker.out.bind(m_memory);
    m_irq.bind(*this);
    dut.irq.bind(m_irq);
    m_host.register_b_transport(this, &nvme_bench::host_access);
    m_memory.register_nb_transport_fw(this, &nvme_bench::memory_access);
    m_memory.register_get_direct_mem_ptr(this, &nvme_bench::memory_dmi);
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
    if (is_high || (address < host.size() && length <= host.size() - address)) {
        if (gp.is_read()) {
            read.push_back(address);
        }
        transfer(gp, &at<unsigned char>(address));
    } else {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

tlm::tlm_sync_enum nvme_bench::memory_access(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                             sc_core::sc_time& delay)
{
    if (gp.get_address() + gp.get_data_length() > memory.size()) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    transfer(gp, memory.data() + gp.get_address());
    delay += memory_latency.to_sc();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

bool nvme_bench::memory_dmi(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_dmi_ptr(memory.data());
    dmi.set_start_address(0);
    dmi.set_end_address(memory.size() - 1);
    dmi.allow_read_write();
    return true;
}

template <typename T>
void nvme_bench::put_value(port& to, std::uint64_t address, T value, sim_time delay)
{
    tlm::tlm_generic_payload gp;
    gp.set_write();
    gp.set_address(address);
    gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    gp.set_data_length(sizeof value);
    gp.set_streaming_width(sizeof value);
    sc_core::sc_time d = delay.to_sc();
    to->b_transport(gp, d);
    REQUIRE(gp.is_response_ok());
}

template <typename T>
T nvme_bench::get_value(port& from, std::uint64_t address)
{
    T value{};
    tlm::tlm_generic_payload gp;
    gp.set_read();
    gp.set_address(address);
    gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    gp.set_data_length(sizeof value);
    gp.set_streaming_width(sizeof value);
    sc_core::sc_time d;
    from->b_transport(gp, d);
    REQUIRE(gp.is_response_ok());
    return value;
}

void nvme_bench::bar_write(std::uint64_t offset, std::uint32_t value)
{
    put_value(m_mmio, offset, value, {});
}

void nvme_bench::bar_write64(std::uint64_t offset, std::uint64_t value)
{
    put_value(m_mmio, offset, value, {});
}

std::uint32_t nvme_bench::bar_read(std::uint64_t offset)
{
    return get_value<std::uint32_t>(m_mmio, offset);
}

std::uint64_t nvme_bench::bar_read64(std::uint64_t offset)
{
    return get_value<std::uint64_t>(m_mmio, offset);
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

void nvme_bench::reg_write(std::uint32_t offset, std::uint32_t value, sim_time delay)
{
    put_value(m_regs, offset, value, delay);
}

std::uint32_t nvme_bench::reg_read(std::uint32_t offset)
{
    return get_value<std::uint32_t>(m_regs, offset);
}

bool nvme_bench::take(fe_command& command, bool free_entry)
{
    std::memcpy(&command, memory.data() + command_ring + m_command_head * sizeof command,
                sizeof command);
    if ((command.phase & 1) != m_command_phase) {
        return false;
    }
    if (++m_command_head == command_entries) {
        m_command_head = 0;
        m_command_phase ^= 1;
    }
    if (free_entry) {
        reg_write(FE_REG_CMD_HEAD, m_command_head);
    }
    return true;
}

void nvme_bench::order(const fe_move& m, sim_time delay)
{
    std::memcpy(memory.data() + move_ring + m_move_tail * sizeof m, &m, sizeof m);
    m_move_tail = (m_move_tail + 1) % move_entries;
    reg_write(FE_REG_MOVE_TAIL, m_move_tail, delay);
}

bool nvme_bench::done(fe_move_done& d, bool free_entry)
{
    std::memcpy(&d, memory.data() + done_ring + m_done_head * sizeof d, sizeof d);
    if ((d.phase & 1u) != m_done_phase) {
        return false;
    }
    if (++m_done_head == done_entries) {
        m_done_head = 0;
        m_done_phase ^= 1;
    }
    if (free_entry) {
        reg_write(FE_REG_DONE_HEAD, m_done_head);
    }
    return true;
}

void nvme_bench::prepare()
{
    if (now() == sim_time()) {
        run({}); // elaborates
    }
    reg_write(FE_REG_CMD_BASE_LO, command_ring);
    reg_write(FE_REG_CMD_SIZE, command_entries);
    reg_write(FE_REG_MOVE_BASE_LO, move_ring);
    reg_write(FE_REG_MOVE_SIZE, move_entries);
    reg_write(FE_REG_DONE_BASE_LO, done_ring);
    reg_write(FE_REG_DONE_SIZE, done_entries);
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
