// SPDX-License-Identifier: Apache-2.0
//
// Reads with Force Unit Access: what they program first, what they read, and what they wait for.
#include <utility>

#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/ata_bench.h"
#include "tests/firmware/map_bench.h"
#include "tests/firmware/random_work.h"

namespace ssdvp::test::media_read_test {
namespace {

/// Operations of the flash for the host.
struct spent {
    unsigned programs = 0, reads = 0;
    bool operator==(const spent& o) const { return programs == o.programs && reads == o.reads; }
};

std::ostream& operator<<(std::ostream& os, const spent& s)
{
    return os << s.programs << " programs, " << s.reads << " reads";
}

/// Counts what begins, until it is asked.
class meter {
public:
    explicit meter(ram_config& c)
    {
        c.on_point = [this](const flash_point& p) {
            if (!p.ended && p.purpose == FLASH_PURPOSE_HOST) {
                ++(p.op == FLASH_OP_READ ? m_spent.reads : m_spent.programs);
            }
            return false;
        };
    }
    spent take() { return std::exchange(m_spent, {}); }

private:
    spent m_spent;
};

std::uint16_t run(drive& d, std::uint8_t opcode, std::uint64_t lba, std::uint32_t n, bool fua)
{
    std::vector<std::uint8_t> data(std::size_t{n} * sector, 0);
    const bool has_data = opcode == NVME_IO_READ || opcode == NVME_IO_COMPARE;
    return d.nand.execute(1, io(opcode, lba, n, fua), has_data ? &data : nullptr).status;
}

/// Of `c`, with I/O queues.
struct bench {
    explicit bench(ram_config c) : counted(c), d(c) { d.create_queues(); }
    spent read(std::uint64_t lba, std::uint32_t n, bool fua)
    {
        const std::uint64_t wrong = d.mismatches;
        REQUIRE(d.start_read(lba, n, fua));
        d.drain();
        CHECK(d.mismatches == wrong);
        return counted.take();
    }
    void write(std::uint64_t lba, std::uint32_t n)
    {
        REQUIRE(d.start_write(lba, n));
        d.idle(); // and nothing goes on by itself
    }
    meter counted;
    drive d;
};

} // namespace

TEST_CASE("a read with FUA programs what only the buffer has of its range, and reads the flash")
{
    bench b(tiny_drive());
    b.write(0, 16);
    b.write(160, 128); // more than it has to program
    b.counted.take();
    CHECK(b.read(4, 8, false) == spent{0, 0});
    CHECK(b.read(4, 8, true) == spent{1, 1}); // a page of two units
    CHECK(b.read(4, 8, true) == spent{0, 1});
    CHECK(b.read(4, 8, false) == spent{0, 1});   // the buffer keeps nothing
    CHECK(b.read(1024, 8, true) == spent{0, 0}); // never written
    b.write(6, 1);                               // of one unit of two
    b.counted.take();
    CHECK(b.read(4, 8, true).programs == 1);
    b.d.nand.power_cut();
    b.d.nand.power_on();
    REQUIRE(b.d.nand.enable());
    b.d.create_queues();
    CHECK(b.read(0, 16, false) == spent{0, 2}); // nobody has flushed
}

TEST_CASE("a read with FUA passes by what the buffer keeps of the flash")
{
    ram_config c = tiny_drive();
    c.params.cache.policy = CACHE_POLICY_RW_LRU;
    bench b(c);
    b.write(0, 16);
    b.d.start_flush();
    b.d.idle();
    b.counted.take();
    CHECK(b.read(0, 8, false) == spent{0, 0});
    CHECK(b.read(0, 8, true) == spent{0, 1});
    CHECK(b.read(0, 16, true) == spent{0, 1}); // both units of the page
    CHECK(b.read(0, 8, false) == spent{0, 0}); // it is still there
}

TEST_CASE("Compare and Verify with FUA, of more units than a write can have")
{
    bench b(tiny_drive());
    for (std::uint64_t lba = 0; lba < 384; lba += 128) {
        b.write(lba, 128);
    }
    const std::uint64_t programmed = b.d.nand.counters().host_units_written;
    CHECK(run(b.d, NVME_IO_VERIFY, 0, 384, false) == 0);
    CHECK(b.d.nand.counters().host_units_written == programmed);
    CHECK(run(b.d, NVME_IO_VERIFY, 0, 384, true) == 0);
    CHECK(b.d.nand.counters().host_units_written == 48);
    CHECK(b.counted.take().reads >= 12); // two planes of two units each
    b.write(8, 8);
    CHECK(run(b.d, NVME_IO_COMPARE, 8, 8, true) == NVME_SC_COMPARE_FAILURE); // with zeroes
    CHECK(b.d.nand.counters().host_units_written >= 49);
}

TEST_CASE("a read with FUA of what can no longer be programmed fails, a plain one does not")
{
    ram_config c = tiny_drive();
    bool failing = false;
    c.on_program = [&](const nand_place&, const flash_desc&) { return failing; };
    c.quiet = true;
    drive d(c);
    d.create_queues();
    REQUIRE(d.start_write(0, 8));
    d.drain();
    failing = true;
    CHECK(run(d, NVME_IO_READ, 0, 8, true) == (NVME_SC_WRITE_FAULT | NVME_STATUS_DNR));
    CHECK(run(d, NVME_IO_READ, 0, 8, false) == 0);
    CHECK(d.nand.counters().read_only == 1);
    CHECK(run(d, NVME_IO_READ, 0, 8, true) == (NVME_SC_WRITE_FAULT | NVME_STATUS_DNR));
    CHECK(run(d, NVME_IO_READ, 4096, 8, true) == 0); // nothing of it waits
}

TEST_CASE("reads with FUA among random commands")
{
    const auto buffered = [](std::uint32_t policy) {
        ram_config c = tiny_drive();
        c.params.cache.policy = policy;
        return c;
    };
    for (const ram_config& c :
         {buffered(CACHE_POLICY_WO_LRU), buffered(CACHE_POLICY_RW_LRU), buffered(CACHE_POLICY_NONE),
          many_map_pages(FTL_SCHEME_DFTL, 64 * BOOT_MAP_CACHE_ENTRY)}) {
        drive d(c);
        d.create_queues();
        mix m;
        m.operations = 4000;
        m.fua_reads = 3;
        CAPTURE(c.params.cache.policy, c.params.ftl.scheme);
        run_random(d, m, 7);
    }
}

TEST_CASE("ATA: READ FPDMA QUEUED with FUA reads the flash")
{
    ram_config c = sata_drive();
    meter counted(c);
    ata_drive d(c);
    std::vector<std::uint8_t> data = ata_drive::tagged(5, 8);
    REQUIRE(d.run(queued(ATA_WRITE_FPDMA_QUEUED, 0, 0, 8), &data).status == ata_good);
    for (const auto& [fua, cost] : {std::pair(false, spent{0, 0}), std::pair(true, spent{1, 1}),
                                    std::pair(true, spent{0, 1})}) {
        std::vector<std::uint8_t> got(data.size());
        counted.take();
        REQUIRE(d.run(queued(ATA_READ_FPDMA_QUEUED, 0, 0, 8, fua), &got).status == ata_good);
        CHECK(counted.take() == cost);
        CHECK(std::equal(data.begin(), data.begin() + 8, got.begin()));
    }
}

} // namespace ssdvp::test::media_read_test
