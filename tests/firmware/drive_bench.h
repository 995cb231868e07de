// SPDX-License-Identifier: Apache-2.0
//
// A host with a shadow copy on the RAM drive.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "tests/firmware/shadow.h"
#include "tests/support/ram_nand.h"

namespace ssdvp::test {

inline nvme_sqe io(std::uint8_t opcode, std::uint64_t lba, std::uint32_t sectors, bool fua = false)
{
    nvme_sqe q{};
    q.opcode = opcode;
    q.nsid = 1;
    q.cdw10 = static_cast<std::uint32_t>(lba);
    q.cdw11 = static_cast<std::uint32_t>(lba >> 32);
    q.cdw12 = (sectors - 1) | (fua ? NVME_RW_FUA : 0u);
    return q;
}

inline nvme_sqe admin(std::uint8_t opcode, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0)
{
    nvme_sqe q{};
    q.opcode = opcode;
    q.cdw10 = cdw10;
    q.cdw11 = cdw11;
    return q;
}

class drive {
public:
    explicit drive(const ram_config& c)
        : nand(c), copy(c.params.ftl.user_units * (c.params.ftl.map_unit / 512))
    {
        if (!nand.panicked()) {
            nand.enable();
        }
    }
    [[nodiscard]] std::uint64_t sectors() const { return copy.size(); }

    void create_queues();

    bool start_read(std::uint64_t lba, std::uint32_t n, bool fua = false)
    {
        return start(NVME_IO_READ, lba, n, fua);
    }
    bool start_write(std::uint64_t lba, std::uint32_t n, bool fua = false)
    {
        return start(NVME_IO_WRITE, lba, n, fua);
    }
    bool start_zeroes(std::uint64_t lba, std::uint32_t n, bool fua = false)
    {
        return start(NVME_IO_WRITE_ZEROES, lba, n, fua);
    }
    bool start_flush() { return start(NVME_IO_FLUSH, 0, 1, false); }
    bool start_trim(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& ranges);
    /// Reaps completions; true if the device could go on.
    bool pump();
    void drain();
    void idle()
    {
        drain();
        nand.settle();
    }
    void check_everything();
    void check_rules();
    /// What must hold when nothing is under way. Pages that preconditioning wrote to the anchor are
    /// no units.
    void check_identities(std::uint64_t anchor_pages = 0);
    /// Forgets commands that a controller reset took away: their writes may or may not have
    /// happened, which the shadow already allows for.
    void forget();

    ram_nand nand;
    shadow copy;
    std::uint64_t mismatches = 0;
    std::uint64_t completed = 0;
    std::map<std::uint16_t, std::uint64_t> statuses;
    /// Streams that writes name in turns, by directive; 0 = none. `stream` is the next one's.
    std::uint16_t streams = 0, stream = 1;
    std::uint64_t waits[FE_WAITS] = {};

private:
    struct request {
        std::uint8_t opcode = 0;
        std::uint64_t lba = 0;
        std::uint32_t sectors = 0;
        std::vector<std::uint8_t> data;
        std::vector<std::shared_ptr<std::vector<std::uint64_t>>> expected;
        std::vector<std::pair<std::uint64_t, std::uint32_t>> ranges;
    };

    bool start(std::uint8_t opcode, std::uint64_t lba, std::uint32_t n, bool fua);

    bool post(std::unique_ptr<request> r, const nvme_sqe& q);

    void finish(const host_completion& c);

    std::map<std::uint32_t, std::unique_ptr<request>> m_requests;
};

/// In order, then flushed.
inline void fill(drive& d, double share = 1.0)
{
    const auto end = static_cast<std::uint64_t>(static_cast<double>(d.sectors()) * share);
    for (std::uint64_t lba = 0; lba < end; lba += 64) {
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(64, end - lba));
        while (!d.start_write(lba, n)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    d.start_flush();
    d.idle();
}

/// Units of 8 sectors without simulated time: all in order, then at random until as many have been
/// written as fill the drive `times` times.
inline void precondition(drive& d, std::uint64_t units, std::uint64_t times)
{
    std::mt19937_64 random(1);
    for (std::uint64_t i = 0; i < times * units; i += 64) {
        std::vector<std::uint64_t> batch;
        std::vector<std::uint64_t> tags;
        for (std::uint64_t n = i; n < i + 64; ++n) {
            batch.push_back(n < units ? n : random() % units);
            for (std::uint64_t s = batch.back() * 8; s < batch.back() * 8 + 8; ++s) {
                tags.push_back(d.copy.tag(s));
                d.copy.set(s, tags.back());
            }
        }
        REQUIRE(d.nand.precondition(batch, tags) == 0);
    }
    REQUIRE(d.nand.precondition_end() == 0);
}

} // namespace ssdvp::test
