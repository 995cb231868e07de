// SPDX-License-Identifier: Apache-2.0
//
// A front end behind a real link, between a host memory and a controller memory. The test plays
// the host's driver and the firmware.
#pragma once

#include <catch2/catch.hpp>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/at_checker.h"
#include "models/common/data_mode.h"
#include "models/nvme/front_end.h"
#include "models/pcie/link.h"
#include "tests/models/front_end_bench.h"

namespace ssdvp::test {

/// Generation 3 x4: 253.90625 ps a byte; 24 B 6,094 ps, 84 B 21,329 ps, 40 B
/// 10,157 ps, 4480 B 1,137,500 ps, 4416 B 1,121,250 ps.
inline pcie::link_config bench_link()
{
    pcie::link_config c;
    c.generation = 3;
    c.propagation = 150_ns;
    c.host_latency = 400_ns;
    c.ack_factor = 0; // their DLLPs would add to times that are summed by hand
    return c;
}

inline nvme::front_end_config bench_front_end()
{
    nvme::front_end_config c;
    c.queue_pairs = 4;
    c.queue_entries = 64;
    c.vectors = 5;
    c.slots = 16;
    c.fetch_burst = 4;
    c.decode_latency = 100_ns;
    c.move_latency = 50_ns;
    c.data = data_mode::full;
    return c;
}

class nvme_bench : public front_end_bench {
public:
    static constexpr std::uint64_t msi_base = 0xFEE00000;
    static constexpr std::uint32_t command_entries = 32;
    static constexpr std::uint32_t move_entries = 64;
    static constexpr std::uint32_t done_entries = 8;
    static constexpr std::uint64_t high_half = 0x10000; // host memory on either side of 4 GiB
    static constexpr std::uint64_t high_base = (1ull << 32) - high_half;
    static constexpr std::uint64_t ram = 2ull << 32;      // the host's memory
    static constexpr std::uint64_t data = ram + 0x400000; // data pages in it
    static constexpr std::uint64_t buffer = 0x100000;
    struct host_ram {
        std::vector<unsigned char> bytes = std::vector<unsigned char>(8 << 20);
        unsigned char& operator[](std::uint64_t address) { return bytes[address - ram]; }
        [[nodiscard]] bool has(std::uint64_t address, std::uint64_t length) const
        {
            return address >= ram && length <= bytes.size() &&
                   address - ram <= bytes.size() - length;
        }
    };
    struct message {
        std::uint32_t data;
        sim_time when;
    };

    pcie::link wire;
    latency_ledger ledger{5 * 64, 64};
    nvme::front_end dut;
    at_checker link_checker{"link_checker", &faults};
    host_ram host;
    std::vector<unsigned char> high = std::vector<unsigned char>(2 * high_half); // around 4 GiB
    std::vector<message> messages;   // MSI-X at the host
    std::vector<std::uint64_t> read; // addresses of the DMA reads at the host, in order

    nvme_bench(const sc_core::sc_module_name& name, const nvme::front_end_config& config);

    // Host
    void bar_write(std::uint64_t offset, std::uint32_t value);
    void bar_write64(std::uint64_t offset, std::uint64_t value);
    std::uint32_t bar_read(std::uint64_t offset);
    std::uint64_t bar_read64(std::uint64_t offset);
    void put(std::uint32_t sq, const nvme_sqe& sqe); // into the queue, no doorbell
    void ring_sq(std::uint32_t sq);
    void submit(std::uint32_t sq, const nvme_sqe& sqe);
    bool reap(std::uint32_t cq, nvme_cqe& cqe); // no doorbell
    void ring_cq(std::uint32_t cq);
    template <typename T>
    T& at(std::uint64_t address)
    {
        return *reinterpret_cast<T*>(address < ram ? high.data() + (address - high_base)
                                                   : &host[address]);
    }

    // Both
    void prepare();                                          // rings, MSI-X unmasked
    void enable(std::uint32_t cc = NVME_CC_EN);              // admin queues, ready
    void start(std::uint32_t cc = NVME_CC_EN);               // both
    void create_io(std::uint32_t id, std::uint32_t entries); // vector = id
    /// In any place, of a class of weighted round robin.
    void create_io_at(std::uint32_t id, std::uint32_t entries, std::uint64_t sq, std::uint64_t cq,
                      fe_queue_priority priority);
    void delete_io(std::uint32_t id);

    static std::uint64_t sq_base(std::uint32_t id) { return ram + 0x100000 + id * 0x10000; }
    static std::uint64_t cq_base(std::uint32_t id) { return ram + 0x200000 + id * 0x10000; }

private:
    struct queue {
        std::uint32_t sq_entries = 0, tail = 0;
        std::uint32_t cq_entries = 0, head = 0;
        std::uint16_t phase = 1;
        std::uint64_t sq = 0, cq = 0;
    };
    void host_access(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);

    initiator m_mmio;
    tlm_utils::simple_target_socket<nvme_bench> m_host;
    std::vector<queue> m_queues;
    std::uint32_t m_vectors;
};

inline nvme_sqe read_sqe(std::uint16_t cid, std::uint32_t bytes, std::uint64_t prp1,
                         std::uint64_t prp2 = 0)
{
    nvme_sqe s{};
    s.opcode = NVME_IO_READ;
    s.cid = cid;
    s.nsid = 1;
    s.prp1 = prp1;
    s.prp2 = prp2;
    s.cdw12 = bytes / 512 - 1;
    return s;
}

inline fe_move data_move(fe_move_op op, std::uint16_t slot, std::uint32_t length,
                         std::uint8_t flags, std::uint32_t offset = 0)
{
    fe_move m{};
    m.op = static_cast<std::uint8_t>(op);
    m.flags = flags;
    m.slot = slot;
    m.length = length;
    m.offset = offset;
    m.buffer = nvme_bench::buffer + offset;
    return m;
}

inline fe_move completion_move(std::uint16_t slot, std::uint16_t status = 0)
{
    fe_move m = data_move(FE_MOVE_COMPLETE, slot, 0, FE_MOVE_CQE);
    m.status = status;
    return m;
}

} // namespace ssdvp::test
