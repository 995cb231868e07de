// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/nvme_target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ssdvp::fuzz {

using namespace ssdvp::literals;

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

nvme_target::nvme_target() : m_host({})
{
    recover();
}

void nvme_target::execute(const std::uint8_t* bytes, std::size_t length)
{
    script s(bytes, length);
    for (int steps = 0; steps < 256 && !s.ended(); ++steps) {
        step(s);
    }
    m_host.run(1_ms);
    check("while the script ran");
    recover();
}

void nvme_target::step(script& s)
{
    const std::uint8_t what = s.byte();
    const std::uint32_t id = (what >> 4) % test::raw_host::queues;
    nvme_cqe cqe{};
    switch (what % 16) {
    case 0:
    case 1:
    case 2:
        put_entry(s);
        break;
    case 3:
    case 4:
        m_host.ring(id);
        break;
    case 5: // any doorbell, any value
        m_host.write32(NVME_REG_DOORBELL + s.byte() * 4u, s.value<std::uint16_t>());
        break;
    case 6:
    case 7:
        write_memory(s);
        break;
    case 8:
    case 9:
        m_host.run(1_us * (s.byte() + 1u));
        break;
    case 10:
        while (m_host.reap(id, cqe)) {
        }
        m_host.ring_head(id);
        break;
    case 11:
        write_register(s);
        break;
    case 12:
        m_host.read32(s.value<std::uint16_t>() % NVME_BAR_SIZE / 4 * 4);
        break;
    case 13: // the queue's own tail, and more
        m_host.write32(NVME_REG_DOORBELL + 8 * id,
                       (m_host.tail(id) + s.byte()) % (test::raw_host::entries + 2));
        break;
    case 14:
        ask_for_queues();
        break;
    default:
        m_host.run(1_ms);
        break;
    }
}

/// Whether there are admin queues or not: nobody waits.
void nvme_target::ask_for_queues()
{
    for (std::uint32_t id = 1; id < test::raw_host::queues; ++id) {
        nvme_sqe sqe{};
        sqe.opcode = NVME_ADMIN_CREATE_CQ;
        sqe.prp1 = m_host.cq(id);
        sqe.cdw10 = (test::raw_host::entries - 1) << 16 | id;
        sqe.cdw11 = id << 16 | 3;
        m_host.put(0, sqe);
        sqe.opcode = NVME_ADMIN_CREATE_SQ;
        sqe.prp1 = m_host.sq(id);
        sqe.cdw11 = id << 16 | 1;
        m_host.put(0, sqe);
    }
    m_host.ring(0);
}

/// An entry of any 64 bytes. A first byte says which of its addresses are made those of memory.
void nvme_target::put_entry(script& s)
{
    const std::uint8_t how = s.byte();
    auto sqe = s.value<nvme_sqe>();
    for (std::uint64_t* address : {&sqe.prp1, &sqe.prp2, &sqe.mptr}) {
        const bool keep = (how & (address == &sqe.prp1 ? 1 : address == &sqe.prp2 ? 2 : 4)) != 0;
        *address = keep ? *address : m_host.arena() + *address % test::raw_host::arena_size;
    }
    if ((how & 8) == 0) {
        sqe.nsid = 1;
        sqe.cdw11 = (how & 16) == 0 ? 0 : sqe.cdw11;
        sqe.cdw12 &= 0xFFFF000F; // not too long
    }
    m_host.put((how >> 6) % test::raw_host::queues, sqe);
}

/// Eight bytes of host memory, plain or the address of another place.
void nvme_target::write_memory(script& s)
{
    const std::uint8_t how = s.byte();
    const std::uint64_t place =
        s.value<std::uint16_t>() * std::uint64_t{8} % (test::raw_host::arena_size / 2);
    const auto value = s.value<std::uint64_t>();
    m_host.at<std::uint64_t>(m_host.arena() + place) =
        (how & 1) == 0 ? m_host.arena() + value % test::raw_host::arena_size : value;
}

/// Anything but the MSI-X table: messages would go to the driver of the platform's own host.
void nvme_target::write_register(script& s)
{
    static constexpr std::uint32_t offsets[] = {
        NVME_REG_CC,  NVME_REG_CC,      NVME_REG_INTMS, NVME_REG_INTMC, NVME_REG_AQA,
        NVME_REG_ASQ, NVME_REG_ASQ + 4, NVME_REG_ACQ,   NVME_REG_CSTS,  NVME_REG_CAP};
    const std::uint32_t offset = offsets[s.byte() % (sizeof offsets / sizeof offsets[0])];
    m_host.write32(offset, s.value<std::uint32_t>());
}

void nvme_target::recover()
{
    constexpr const char* when = "after a reset";
    if (!m_host.disable()) {
        fail("CSTS.RDY does not go", when);
    }
    if (!m_host.enable() || m_host.read32(NVME_REG_CSTS) != NVME_CSTS_RDY) {
        fail("CSTS.RDY does not come", when);
    }
    for (const std::uint32_t status : m_host.create_queues()) {
        if (status != NVME_SC_SUCCESS) {
            fail("a queue is not created", when);
        }
    }
    nvme_sqe sqe{};
    sqe.opcode = NVME_IO_READ;
    sqe.nsid = 1;
    sqe.prp1 = m_host.page(0);
    if (m_host.command(1, sqe) != NVME_SC_SUCCESS) {
        fail("a read fails", when);
    }
    check(when);
}

void nvme_target::check(const char* when)
{
    if (const std::string trouble = m_host.trouble(); !trouble.empty()) {
        fail(trouble, when);
    }
}

void nvme_target::fail(const std::string& what, const char* when)
{
    std::fprintf(stderr, "nvme_fuzz: %s %s\n", what.c_str(), when);
    std::abort();
}

} // namespace ssdvp::fuzz
