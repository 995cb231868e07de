// SPDX-License-Identifier: Apache-2.0
//
// A drive whose namespace 1 is zoned, and what a host says to its zones.
#pragma once

#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test {

class zone_bench : public conformance_bench {
public:
    static constexpr std::uint32_t size = 32;     // blocks of a zone
    static constexpr std::uint32_t capacity = 28; // that can be written
    static constexpr std::uint32_t open_most = 3;
    static constexpr std::uint32_t active_most = 5;
    static constexpr std::uint32_t block = 4096;
    enum action : std::uint32_t { close = 1, finish = 2, open = 3, reset = 4, offline = 5 };
    enum state : std::uint32_t {
        empty = 1,
        implicit = 2,
        opened = 3,
        closed = 4,
        read_only = 0xD,
        full = 0xE,
        gone = 0xF
    };
    static constexpr std::uint32_t all = 1u << 8;
    static constexpr std::uint64_t no_pointer = ~0ull;

    struct zone {
        std::uint32_t state;
        std::uint32_t attributes;
        std::uint64_t capacity, start, pointer;
    };
    struct report {
        std::uint64_t count;
        std::vector<zone> zones;
    };

    explicit zone_bench(std::vector<std::string> sets = {}) : conformance_bench(with(sets)) {}

    /// All command sets, one queue pair.
    void begin()
    {
        command_sets = 6;
        enable();
        create_queues(1, 64);
    }
    void cut()
    {
        power_cycle();
        create_queues(1, 64);
    }

    std::uint16_t send(std::uint64_t lba, std::uint32_t dword13)
    {
        nvme_sqe q = io(NVME_IO_ZONE_SEND, lba, 1);
        q.cdw12 = 0;
        q.cdw13 = dword13;
        return status(1, q);
    }
    std::uint16_t send_to(std::uint32_t n, action what)
    {
        return send(std::uint64_t{n} * size, what);
    }

    std::uint16_t write(std::uint64_t lba, std::uint32_t blocks, bool durable = false)
    {
        bytes data = pattern(std::size_t{blocks} * block, static_cast<std::uint32_t>(lba));
        nvme_sqe q = io(NVME_IO_WRITE, lba, blocks);
        q.cdw12 |= durable ? NVME_RW_FUA : 0;
        return status(1, q, &data);
    }
    /// What write() has written there.
    bool holds(std::uint64_t lba, std::uint32_t blocks)
    {
        bytes data(std::size_t{blocks} * block);
        return status(1, io(NVME_IO_READ, lba, blocks), &data) == 0 &&
               data == pattern(data.size(), static_cast<std::uint32_t>(lba));
    }
    bool is_zero(std::uint64_t lba, std::uint32_t blocks)
    {
        bytes data(std::size_t{blocks} * block, 0xA5);
        return status(1, io(NVME_IO_READ, lba, blocks), &data) == 0 && data == bytes(data.size());
    }

    nvme_sqe receive(std::uint64_t lba, std::uint32_t dword13, std::size_t bytes_wanted)
    {
        nvme_sqe q = io(NVME_IO_ZONE_RECEIVE, lba, 1);
        q.cdw12 = static_cast<std::uint32_t>(bytes_wanted / 4 - 1);
        q.cdw13 = dword13;
        return q;
    }
    report report_of(std::uint64_t lba = 0, std::uint32_t dword13 = 0, std::size_t size_of = 16384)
    {
        bytes page(size_of);
        REQUIRE(status(1, receive(lba, dword13, size_of), &page) == 0);
        report r{get(page, 0, 8), {}};
        const std::size_t room = size_of / 64 - 1;
        for (std::size_t i = 0; i < std::min<std::size_t>(r.count, room); ++i) {
            const std::size_t at = 64 * (i + 1);
            CHECK(page[at] == 2); // sequential write required
            r.zones.push_back({static_cast<std::uint32_t>(page[at + 1] >> 4u), page[at + 2],
                               get(page, at + 8, 8), get(page, at + 16, 8), get(page, at + 24, 8)});
        }
        return r;
    }
    zone zone_of(std::uint32_t n)
    {
        const report r = report_of(std::uint64_t{n} * size, 1u << 16, 128);
        REQUIRE(r.zones.size() == 1);
        CHECK(r.zones[0].start == std::uint64_t{n} * size);
        CHECK(r.zones[0].capacity == capacity);
        return r.zones[0];
    }
    std::uint32_t state_of(std::uint32_t n) { return zone_of(n).state; }
    /// Blocks of the zone that are written.
    std::uint64_t written(std::uint32_t n)
    {
        const zone z = zone_of(n);
        return z.pointer == no_pointer ? no_pointer : z.pointer - z.start;
    }
    [[nodiscard]] std::uint64_t zones() const { return sectors() / 8 / size; }

private:
    static std::vector<std::string> with(const std::vector<std::string>& sets)
    {
        std::vector<std::string> all_sets = {
            "host.nvme.zns.zone_size=128KiB", "host.nvme.zns.zone_capacity=112KiB",
            "host.nvme.zns.max_open=3", "host.nvme.zns.max_active=5"};
        all_sets.insert(all_sets.end(), sets.begin(), sets.end());
        return all_sets;
    }
};

} // namespace ssdvp::test
