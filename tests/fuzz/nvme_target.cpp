// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/nvme_target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "platform/config/loader.h"

namespace ssdvp::fuzz {

using namespace ssdvp::literals;

namespace {

constexpr sim_time patience = 20_s; // simulated: CAP.TO is 10 s

platform::ssd_config drive_config()
{
    platform::config_sources sources;
    sources.files = {"device/tiny", "workload/random-read"};
    sources.sets = {"cpu.core=flat", "data=full", "host.nvme.slots=32",
                    "host.nvme.queue_entries=64", "host.nvme.max_transfer_size=16KiB"};
    return platform::load(sources);
}

} // namespace

/// The bytes, one after the other; behind the last there are zeroes.
class nvme_target::script {
public:
    script(const std::uint8_t* bytes, std::size_t length) : m_bytes(bytes), m_left(length) {}
    [[nodiscard]] bool ended() const { return m_left == 0; }
    std::uint8_t byte()
    {
        if (m_left == 0) {
            return 0;
        }
        --m_left;
        return *m_bytes++;
    }
    template <typename T>
    T value()
    {
        T v{};
        for (std::size_t i = 0; i < sizeof v; ++i) {
            reinterpret_cast<std::uint8_t*>(&v)[i] = byte();
        }
        return v;
    }

private:
    const std::uint8_t* m_bytes;
    std::size_t m_left;
};

nvme_target::nvme_target() : m_firmware("")
{
    m_drive = std::make_unique<platform::ssd>("ssd", drive_config(), m_firmware, m_nobody,
                                              platform::ssd_options());
    m_arena = m_drive->host().ram().allocate(arena_size);
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates: sockets can be used from here on
    recover();
}

nvme_target::~nvme_target() = default;

void nvme_target::execute(const std::uint8_t* bytes, std::size_t length)
{
    script s(bytes, length);
    for (int steps = 0; steps < 256 && !s.ended(); ++steps) {
        step(s);
    }
    run(1_ms);
    check("while the script ran");
    recover();
}

void nvme_target::step(script& s)
{
    const std::uint8_t what = s.byte();
    const std::uint32_t id = (what >> 4) % queues;
    nvme_cqe cqe{};
    switch (what % 16) {
    case 0:
    case 1:
    case 2:
        put_entry(s);
        break;
    case 3:
    case 4:
        ring(id);
        break;
    case 5: // any doorbell, any value
        write32(NVME_REG_DOORBELL + s.byte() * 4u, s.value<std::uint16_t>());
        break;
    case 6:
    case 7:
        write_memory(s);
        break;
    case 8:
    case 9:
        run(1_us * (s.byte() + 1u));
        break;
    case 10:
        while (reap(id, cqe)) {
        }
        write32(NVME_REG_DOORBELL + 8 * id + 4, m_queues[id].head);
        break;
    case 11:
        write_register(s);
        break;
    case 12:
        read32(s.value<std::uint16_t>() % NVME_BAR_SIZE / 4 * 4);
        break;
    case 13: // the queue's own tail, and more
        write32(NVME_REG_DOORBELL + 8 * id, (m_queues[id].tail + s.byte()) % (entries + 2));
        break;
    case 14:
        create_queues();
        break;
    default:
        run(1_ms);
        break;
    }
}

/// An entry of any 64 bytes. A first byte says which of its addresses are made those of memory.
void nvme_target::put_entry(script& s)
{
    const std::uint8_t how = s.byte();
    auto sqe = s.value<nvme_sqe>();
    for (std::uint64_t* address : {&sqe.prp1, &sqe.prp2, &sqe.mptr}) {
        const bool keep = (how & (address == &sqe.prp1 ? 1 : address == &sqe.prp2 ? 2 : 4)) != 0;
        *address = keep ? *address : m_arena + *address % arena_size;
    }
    if ((how & 8) == 0) {
        sqe.nsid = 1;
        sqe.cdw11 = (how & 16) == 0 ? 0 : sqe.cdw11;
        sqe.cdw12 &= 0xFFFF000F; // not too long
    }
    put((how >> 6) % queues, sqe);
}

/// Eight bytes of host memory, plain or the address of another place.
void nvme_target::write_memory(script& s)
{
    const std::uint8_t how = s.byte();
    const std::uint64_t place = s.value<std::uint16_t>() * std::uint64_t{8} % (arena_size / 2);
    const auto value = s.value<std::uint64_t>();
    at<std::uint64_t>(m_arena + place) = (how & 1) == 0 ? m_arena + value % arena_size : value;
}

/// Anything but the MSI-X table: messages would go to the driver of the platform's own host.
void nvme_target::write_register(script& s)
{
    static constexpr std::uint32_t offsets[] = {
        NVME_REG_CC,  NVME_REG_CC,      NVME_REG_INTMS, NVME_REG_INTMC, NVME_REG_AQA,
        NVME_REG_ASQ, NVME_REG_ASQ + 4, NVME_REG_ACQ,   NVME_REG_CSTS,  NVME_REG_CAP};
    const std::uint32_t offset = offsets[s.byte() % (sizeof offsets / sizeof offsets[0])];
    write32(offset, s.value<std::uint32_t>());
}

void nvme_target::recover()
{
    write32(NVME_REG_CC, 0);
    run(10_us);
    wait_ready(false);
    std::memset(&at<unsigned char>(m_arena), 0, 0x1000 * 2 * queues);
    m_queues = {};
    m_queues[0].entries = entries;
    write32(NVME_REG_AQA, (entries - 1) << 16 | (entries - 1));
    write64(NVME_REG_ASQ, sq(0));
    write64(NVME_REG_ACQ, cq(0));
    write32(NVME_REG_CC, NVME_CC_EN | 6u << NVME_CC_IOSQES_SHIFT | 4u << NVME_CC_IOCQES_SHIFT);
    wait_ready(true);
    create_queues();
    nvme_sqe sqe{};
    sqe.opcode = NVME_ADMIN_IDENTIFY;
    sqe.cdw10 = 1;
    sqe.prp1 = m_arena + 0x10000;
    if (command(0, sqe) != NVME_SC_SUCCESS) {
        fail("Identify failed after a reset");
    }
    sqe = {};
    sqe.opcode = NVME_IO_READ;
    sqe.nsid = 1;
    sqe.prp1 = m_arena + 0x10000;
    const std::uint32_t status = command(1, sqe) & 0x7FF;
    if (status != NVME_SC_SUCCESS) {
        fail("a read failed after a reset");
    }
    check("during recovery");
}

/// Queue pairs 1 and 2, of which there may be some already.
void nvme_target::create_queues()
{
    for (std::uint32_t id = 1; id < queues; ++id) {
        nvme_sqe sqe{};
        sqe.opcode = NVME_ADMIN_CREATE_CQ;
        sqe.cid = 0xFFF0;
        sqe.prp1 = cq(id);
        sqe.cdw10 = (entries - 1) << 16 | id;
        sqe.cdw11 = id << 16 | 3;
        put(0, sqe);
        sqe.opcode = NVME_ADMIN_CREATE_SQ;
        sqe.prp1 = sq(id);
        sqe.cdw11 = id << 16 | 1;
        put(0, sqe);
    }
    ring(0);
    run(100_us);
    nvme_cqe cqe{};
    while (reap(0, cqe)) {
    }
    write32(NVME_REG_DOORBELL + 4, m_queues[0].head);
    run(10_us);
    for (std::uint32_t id = 1; id < queues; ++id) {
        m_queues[id].entries = entries;
    }
}

std::uint32_t nvme_target::command(std::uint32_t id, nvme_sqe sqe)
{
    sqe.cid = 0xABC;
    put(id, sqe);
    ring(id);
    const sim_time end = now() + patience;
    nvme_cqe cqe{};
    while (now() < end) {
        run(100_us);
        while (reap(id, cqe)) {
            write32(NVME_REG_DOORBELL + 8 * id + 4, m_queues[id].head);
            if (cqe.cid == sqe.cid) {
                return cqe.status >> 1;
            }
        }
        check("while a command was waited for");
    }
    fail("no completion after a reset");
}

void nvme_target::put(std::uint32_t id, const nvme_sqe& sqe)
{
    queue& q = m_queues[id];
    at<nvme_sqe>(sq(id) + q.tail * sizeof sqe) = sqe;
    q.tail = (q.tail + 1) % entries;
}

void nvme_target::ring(std::uint32_t id)
{
    write32(NVME_REG_DOORBELL + 8 * id, m_queues[id].tail);
}

bool nvme_target::reap(std::uint32_t id, nvme_cqe& cqe)
{
    queue& q = m_queues[id];
    cqe = at<nvme_cqe>(cq(id) + q.head * sizeof cqe);
    if ((cqe.status & 1u) != q.phase) {
        return false;
    }
    q.head = (q.head + 1) % entries;
    q.phase ^= q.head == 0 ? 1 : 0;
    return true;
}

void nvme_target::wait_ready(bool ready)
{
    const sim_time end = now() + patience;
    while (((read32(NVME_REG_CSTS) & NVME_CSTS_RDY) != 0) != ready) {
        run(100_us);
        check("while the controller got ready");
        if (now() > end) {
            fail(ready ? "CSTS.RDY does not come" : "CSTS.RDY does not go");
        }
    }
    if (ready && read32(NVME_REG_CSTS) != NVME_CSTS_RDY) {
        fail("CSTS after a reset");
    }
}

void nvme_target::run(sim_time t)
{
    sc_core::sc_start(t.to_sc());
}

void nvme_target::check(const char* when)
{
    if (m_drive->panicked()) {
        fail("firmware panicked", when);
    }
    if (m_drive->faults().count() != 0) {
        fail(m_drive->faults().faults().front().what.c_str(), when);
    }
}

void nvme_target::fail(const char* what, const char* why)
{
    std::fprintf(stderr, "nvme_fuzz: %s %s\n", what, why);
    std::abort();
}

void nvme_target::write32(std::uint32_t offset, std::uint32_t value)
{
    access(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
}

void nvme_target::write64(std::uint32_t offset, std::uint64_t value)
{
    access(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
}

std::uint32_t nvme_target::read32(std::uint32_t offset)
{
    std::uint32_t value = 0;
    access(tlm::TLM_READ_COMMAND, offset, &value, sizeof value);
    return value;
}

void nvme_target::access(tlm::tlm_command command, std::uint32_t offset, void* bytes,
                         unsigned length)
{
    tlm::tlm_generic_payload gp;
    gp.set_command(command);
    gp.set_address(offset);
    gp.set_data_ptr(static_cast<unsigned char*>(bytes));
    gp.set_data_length(length);
    gp.set_streaming_width(length);
    sc_core::sc_time delay;
    m_drive->host().drive().mmio->b_transport(gp, delay);
    if (!gp.is_response_ok()) {
        fail("a register access was refused");
    }
}

} // namespace ssdvp::fuzz
