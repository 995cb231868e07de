// SPDX-License-Identifier: Apache-2.0
//
// A whole small drive, real firmware included, whose host is a string of bytes: it writes
// registers, doorbells, entries and memory as no driver would. After each string the drive has to
// come back by a controller reset and read a sector.
//
// One drive serves all strings of a process, because SystemC elaborates once: what one string wrote
// to the flash is there for the next. A failure may therefore need the strings before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "models/common/time.h"
#include "models/regs/nvme_regs.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::fuzz {

class nvme_target {
public:
    /// Boots the drive and looks whether it works.
    nvme_target();
    ~nvme_target();

    /// Does what `bytes` say, then recovers. Aborts the process where the drive is at fault.
    void execute(const std::uint8_t* bytes, std::size_t length);

private:
    class script;
    struct queue {
        std::uint32_t entries = 0;
        std::uint32_t tail = 0;
        std::uint32_t head = 0;
        std::uint32_t phase = 1;
    };
    static constexpr std::uint32_t queues = 3; // admin and two I/O queue pairs
    static constexpr std::uint32_t entries = 16;
    static constexpr std::uint64_t arena_size = 1 << 20;

    void step(script& s);
    void put_entry(script& s);
    void write_memory(script& s);
    void write_register(script& s);
    void recover();
    void create_queues();
    /// Status of an entry that must complete.
    std::uint32_t command(std::uint32_t id, nvme_sqe sqe);
    void put(std::uint32_t id, const nvme_sqe& sqe);
    void ring(std::uint32_t id);
    bool reap(std::uint32_t id, nvme_cqe& cqe);
    void wait_ready(bool ready);
    void run(sim_time t);
    void check(const char* when);
    [[noreturn]] static void fail(const char* what, const char* why = "");

    void write32(std::uint32_t offset, std::uint32_t value);
    void write64(std::uint32_t offset, std::uint64_t value);
    std::uint32_t read32(std::uint32_t offset);
    void access(tlm::tlm_command command, std::uint32_t offset, void* bytes, unsigned length);
    [[nodiscard]] std::uint64_t sq(std::uint32_t id) const { return m_arena + 0x1000 * (2 * id); }
    [[nodiscard]] std::uint64_t cq(std::uint32_t id) const { return sq(id) + 0x1000; }
    template <typename T>
    T& at(std::uint64_t address)
    {
        return *reinterpret_cast<T*>(m_drive->host().ram().at(address));
    }

    class silent final : public host::request_observer {
        void on_complete(const host::request_result&) override {}
    };
    silent m_nobody;
    platform::loaded_firmware m_firmware;
    std::unique_ptr<platform::ssd> m_drive;
    std::uint64_t m_arena = 0;
    std::array<queue, queues> m_queues{};
};

} // namespace ssdvp::fuzz
