// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/nvme_target.h"

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

nvme_target::nvme_target()
{
    for (const nvme_choice& choice : nvme_choices()) {
        m_drives.push_back(std::make_unique<nvme_drive>(choice));
    }
    test::raw_host::elaborate();
    for (const auto& drive : m_drives) {
        drive->recover();
    }
}

void nvme_target::execute(const std::uint8_t* bytes, std::size_t length)
{
    script s(bytes, length);
    m_drive = m_drives[s.byte() % m_drives.size()].get();
    for (int steps = 0; steps < 256 && !s.ended(); ++steps) {
        step(s);
    }
    host().run(1_ms);
    m_drive->check("while the script ran");
    m_drive->recover();
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
        host().ring(id);
        break;
    case 5: // any doorbell, any value
        host().write32(NVME_REG_DOORBELL + s.byte() * 4u, s.value<std::uint16_t>());
        break;
    case 6:
    case 7:
        write_memory(s);
        break;
    case 8:
    case 9:
        host().run(1_us * (s.byte() + 1u));
        break;
    case 10:
        while (host().reap(id, cqe)) {
        }
        host().ring_head(id);
        break;
    case 11:
        write_register(s);
        break;
    case 12:
        host().read32(s.value<std::uint16_t>() % NVME_BAR_SIZE / 4 * 4);
        break;
    case 13: // the queue's own tail, and more
        host().write32(NVME_REG_DOORBELL + 8 * id,
                       (host().tail(id) + s.byte()) % (test::raw_host::entries + 2));
        break;
    case 14:
        if (what < 0x80) {
            ask_for_queues();
        } else {
            go_down(s, what);
        }
        break;
    default:
        host().run(1_ms);
        break;
    }
}

/// Shutdowns and resets that wait for nothing or for each other, and what they find under way.
void nvme_target::go_down(script& s, std::uint8_t what)
{
    const std::uint8_t how = s.byte();
    switch (what >> 4) {
    case 8:
        shut_down(how);
        break;
    case 9:
        m_drive->restart();
        break;
    case 10: // a host that does not wait for CSTS.RDY 0
        host().write32(NVME_REG_CC, 0);
        m_drive->enable();
        break;
    case 11:
        shut_down(how);
        host().run(1_us * (how * s.byte() + 1u));
        m_drive->restart();
        break;
    default:
        order_long_work(how);
        break;
    }
}

void nvme_target::shut_down(std::uint8_t how)
{
    const std::uint32_t cc = host().read32(NVME_REG_CC) & ~NVME_CC_SHN_MASK;
    host().write32(NVME_REG_CC, cc | ((how & 1) == 0 ? NVME_CC_SHN_NORMAL : NVME_CC_SHN_ABRUPT));
}

/// Admin commands that go on for a while, or end with what they have saved: nobody waits.
void nvme_target::order_long_work(std::uint8_t how)
{
    nvme_sqe sqe{};
    sqe.nsid = (how & 16) == 0 ? 1 + how / 32 % 4 : 0xFFFFFFFF;
    sqe.prp1 = host().page(0);
    switch (how % 8) {
    case 0:
    case 1:
        sqe.opcode = NVME_ADMIN_NS_MANAGEMENT;
        sqe.cdw10 = 1; // delete
        break;
    case 2:
    case 3:
        sqe.opcode = NVME_ADMIN_FORMAT;
        sqe.cdw10 = how / 32;
        break;
    case 4:
        sqe.opcode = NVME_ADMIN_FW_COMMIT;
        sqe.cdw10 = 2 << 3 | 1; // the slot that runs
        break;
    case 5:
        sqe.opcode = NVME_ADMIN_NS_MANAGEMENT; // create
        break;
    case 6:
        sqe.opcode = NVME_ADMIN_NS_ATTACHMENT;
        sqe.cdw10 = how >> 5 & 1u;
        break;
    default:
        sqe.opcode = NVME_ADMIN_DELETE_SQ;
        sqe.cdw10 = 1 + how / 32 % 2;
        break;
    }
    host().put(0, sqe);
    host().ring(0);
}

/// Whether there are admin queues or not: nobody waits.
void nvme_target::ask_for_queues()
{
    for (std::uint32_t id = 1; id < test::raw_host::queues; ++id) {
        nvme_sqe sqe{};
        sqe.opcode = NVME_ADMIN_CREATE_CQ;
        sqe.prp1 = host().cq(id);
        sqe.cdw10 = (test::raw_host::entries - 1) << 16 | id;
        sqe.cdw11 = id << 16 | 3;
        host().put(0, sqe);
        sqe.opcode = NVME_ADMIN_CREATE_SQ;
        sqe.prp1 = host().sq(id);
        sqe.cdw11 = id << 16 | 1;
        host().put(0, sqe);
    }
    host().ring(0);
}

/// An entry of any 64 bytes. A first byte says which of its addresses are made those of memory.
void nvme_target::put_entry(script& s)
{
    const std::uint8_t how = s.byte();
    auto sqe = s.value<nvme_sqe>();
    for (std::uint64_t* address : {&sqe.prp1, &sqe.prp2, &sqe.mptr}) {
        const bool keep = (how & (address == &sqe.prp1 ? 1 : address == &sqe.prp2 ? 2 : 4)) != 0;
        *address = keep ? *address : host().arena() + *address % test::raw_host::arena_size;
    }
    if ((how & 8) == 0) {
        sqe.nsid = (how & 32) == 0 ? 1 : 1 + sqe.nsid % 4;
        sqe.cdw11 = (how & 16) == 0 ? 0 : sqe.cdw11;
        sqe.cdw12 &= 0xFFFF000F; // not too long
    }
    host().put((how >> 6) % test::raw_host::queues, sqe);
}

/// Eight bytes of host memory, plain or the address of another place.
void nvme_target::write_memory(script& s)
{
    const std::uint8_t how = s.byte();
    const std::uint64_t place =
        s.value<std::uint16_t>() * std::uint64_t{8} % (test::raw_host::arena_size / 2);
    const auto value = s.value<std::uint64_t>();
    host().at<std::uint64_t>(host().arena() + place) =
        (how & 1) == 0 ? host().arena() + value % test::raw_host::arena_size : value;
}

/// Anything but the MSI-X table: messages would go to the driver of the platform's own host.
void nvme_target::write_register(script& s)
{
    static constexpr std::uint32_t offsets[] = {
        NVME_REG_CC,  NVME_REG_CC,      NVME_REG_INTMS, NVME_REG_INTMC, NVME_REG_AQA,
        NVME_REG_ASQ, NVME_REG_ASQ + 4, NVME_REG_ACQ,   NVME_REG_CSTS,  NVME_REG_CAP};
    const std::uint32_t offset = offsets[s.byte() % (sizeof offsets / sizeof offsets[0])];
    host().write32(offset, s.value<std::uint32_t>());
}

} // namespace ssdvp::fuzz
