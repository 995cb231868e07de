// SPDX-License-Identifier: Apache-2.0
//
// Zones on RAM NAND: power goes at every operation of the flash, the drive becomes read only, maps
// that are paged are searched for write pointers.
#include <functional>

#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::zones_test {
namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t size = 64;     // blocks of a zone
constexpr std::uint32_t capacity = 60; // that can be written
constexpr std::uint32_t block = 4096;
enum action : std::uint32_t { finish = 2, open_zone = 3, empty_zone = 4, offline = 5 };
enum state : std::uint32_t { empty = 1, closed = 4, read_only = 0xD, full = 0xE, gone = 0xF };

ram_config zoned_drive()
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 2;
    c.params.zones = {size * block, capacity * block, 3, 5, 1, 0};
    return c;
}

void enable(drive& d)
{
    d.nand.write_cc(NVME_CC_EN | 6u << NVME_CC_CSS_SHIFT | 6u << NVME_CC_IOSQES_SHIFT |
                    4u << NVME_CC_IOCQES_SHIFT);
    while ((d.nand.csts() & NVME_CSTS_RDY) == 0) {
        REQUIRE(d.nand.step());
    }
    d.create_queues();
}

/// drive() has enabled the controller for the NVM command set alone.
void begin(drive& d)
{
    d.nand.write_cc(0);
    while ((d.nand.csts() & NVME_CSTS_RDY) != 0) {
        REQUIRE(d.nand.step());
    }
    enable(d);
}

void cut(drive& d)
{
    if (d.nand.powered()) {
        d.nand.power_cut();
    }
    d.nand.power_on();
    enable(d);
}

/// Blocks of what is written differ by place and by how often the zone has been reset.
bytes content(std::uint64_t lba, std::uint32_t blocks, std::uint32_t age)
{
    bytes data(std::size_t{blocks} * block);
    for (std::size_t i = 0; i < data.size(); ++i) {
        const std::uint64_t at = lba + i / block;
        data[i] =
            static_cast<std::uint8_t>(at * 37 + age * 101 + i % block * 7 + (i % block >> 9) + 1);
    }
    return data;
}

std::uint16_t write(drive& d, std::uint64_t lba, std::uint32_t blocks, std::uint32_t age = 0,
                    bool fua = false)
{
    bytes data = content(lba, blocks, age);
    return d.nand.execute(1, io(NVME_IO_WRITE, lba, blocks, fua), &data).status;
}

bytes read(drive& d, std::uint64_t lba, std::uint32_t blocks)
{
    bytes data(std::size_t{blocks} * block, 0xA5);
    REQUIRE(d.nand.execute(1, io(NVME_IO_READ, lba, blocks), &data).status == 0);
    return data;
}

std::uint16_t send(drive& d, std::uint32_t zone, std::uint32_t dword13)
{
    nvme_sqe q = io(NVME_IO_ZONE_SEND, std::uint64_t{zone} * size, 1);
    q.cdw12 = 0;
    q.cdw13 = dword13;
    return d.nand.execute(1, q).status;
}

struct zone {
    std::uint32_t state, attributes;
    std::uint64_t written; // of a full one its capacity
};

zone look(drive& d, std::uint32_t n)
{
    bytes page(128);
    nvme_sqe q = io(NVME_IO_ZONE_RECEIVE, std::uint64_t{n} * size, 1);
    q.cdw12 = 31;
    q.cdw13 = 1u << 16;
    REQUIRE(d.nand.execute(1, q, &page).status == 0);
    REQUIRE(get(page, 0, 8) == 1);
    const std::uint64_t pointer = get(page, 64 + 24, 8);
    return {static_cast<std::uint32_t>(page[65] >> 4u), page[66],
            pointer == ~0ull ? capacity : pointer - n * size};
}

/// What the host knows of a zone.
struct known {
    std::uint32_t age = 0;
    std::uint64_t written = 0, durable = 0;
    bool finished = false;
};

struct step {
    std::function<std::uint16_t(drive&)> act;
    std::function<void(std::vector<known>&)> then;
    std::uint32_t zone; // the one it changes, ~0 = all that is written becomes durable
    bool resets = false;
};

step writes(std::uint32_t z, std::uint32_t at, std::uint32_t blocks, std::uint32_t age,
            bool fua = false)
{
    return {[=](drive& d) { return write(d, z * size + at, blocks, age, fua); },
            [=](std::vector<known>& k) {
                k[z].age = age;
                k[z].written = at + blocks;
                k[z].durable = fua ? at + blocks : k[z].durable;
            },
            z};
}

step flushes()
{
    return {[](drive& d) { return d.nand.execute(1, io(NVME_IO_FLUSH, 0, 1)).status; },
            [](std::vector<known>& k) {
                for (known& z : k) {
                    z.durable = z.written;
                }
            },
            ~0u};
}

step finishes(std::uint32_t z)
{
    return {[=](drive& d) { return send(d, z, finish); },
            [=](std::vector<known>& k) {
                k[z].finished = true;
                k[z].durable = k[z].written;
            },
            z};
}

step resets(std::uint32_t z)
{
    return {[=](drive& d) { return send(d, z, empty_zone); },
            [=](std::vector<known>& k) {
                k[z] = {k[z].age + 1, 0, 0, false};
            },
            z, true};
}

std::vector<step> story()
{
    return {writes(0, 0, 8, 0),
            writes(1, 0, 3, 0, true),
            writes(0, 8, 5, 0),
            flushes(),
            writes(2, 0, 12, 0),
            finishes(2),
            writes(1, 3, 9, 0),
            writes(0, 13, 7, 0),
            resets(0),
            writes(0, 0, 2, 1, true),
            resets(2),
            writes(2, 0, 1, 1, true),
            writes(1, 12, 16, 0),
            writes(1, 28, 16, 0),
            writes(1, 44, 16, 0),
            flushes(),
            resets(1),
            writes(1, 0, 4, 1),
            finishes(1),
            writes(0, 2, 6, 1),
            resets(1),
            writes(1, 0, 1, 2, true),
            flushes()};
}

bool is_content(const bytes& data, std::uint64_t lba, std::uint32_t age)
{
    return data == content(lba, 1, age);
}

/// Each of its sectors is of one of these, or zeroes: a block may be several units of the map, and
/// what was not durable may be there in part.
bool is_made_of(const bytes& data, std::uint64_t lba, const std::vector<std::uint32_t>& ages)
{
    const auto same = [&data](const bytes& other, std::size_t at) {
        return std::equal(data.begin() + static_cast<std::ptrdiff_t>(at),
                          data.begin() + static_cast<std::ptrdiff_t>(at + 512),
                          other.begin() + static_cast<std::ptrdiff_t>(at));
    };
    const bytes nothing(block);
    for (std::size_t at = 0; at < block; at += 512) {
        bool good = same(nothing, at);
        for (const std::uint32_t age : ages) {
            good = good || same(content(lba, 1, age), at);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

/// Before and after the step that power interrupted; equal where it was not about this zone.
void check_zone(drive& d, std::uint32_t n, const known& before, const known& after, bool resetting)
{
    const zone z = look(d, n);
    const std::uint64_t most = std::max(before.written, after.written);
    const bool whole = z.state == full;
    INFO("zone " << n << " state " << z.state << " written " << z.written << " before "
                 << before.written << " after " << after.written);
    CHECK((z.state == empty || z.state == closed || z.state == full));
    CHECK((whole || z.written <= most));
    CHECK((z.state == empty) == (z.written == 0));
    if (!resetting) {
        CHECK(z.written >= before.durable);
        CHECK((!before.finished || whole));
        CHECK((before.finished || after.finished || most == capacity || !whole));
    }
    const bytes nothing(block);
    for (std::uint64_t at = 0; at < capacity; ++at) {
        const std::uint64_t lba = n * size + at;
        const bytes data = read(d, lba, 1);
        const bool old = is_content(data, lba, before.age) && at < before.written;
        std::vector<std::uint32_t> ages;
        if (at < before.written) {
            ages.push_back(before.age);
        }
        if (at < after.written) {
            ages.push_back(after.age);
        }
        const bool below = at < z.written;
        const bool known_there = !resetting && at < before.durable;
        INFO("block " << at);
        CHECK((known_there ? old : data == nothing || (below && is_made_of(data, lba, ages))));
        CHECK((!resetting || whole || !below || at >= before.durable || old ||
               at + 1 == z.written)); // no gap by a reset
    }
}

/// Runs the story and cuts the power at the n-th point; false = it was over before.
bool cut_at(std::uint64_t n, std::uint32_t scheme)
{
    ram_config c = zoned_drive();
    c.params.ftl.scheme = scheme;
    if (scheme == FTL_SCHEME_DFTL) { // eight units of the map in a block
        c.params.ftl.map_unit = 512;
        c.params.geometry.page_size = 4096;
        c.params.geometry.oob_size = 80;
        c.params.map.cache = 256 * BOOT_MAP_CACHE_ENTRY;
        c.params.map.batch = 1;
    }
    std::uint64_t points = 0;
    bool armed = false;
    c.on_point = [&](const flash_point&) { return armed && ++points == n; };
    drive d(c);
    begin(d);
    armed = true;
    std::vector<known> before(3);
    std::vector<known> after = before;
    step under_way = flushes();
    for (const step& s : story()) {
        before = after;
        s.then(after);
        under_way = s;
        try {
            const std::uint16_t status = s.act(d); // outside of REQUIRE, which would catch
            REQUIRE(status == 0);
        } catch (const std::runtime_error&) {
            REQUIRE_FALSE(d.nand.powered());
            break;
        }
        before = after;
    }
    const bool was_cut = !d.nand.powered();
    armed = false;
    cut(d);
    INFO("cut at point " << n);
    for (std::uint32_t z = 0; z < 3; ++z) {
        check_zone(d, z, before[z], after[z], was_cut && under_way.resets && under_way.zone == z);
    }
    // And the drive goes on: what was there before is not there any more.
    for (std::uint32_t z = 0; z < 3; ++z) {
        REQUIRE(send(d, z, empty_zone) == 0);
        REQUIRE(write(d, z * size, 1, 9, true) == 0);
    }
    cut(d);
    for (std::uint32_t z = 0; z < 3; ++z) {
        CHECK(look(d, z).written == 1);
        CHECK(read(d, z * size + 1, 16) == bytes(16 * block));
    }
    d.check_rules();
    return was_cut;
}

} // namespace

TEST_CASE("zones: power cuts at every operation of the flash lose nothing that was durable")
{
    std::uint64_t n = 1;
    while (cut_at(n, FTL_SCHEME_PAGE_MAP)) {
        ++n;
    }
    CHECK(n > 60); // operations of the flash in the story
}

TEST_CASE("zones: the same where the map is paged, in pieces of a block")
{
    std::uint64_t n = 1;
    while (cut_at(n, FTL_SCHEME_DFTL)) {
        n += 7;
    }
    CHECK(n > 60);
}

TEST_CASE("zones: writes that wait for room in the buffer keep their places, and those behind them")
{
    ram_config c = zoned_drive();
    c.params.cache.capacity = 8 * c.params.ftl.map_unit;
    drive d(c);
    begin(d);
    constexpr std::uint32_t each = 6, count = capacity / each;
    std::vector<bytes> data;
    for (std::uint32_t i = 0; i < 2 * count; ++i) { // zone 0 by writes, zone 1 by appends
        data.push_back(content(i % 2 * size + i / 2 * each, each, 0));
    }
    std::map<std::int64_t, std::uint32_t> places; // of appends
    for (std::uint32_t i = 0; i < 2 * count; ++i) {
        const bool append = i % 2 != 0;
        const nvme_sqe q =
            append ? io(NVME_IO_ZONE_APPEND, size, each) : io(NVME_IO_WRITE, i / 2 * each, each);
        const std::int64_t id = d.nand.submit(1, q, &data[i]);
        REQUIRE(id >= 0);
        places[id] = append ? size + i / 2 * each : 0;
    }
    const auto done = completed(d);
    REQUIRE(done.size() == 2 * count);
    for (const auto& [id, completion] : done) {
        CHECK(completion.status == 0);
        CHECK(completion.dw0 == places[id]);
    }
    for (const std::uint32_t zone : {0u, 1u}) {
        CHECK(look(d, zone).state == full);
        for (std::uint32_t lba = zone * size; lba < zone * size + capacity; lba += each) {
            CHECK(read(d, lba, each) == content(lba, each, 0));
        }
    }
}

TEST_CASE("zones: of a drive that is read only all are, and can be set offline")
{
    ram_config c = zoned_drive();
    bool failing = false;
    c.on_program = [&](const nand_place&, const flash_desc&) { return failing; };
    c.quiet = true;
    drive d(c);
    begin(d);
    REQUIRE(write(d, 0, 4, 0, true) == 0);
    failing = true;
    for (std::uint32_t at = 4; at < capacity && look(d, 0).state != read_only; ++at) {
        static_cast<void>(write(d, at, 1, 0, true));
    }
    REQUIRE(d.nand.counters().read_only != 0);
    CHECK(look(d, 1).state == read_only);
    CHECK(write(d, size, 1) == (NVME_SC_ZONE_READ_ONLY | dnr));
    CHECK(send(d, 1, open_zone) == (NVME_SC_ZONE_INVALID_TRANSITION | dnr));
    CHECK(send(d, 0, empty_zone) == (NVME_SC_ZONE_INVALID_TRANSITION | dnr));
    CHECK(send(d, 0, empty_zone | 1u << 8) == 0); // no zone can be
    CHECK(read(d, 0, 4) == content(0, 4, 0));
    failing = false;
    REQUIRE(send(d, 1, offline) == 0);
    CHECK(look(d, 1).state == gone);
    CHECK(send(d, 1, offline) == 0);
    CHECK(write(d, size, 1) == (NVME_SC_ZONE_OFFLINE | dnr));
    bytes data(2 * block);
    CHECK(d.nand.execute(1, io(NVME_IO_READ, size, 1), &data).status ==
          (NVME_SC_ZONE_OFFLINE | dnr));
    CHECK(d.nand.execute(1, io(NVME_IO_READ, size - 1, 2), &data).status ==
          (NVME_SC_ZONE_OFFLINE | dnr)); // one of two
    CHECK(send(d, 1, empty_zone) == (NVME_SC_ZONE_INVALID_TRANSITION | dnr));
}

} // namespace ssdvp::test::zones_test
