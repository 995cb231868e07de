// SPDX-License-Identifier: Apache-2.0
//
// A register-level NVMe driver of the tests' own, on a whole drive: real firmware, all models. It
// writes registers, builds submission entries in host memory, rings doorbells, and polls
// completion queues by their phase bits. The platform's driver never starts. One drive per process.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "models/regs/nvme_regs.h"
#include "platform/ssd/ssd.h"
#include "tests/support/nvme_pages.h"

namespace ssdvp::test {

using bytes = std::vector<std::uint8_t>;

/// What differs from byte to byte, and from seed to seed.
bytes pattern(std::size_t size, std::uint32_t seed);

class conformance_bench {
public:
    static constexpr std::uint16_t dnr = NVME_STATUS_DNR;
    static constexpr std::uint16_t invalid_field = NVME_SC_INVALID_FIELD | dnr;
    static constexpr std::uint32_t data_size = 256 * 1024; // of the host's buffer

    /// Keys of a configuration beside those of a small, fast drive that stores every byte.
    explicit conformance_bench(const std::vector<std::string>& sets = {});
    ~conformance_bench();

    // Registers
    std::uint32_t read32(std::uint64_t offset);
    std::uint64_t read64(std::uint64_t offset);
    void write32(std::uint64_t offset, std::uint32_t value);
    void write64(std::uint64_t offset, std::uint64_t value);
    bool await_csts(std::uint32_t mask, std::uint32_t value, unsigned most_us = 100000);
    void run(std::uint64_t ns);

    // Controller
    std::uint32_t command_sets = 0; // CC.CSS of the next enable()
    void enable(std::uint32_t admin_entries = 32);
    void disable();
    void shut_down(std::uint32_t how = NVME_CC_SHN_NORMAL);
    void power_cycle(); // power goes, comes back; the controller is enabled
    /// Completion and submission queue `id` in host memory.
    void create_queues(std::uint32_t id, std::uint32_t entries);

    // Commands
    /// Into the queue, with the next command identifier; the doorbell too unless told.
    std::uint16_t submit(std::uint32_t sq, nvme_sqe sqe, bool ring = true);
    void ring(std::uint32_t sq);
    bool reap(std::uint32_t cq, nvme_cqe& cqe);
    /// All that completes within that time, by command identifier.
    std::map<std::uint16_t, nvme_cqe> completed(std::uint32_t cq, std::uint64_t ns = 2000000);
    /// The completion of a command that has been submitted; others of its queue are kept.
    nvme_cqe await(std::uint32_t sq, std::uint16_t cid);
    /// Runs a command; data go to the host's buffer before, and come from there after.
    nvme_cqe execute(std::uint32_t sq, nvme_sqe sqe, bytes* data = nullptr);
    /// Its status field without phase.
    std::uint16_t status(std::uint32_t sq, const nvme_sqe& sqe, bytes* data = nullptr)
    {
        return static_cast<std::uint16_t>(execute(sq, sqe, data).status >> 1);
    }
    /// Points the command to the first `size` bytes of the host's buffer, `offset` into its page.
    void point(nvme_sqe& sqe, std::size_t size, std::uint32_t offset = 0);
    unsigned char* data() { return host(m_data); }
    [[nodiscard]] std::uint64_t data_address() const { return m_data; }
    unsigned char* host(std::uint64_t address) { return m_drive->host().ram().at(address); }
    std::uint64_t allocate(std::uint64_t size) { return m_drive->host().ram().allocate(size); }

    // Commands of their own
    bytes identify(std::uint32_t cns, std::uint32_t nsid = 0);
    bytes log_page(std::uint32_t dword10, std::uint32_t size);
    nvme_cqe get_feature(std::uint32_t dword10, std::uint32_t dword11 = 0);
    std::uint16_t set_feature(std::uint32_t dword10, std::uint32_t dword11);
    [[nodiscard]] std::uint64_t sectors() const { return m_sectors; }
    [[nodiscard]] platform::ssd& drive() { return *m_drive; }

private:
    struct queue {
        std::uint64_t sq = 0, cq = 0; // host addresses
        std::uint32_t entries = 0, tail = 0, head = 0;
        std::uint16_t phase = 1;
        std::map<std::uint16_t, nvme_cqe> kept;
    };
    void access(tlm::tlm_command command, std::uint64_t offset, void* value, unsigned size);
    void reset_queue(std::uint32_t id, std::uint32_t entries);

    std::unique_ptr<platform::loaded_firmware> m_firmware;
    std::unique_ptr<host::request_observer> m_observer;
    std::unique_ptr<platform::ssd> m_drive;
    std::map<std::uint32_t, queue> m_queues;
    std::uint64_t m_data = 0, m_list = 0, m_sectors = 0;
    std::uint16_t m_next_cid = 0x100;
};

inline nvme_sqe command(std::uint8_t opcode, std::uint32_t dword10 = 0, std::uint32_t dword11 = 0)
{
    nvme_sqe q{};
    q.opcode = opcode;
    q.cdw10 = dword10;
    q.cdw11 = dword11;
    return q;
}

inline nvme_sqe of(std::uint32_t nsid, nvme_sqe q)
{
    q.nsid = nsid;
    return q;
}

/// Of namespace 1.
inline nvme_sqe io(std::uint8_t opcode, std::uint64_t lba, std::uint32_t blocks)
{
    nvme_sqe q =
        command(opcode, static_cast<std::uint32_t>(lba), static_cast<std::uint32_t>(lba >> 32));
    q.nsid = 1;
    q.cdw12 = blocks - 1;
    return q;
}

} // namespace ssdvp::test
