// SPDX-License-Identifier: Apache-2.0
//
// A whole drive, real firmware included, and a host that does by hand what a driver would: it
// writes registers, entries and doorbells, and polls. The driver of models/host stays asleep: all
// vectors are masked.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "models/common/time.h"
#include "models/regs/nvme_regs.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::test {

class raw_host {
public:
    static constexpr std::uint32_t queues = 3; // admin and two I/O queue pairs
    static constexpr std::uint32_t entries = 16;
    static constexpr std::uint64_t arena_size = 1 << 20;
    static constexpr sim_time patience = sim_time(20'000'000'000'000); // 20 s; CAP.TO is 10 s

    /// A small drive; `sets` as with --set. Its controller is not enabled.
    explicit raw_host(const std::vector<std::string>& sets);
    /// One of several drives of a process: they are all made before elaborate().
    raw_host(const char* name, const std::vector<std::string>& sets);
    static void elaborate(); // sockets can be used from here on
    ~raw_host();

    void run(sim_time t);
    [[nodiscard]] platform::ssd& drive() { return *m_drive; }
    /// The first fault of the drive or a panic of its firmware; empty: there is none.
    [[nodiscard]] std::string trouble();

    // Registers
    void write32(std::uint32_t offset, std::uint32_t value);
    void write64(std::uint32_t offset, std::uint64_t value);
    std::uint32_t read32(std::uint32_t offset);

    // Memory: the first pages are the queues'
    [[nodiscard]] std::uint64_t arena() const { return m_arena; }
    [[nodiscard]] std::uint64_t page(std::uint32_t n) const { return m_arena + 0x10000 + n * 4096; }
    [[nodiscard]] std::uint64_t sq(std::uint32_t id) const { return m_arena + 0x2000 * id; }
    [[nodiscard]] std::uint64_t cq(std::uint32_t id) const { return sq(id) + 0x1000; }
    template <typename T>
    T& at(std::uint64_t address)
    {
        return *reinterpret_cast<T*>(m_drive->host().ram().at(address));
    }

    // Sequences; false: not within `patience`
    bool wait_csts(std::uint32_t mask, std::uint32_t value);
    /// CC.EN 0, and CSTS.RDY is 0.
    bool disable();
    /// Admin queues, CC.EN and CSTS.RDY. `more`: other bits of CC.
    bool enable(std::uint32_t more = 0);
    /// Both I/O queue pairs; statuses of the four commands, which are in order CQ, SQ, CQ, SQ.
    std::vector<std::uint32_t> create_queues(std::uint32_t size = entries);

    // Queues
    void put(std::uint32_t id, const nvme_sqe& sqe);
    void ring(std::uint32_t id);
    /// The next completion, if it is there; its head doorbell is not rung.
    bool reap(std::uint32_t id, nvme_cqe& cqe);
    void ring_head(std::uint32_t id);
    [[nodiscard]] std::uint32_t tail(std::uint32_t id) const { return m_queues[id].tail; }
    /// Submits, waits, frees the entry: its status without Do Not Retry, or no_completion, which
    /// is a trouble.
    std::uint32_t command(std::uint32_t id, nvme_sqe sqe);
    static constexpr std::uint32_t no_completion = ~0u;

private:
    struct ring_state {
        std::uint32_t entries = raw_host::entries;
        std::uint32_t tail = 0;
        std::uint32_t head = 0;
        std::uint32_t phase = 1;
    };
    class silent final : public host::request_observer {
        void on_complete(const host::request_result&) override {}
    };
    void access(tlm::tlm_command command, std::uint32_t offset, void* bytes, unsigned length);

    silent m_nobody;
    platform::loaded_firmware m_firmware;
    std::unique_ptr<platform::ssd> m_drive;
    std::uint64_t m_arena = 0;
    std::array<ring_state, queues> m_queues{};
};

} // namespace ssdvp::test
