// SPDX-License-Identifier: Apache-2.0
//
// Power cuts of a channel at the edge: what ends at the instant of the cut has ended, what runs is
// torn, what waits has not happened. Only data take bus time: 4 KiB in 51.2 us. tPROG 200 us, an
// erase 3 x 5 ms.
#include <algorithm>

#include "tests/models/flash_bench.h"

namespace flash_power_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr sim_time data_time(51200000); // ps
constexpr sim_time end_of_program = data_time + 200_us;
constexpr std::uint64_t sink = bench::data_base + (1u << 20);
constexpr std::uint64_t oob_sink = sink + (1u << 19);

channel_config plain(suspend_kind suspend = suspend_kind::none)
{
    channel_config c = small_config();
    c.status_poll = false;
    c.die.timing.tDBSY = sim_time();
    c.die.suspend.kind = suspend;
    return c;
}

/// A bench whose power can be cut.
struct power_bench {
    bench base;
    bench_memory& memory = base.memory;
    flash_channel& channel = base.channel;
    std::map<unsigned, flash_completion>& answers = base.answers;
    std::uint64_t& expected_faults = base.expected_faults;

    power_bench(const channel_config& config, const cycle_timing& timing) : base(config, &timing) {}
    void put(const flash_desc& d) { base.put(d); }
    void ring() { base.ring(); }
    void submit(const flash_desc& d) { base.submit(d); }
    void run_to(sim_time t) { base.run_to(t); }
    flash_completion execute(const flash_desc& d) { return base.execute(d); }

    /// Cuts power at `t`, and lets it come back after 1 ms.
    void cut_at(sim_time t)
    {
        run_to(t);
        channel.power_off();
        sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
        answers.clear();
        base.setup_rings(bench::ring_entries);
        CHECK(channel.idle());
        for (const lun_index lun : channel.luns()) {
            CHECK(channel.rb(lun).read());
        }
    }
    flash_completion read_page(std::uint32_t block, std::uint32_t page, unsigned planes = 1)
    {
        flash_desc d = descriptor(FLASH_OP_READ, 77);
        d.block = block;
        d.page = page;
        d.plane_mask = static_cast<std::uint8_t>(planes);
        d.buffer = sink;
        return execute(d);
    }
    int read_status(std::uint32_t block, std::uint32_t page)
    {
        return read_page(block, page).status;
    }
    int program_status(std::uint32_t block, std::uint32_t page)
    {
        flash_desc d = descriptor(FLASH_OP_PROGRAM, 78);
        d.block = block;
        d.page = page;
        return execute(d).status;
    }
    int erase_status(std::uint32_t block)
    {
        flash_desc d = descriptor(FLASH_OP_ERASE, 79);
        d.block = block;
        return execute(d).status;
    }
    [[nodiscard]] const cell_array& cells() const { return channel.lun(lun_index(0)).cells(); }
};

flash_desc program_of(unsigned tag, std::uint32_t block, std::uint32_t page = 0)
{
    flash_desc d = descriptor(FLASH_OP_PROGRAM, tag);
    d.block = block;
    d.page = page;
    return d;
}

flash_desc erase_of(unsigned tag, std::uint32_t block)
{
    flash_desc d = descriptor(FLASH_OP_ERASE, tag);
    d.block = block;
    return d;
}

} // namespace

TEST_CASE("power cut 1 ps before the end of tPROG: the page is torn, data and spare")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    b.submit(program_of(1, 2));
    b.cut_at(end_of_program - 1_ps);
    CHECK(b.cells().torn_pages() == 1);
    CHECK(b.read_status(2, 0) == FLASH_STATUS_UNCORRECTABLE);
    flash_desc spare = descriptor(FLASH_OP_READ, 5);
    spare.block = 2;
    spare.length = 0;
    spare.oob = oob_sink;
    spare.oob_length = 8;
    CHECK(b.execute(spare).status == FLASH_STATUS_UNCORRECTABLE);
    // Page order counts it as programmed: the next page may follow, this one not again.
    CHECK(b.program_status(2, 1) == FLASH_STATUS_OK);
    CHECK(b.read_status(2, 1) == FLASH_STATUS_OK);
    b.expected_faults = 1;
    CHECK(b.program_status(2, 0) == FLASH_STATUS_PHYSICS);
    CHECK(b.erase_status(2) == FLASH_STATUS_OK);
    CHECK(b.read_status(2, 0) == FLASH_STATUS_OK);
    CHECK(b.program_status(2, 0) == FLASH_STATUS_OK);
}

TEST_CASE("power cut at the end of tPROG: the page is programmed")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    std::memset(b.memory.at(bench::data_base), 0x5A, 4096);
    b.submit(program_of(1, 2));
    b.cut_at(end_of_program);
    CHECK(b.cells().torn_pages() == 0);
    CHECK(b.read_status(2, 0) == FLASH_STATUS_OK);
    CHECK(b.memory.at(sink)[0] == 0x5A);
}

TEST_CASE("power cut 1 ps before the program begins: the page is erased")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    b.submit(program_of(1, 2));
    b.cut_at(data_time - 1_ps);
    CHECK(b.cells().torn_pages() == 0);
    CHECK(b.cells().programmed(plane_index(0), block_index(2)) == 0);
    CHECK(b.program_status(2, 0) == FLASH_STATUS_OK);
}

TEST_CASE("power cut as the program begins: the page is torn")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    b.submit(program_of(1, 2));
    b.cut_at(data_time);
    CHECK(b.read_status(2, 0) == FLASH_STATUS_UNCORRECTABLE);
}

TEST_CASE("power cut 1 ps before the end of tBERS: the block is torn until an erase has ended")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    b.execute(program_of(1, 2));
    const sim_time begin = now();
    b.submit(erase_of(2, 2));
    b.cut_at(begin + 15_ms - 1_ps);
    CHECK(b.cells().torn_blocks() == 1);
    CHECK(b.cells().erase_count(plane_index(0), block_index(2)) == 0);
    CHECK(b.read_status(2, 0) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(b.read_status(2, 11) == FLASH_STATUS_UNCORRECTABLE); // never programmed either
    b.expected_faults = 2;
    CHECK(b.program_status(2, 0) == FLASH_STATUS_PHYSICS);
    CHECK(b.program_status(2, 1) == FLASH_STATUS_PHYSICS);
    CHECK(b.erase_status(2) == FLASH_STATUS_OK);
    CHECK(b.program_status(2, 0) == FLASH_STATUS_OK);
    CHECK(b.read_status(2, 0) == FLASH_STATUS_OK);
}

TEST_CASE("power cut at the end of tBERS: the block is erased")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    b.execute(program_of(1, 2));
    const sim_time begin = now();
    b.submit(erase_of(2, 2));
    b.cut_at(begin + 15_ms);
    CHECK(b.cells().torn_blocks() == 0);
    CHECK(b.cells().erase_count(plane_index(0), block_index(2)) == 1);
    CHECK(b.program_status(2, 0) == FLASH_STATUS_OK);
}

TEST_CASE("power cut while an erase is suspended: the block is torn")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(suspend_kind::immediate), timing);
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    flash_desc read = descriptor(FLASH_OP_READ, 2);
    read.block = 2;
    b.submit(read);
    b.cut_at(1330_us); // stopped at 1.3 ms; the read's array is at work
    CHECK(b.channel.lun(lun_index(0)).stats().suspends == 1);
    CHECK(b.cells().torn_blocks() == 1);
    CHECK(b.read_status(1, 3) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(b.erase_status(1) == FLASH_STATUS_OK);
    CHECK(b.program_status(1, 0) == FLASH_STATUS_OK);
}

TEST_CASE("power cut while an erase comes to its stop: the block is torn")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(suspend_kind::immediate), timing);
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.submit(descriptor(FLASH_OP_READ, 2));
    b.cut_at(1250_us);
    CHECK(b.read_status(1, 0) == FLASH_STATUS_UNCORRECTABLE);
}

TEST_CASE("power cut while a program is suspended: the page is torn")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = plain();
    config.die.suspend.programs = true;
    config.die.program_loop = 20_us;
    power_bench b(config, timing);
    b.submit(program_of(1, 1));
    b.run_to(100_us);
    flash_desc read = descriptor(FLASH_OP_READ, 2);
    read.block = 2;
    b.submit(read);
    b.cut_at(260_us); // its tPROG would have ended without the suspend
    CHECK(b.channel.lun(lun_index(0)).stats().suspends == 1);
    CHECK(b.read_status(1, 0) == FLASH_STATUS_UNCORRECTABLE);
}

TEST_CASE("power cut in a multi-plane program: the pages of all its planes are torn, no others")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    flash_desc d = program_of(1, 2);
    d.plane_mask = 0b0110;
    b.submit(d);
    b.cut_at(2 * data_time + 100_us);
    CHECK(b.cells().torn_pages() == 2);
    const flash_completion c = b.read_page(2, 0, 0b1111);
    CHECK(c.status == FLASH_STATUS_UNCORRECTABLE);
    CHECK(c.plane_fail == 0b0110);
}

TEST_CASE("power cut in a copyback: the page it programs is torn, the one it read is not")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    b.execute(program_of(1, 0));
    const sim_time begin = now();
    flash_desc d = descriptor(FLASH_OP_COPYBACK, 2);
    d.to_block = 3;
    b.submit(d);
    b.cut_at(begin + 40_us + 100_us);
    CHECK(b.read_status(0, 0) == FLASH_STATUS_OK);
    CHECK(b.read_status(3, 0) == FLASH_STATUS_UNCORRECTABLE);
}

TEST_CASE("a copyback of a torn page makes another one")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    b.submit(program_of(1, 0));
    b.cut_at(100_us);
    flash_desc d = descriptor(FLASH_OP_COPYBACK, 2);
    d.to_block = 3;
    b.execute(d);
    CHECK(b.read_status(3, 0) == FLASH_STATUS_UNCORRECTABLE);
}

TEST_CASE("power cut in a cache program: what the array has is torn, what the register has is gone")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = plain();
    config.use_cache = true;
    config.die.timing.tCBSY = 3_us;
    power_bench b(config, timing);
    for (unsigned page = 0; page < 3; ++page) {
        b.put(program_of(page + 1, 2, page));
    }
    b.ring();
    // Page 0 is at work behind the register that page 1 has come to.
    b.cut_at(2 * data_time + 10_us);
    CHECK(b.cells().torn_pages() == 1);
    CHECK(b.cells().programmed(plane_index(0), block_index(2)) == 1);
    CHECK(b.read_status(2, 0) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(b.program_status(2, 1) == FLASH_STATUS_OK);
}

TEST_CASE("power cut: operations that wait in the channel have not happened")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(), timing);
    b.put(program_of(1, 1));
    b.put(program_of(2, 2));
    b.put(erase_of(3, 3));
    b.ring();
    b.cut_at(end_of_program);
    b.run_to(now() + 50_ms);
    CHECK(b.answers.empty());
    CHECK(b.cells().programmed(plane_index(0), block_index(1)) == 1);
    CHECK(b.cells().programmed(plane_index(0), block_index(2)) == 0);
    CHECK(b.cells().erase_count(plane_index(0), block_index(3)) == 0);
    CHECK(b.cells().torn_pages() + b.cells().torn_blocks() == 0);
}

TEST_CASE("power cut: features are those of power-up again")
{
    const cycle_timing timing = data_only_timing();
    power_bench b(plain(suspend_kind::immediate), timing);
    flash_desc set = descriptor(FLASH_OP_SET_FEATURES, 1);
    set.column = FLASH_FEATURE_SUSPEND_POLICY;
    set.length = 4;
    std::memset(b.memory.at(bench::data_base), 0, 4); // no suspend
    REQUIRE(b.execute(set).status == FLASH_STATUS_OK);
    b.cut_at(now() + 1_us);
    flash_desc get = descriptor(FLASH_OP_GET_FEATURES, 2);
    get.column = FLASH_FEATURE_SUSPEND_POLICY;
    get.length = 4;
    get.buffer = sink;
    REQUIRE(b.execute(get).status == FLASH_STATUS_OK);
    CHECK(b.memory.at(sink)[0] == FLASH_SUSPEND_IMMEDIATE);
}

TEST_CASE("power cut: with data full a torn page reads as garbage, the same each time")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = plain();
    config.die.data = data_mode::full;
    power_bench b(config, timing);
    std::memset(b.memory.at(bench::data_base), 0x5A, 4096);
    b.submit(program_of(1, 2));
    b.cut_at(100_us);
    b.read_status(2, 0);
    std::vector<unsigned char> first(b.memory.at(sink), b.memory.at(sink) + 4096);
    const auto as_written = static_cast<unsigned>(std::count(first.begin(), first.end(), 0x5A));
    CHECK(as_written < 64); // 16 of 4096 by chance
    b.read_status(2, 0);
    CHECK(std::memcmp(b.memory.at(sink), first.data(), 4096) == 0);
}

TEST_CASE("power cut: a one-pass word line that waits for its last page is lost")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = plain();
    config.die.cell = cell_type::tlc;
    config.die.one_pass = true;
    power_bench b(config, timing);
    for (unsigned page = 0; page < 5; ++page) { // a word line and two pages of the next
        b.execute(program_of(page + 1, 2, page));
    }
    b.cut_at(now() + 1_ms);
    CHECK(b.read_status(2, 2) == FLASH_STATUS_OK);
    CHECK(b.read_status(2, 3) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(b.read_status(2, 4) == FLASH_STATUS_UNCORRECTABLE);
    CHECK(b.cells().torn_pages() == 2);
}

} // namespace flash_power_test
