// SPDX-License-Identifier: Apache-2.0
//
// Features, log pages, events, Abort, firmware images. NVM Express base 1.4 section 5.
#include <cstring>
#include <elf.h>

extern "C" {
#include "firmware/hal/package.h"
#include "firmware/lib/crc.h"
extern const struct firmware_about fw_about;
}
#include "tests/firmware/flash_reader.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::nvme_admin_test {

TEST_CASE("features: each has default, current, saved value and abilities")
{
    struct row {
        std::uint32_t id, initial, other, abilities;
    };
    const row r = GENERATE(row{0x01, 3, 0x04030207, 5}, row{0x02, 0, 1, 5}, row{0x04, 343, 350, 5},
                           row{0x06, 1, 0, 5}, row{0x08, 0, 0x0A07, 5}, row{0x0A, 0, 1, 4},
                           row{0x0B, 0, 0x11F, 5});
    drive d(tiny_drive());
    INFO("feature " << r.id);
    CHECK(get_feature(d, r.id).dw0 == r.initial);
    CHECK(get_feature(d, r.id | 0x300).dw0 == r.abilities);
    REQUIRE(set_feature(d, r.id, r.other) == 0);
    CHECK(get_feature(d, r.id).dw0 == r.other);
    CHECK(get_feature(d, r.id | 0x100).dw0 == r.initial);
    CHECK(get_feature(d, r.id | 0x200).dw0 == r.initial);
    CHECK(get_feature(d, r.id | 0x400).status == invalid_field);
    nvme_sqe q = admin(NVME_ADMIN_SET_FEATURES, r.id, r.other);
    q.nsid = 1;
    CHECK(d.nand.execute(0, q).status == (NVME_SC_FEATURE_NOT_NAMESPACE | dnr));
    q.nsid = 17;
    CHECK(d.nand.execute(0, q).status == (NVME_SC_INVALID_NAMESPACE | dnr));
    reset(d); // what was not saved is gone
    CHECK(get_feature(d, r.id).dw0 == r.initial);
    const std::uint16_t saved = set_feature(d, r.id | 0x80000000u, r.other);
    if ((r.abilities & 1) == 0) {
        CHECK(saved == (NVME_SC_FEATURE_NOT_SAVEABLE | dnr));
        return;
    }
    REQUIRE(saved == 0);
    CHECK(get_feature(d, r.id | 0x200).dw0 == r.other);
    restart(d);
    CHECK(get_feature(d, r.id).dw0 == r.other);
    CHECK(get_feature(d, r.id | 0x100).dw0 == r.initial);
    d.check_rules();
}

TEST_CASE("features: wrong values are refused")
{
    drive d(tiny_drive());
    CHECK(set_feature(d, 0x02, 2) == invalid_field);        // power state 2 of 0, 1
    CHECK(set_feature(d, 0x04, 1u << 16) == invalid_field); // sensor 1
    CHECK(set_feature(d, 0x04, 2u << 20) == invalid_field); // neither over nor under
    CHECK(set_feature(d, 0x09, 5) == invalid_field);        // vector 5 of 0 to 4
    CHECK(set_feature(d, 0x09, 4 | 0x10000) == 0);          // the last one
    CHECK(get_feature(d, 0x09, 4).dw0 == (4 | 0x10000));
    CHECK(get_feature(d, 0x09, 3).dw0 == 3);
    CHECK(set_feature(d, 0x09, 0x10000) == invalid_field); // the admin queue's
    CHECK(set_feature(d, 0x0C, 0) == invalid_field);       // no such feature
    CHECK(get_feature(d, 0x0C).status == invalid_field);
    nvme_sqe q = admin(NVME_ADMIN_SET_FEATURES, 0x05, 7);
    CHECK(d.nand.execute(0, q).status == (NVME_SC_INVALID_NAMESPACE | dnr));
    q.nsid = 1;
    CHECK(d.nand.execute(0, q).status == 0);
    q = admin(NVME_ADMIN_GET_FEATURES, 0x05);
    q.nsid = 1;
    CHECK(d.nand.execute(0, q).dw0 == 7);
    q.cdw11 = 0x10000; // DULBE
    q.opcode = NVME_ADMIN_SET_FEATURES;
    CHECK(d.nand.execute(0, q).status == invalid_field);
    d.create_queues();
    CHECK(set_feature(d, 0x07, 0x00010001) == (NVME_SC_COMMAND_SEQUENCE | dnr));
    q = admin(NVME_ADMIN_GET_FEATURES, 6);
    q.flags = 1; // fused
    CHECK(d.nand.execute(0, q).status == invalid_field);
    q.flags = 0x40; // SGL
    CHECK(d.nand.execute(0, q).status == invalid_field);
}

TEST_CASE("timestamp, host identifier, software progress")
{
    drive d(tiny_drive());
    std::vector<std::uint8_t> data(4096);
    put(data, 0, 0x0000123456789ABCull);
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_SET_FEATURES, 0x0E), &data).status == 0);
    const std::uint64_t before = d.nand.time_ns();
    d.nand.wait_until(before + 5000000);
    std::vector<std::uint8_t> page(4096);
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_GET_FEATURES, 0x0E), &page).status == 0);
    const std::uint64_t ms = get(page, 0, 6) - 0x123456789ABCull;
    CHECK(ms == d.nand.time_ns() / 1000000 - before / 1000000);
    CHECK(page[6] == 2); // origin: Set Features
    put(data, 0, 0x1122334455667788ull);
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_SET_FEATURES, 0x81), &data).status == 0);
    CHECK(d.nand.execute(0, admin(NVME_ADMIN_SET_FEATURES, 0x81), &data).status ==
          (NVME_SC_COMMAND_SEQUENCE | dnr));
    CHECK(d.nand.execute(0, admin(NVME_ADMIN_SET_FEATURES, 0x81, 1), &data).status ==
          invalid_field); // 128 bits
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_GET_FEATURES, 0x81), &page).status == 0);
    CHECK(get(page, 0, 8) == 0x1122334455667788ull);
    REQUIRE(set_feature(d, 0x80, 7) == 0);
    restart(d);
    CHECK(get_feature(d, 0x80).dw0 == 7);
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_GET_FEATURES, 0x81), &page).status == 0);
    CHECK(get(page, 0, 8) == 0);
}

TEST_CASE("the error log has the newest failure first, with queue, identifier, status and block")
{
    drive d(tiny_drive());
    d.create_queues();
    nvme_sqe bad = admin(0x7F);
    bad.cid = 0x1234;
    d.nand.execute(0, bad);
    nvme_sqe read = io(NVME_IO_READ, d.sectors() + 5, 1);
    read.cid = 0x77;
    std::vector<std::uint8_t> data(4096);
    d.nand.execute(1, read, &data);
    const std::vector<std::uint8_t> page = log_page(d, NVME_LOG_ERROR, 4096);
    CHECK(get(page, 0, 8) == 2);
    CHECK(get(page, 8, 2) == 1);
    CHECK(get(page, 10, 2) == 0x77);
    CHECK(get(page, 12, 2) == (NVME_SC_LBA_OUT_OF_RANGE | dnr) << 1);
    CHECK(get(page, 16, 8) == d.sectors() + 5);
    CHECK(get(page, 24, 4) == 1);
    CHECK(get(page, 64, 8) == 1);
    CHECK(get(page, 72, 2) == 0);
    CHECK(get(page, 74, 2) == 0x1234);
    CHECK(get(page, 76, 2) == (NVME_SC_INVALID_OPCODE | dnr) << 1);
    CHECK(get(page, 128, 8) == 0);
    CHECK(get(log_page(d, NVME_LOG_SMART, 512), 176, 8) == 2);
    for (int i = 0; i < 70; ++i) {
        d.nand.execute(0, bad);
    }
    const std::vector<std::uint8_t> full = log_page(d, NVME_LOG_ERROR, 4096);
    CHECK(get(full, 0, 8) == 72);
    CHECK(get(full, 63 * 64, 8) == 9);
}

TEST_CASE("admin commands: the log of effects and OACS declare what is executed, and nothing else")
{
    const std::string with = GENERATE("all", "streams", "no room for the drive's state");
    INFO("a drive with " << with);
    ram_config c = with == "no room for the drive's state" ? one_plane() : tiny_drive();
    c.params.host.streams = with == "streams" ? 4 : 0;
    c.params.geometry.blocks_per_plane += c.params.host.streams; // each has one open
    drive d(c);
    const std::map<std::uint32_t, std::uint32_t> optional = {
        // bits of OACS
        {0x0D, 3}, {0x10, 2}, {0x11, 2}, {0x15, 3}, {0x19, 5}, {0x1A, 5}, {0x80, 1}};
    std::vector<std::uint8_t> page(4096);
    REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    const std::uint64_t oacs = get(page, 256, 2);
    CHECK(oacs == (with == "all" ? 0x0Eu : with == "streams" ? 0x2Eu : 0x04u));
    const std::vector<std::uint8_t> effects = log_page(d, NVME_LOG_EFFECTS, 4096);
    for (std::uint32_t opcode = 0; opcode < 256; ++opcode) {
        INFO("opcode " << opcode);
        const bool listed = get(effects, 4 * opcode, 4) != 0;
        if (const auto bit = optional.find(opcode); bit != optional.end()) {
            CHECK(listed == ((oacs >> bit->second & 1) != 0));
        }
        if (opcode == NVME_ADMIN_ASYNC_EVENT) {
            CHECK(listed); // and ends when there is something to tell
            continue;
        }
        std::vector<std::uint8_t> data(4096);
        const std::uint16_t status =
            d.nand.execute(0, admin(static_cast<std::uint8_t>(opcode)), &data).status;
        CHECK((status == (NVME_SC_INVALID_OPCODE | dnr)) == !listed);
    }
}

TEST_CASE("log pages: offset, length, namespace")
{
    drive d(tiny_drive());
    const std::vector<std::uint8_t> whole = log_page(d, NVME_LOG_EFFECTS, 4096);
    CHECK(get(whole, NVME_ADMIN_IDENTIFY * 4, 4) == 1);
    CHECK(get(whole, NVME_ADMIN_FORMAT * 4, 4) == 0x20007);
    CHECK(get(whole, 1024 + NVME_IO_WRITE * 4, 4) == 3);
    CHECK(get(whole, 1024 + 0x7F * 4, 4) == 0);
    std::vector<std::uint8_t> part(16, 0xEE);
    nvme_sqe q = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_EFFECTS | 3u << 16);
    q.cdw12 = 1024 + 4;
    REQUIRE(d.nand.execute(0, q, &part).status == 0);
    CHECK(std::memcmp(part.data(), whole.data() + 1028, 16) == 0);
    q.cdw12 = 4096; // its end
    CHECK(d.nand.execute(0, q, &part).status == 0);
    q.cdw12 = 4100;
    CHECK(d.nand.execute(0, q, &part).status == invalid_field);
    q.cdw12 = 2;
    CHECK(d.nand.execute(0, q, &part).status == invalid_field);
    q.cdw12 = 0;
    q.cdw13 = 1;
    CHECK(d.nand.execute(0, q, &part).status == invalid_field);
    q.cdw13 = 0;
    q.nsid = 1;
    CHECK(d.nand.execute(0, q, &part).status == invalid_field);
    q.nsid = 0xFFFFFFFF;
    CHECK(d.nand.execute(0, q, &part).status == 0);
    q = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_EFFECTS | 16383u << 16); // MDTS, 64 KiB
    std::vector<std::uint8_t> large(65536);
    CHECK(d.nand.execute(0, q, &large).status == 0);
    q.cdw10 = NVME_LOG_EFFECTS | 16384u << 16;
    CHECK(d.nand.execute(0, q, &large).status == invalid_field);
}

TEST_CASE("SMART counts power cycles, unsafe shutdowns, hours and data over power cycles")
{
    drive d(tiny_drive());
    d.create_queues();
    std::vector<std::uint8_t> page = log_page(d, NVME_LOG_SMART, 512);
    CHECK(get(page, 1, 2) == 300);
    CHECK(get(page, 112, 8) == 1);
    CHECK(get(page, 144, 8) == 0);
    for (int i = 0; i < 11; ++i) {
        d.start_write(0, 100);
        d.drain();
    }
    page = log_page(d, NVME_LOG_SMART, 512);
    CHECK(get(page, 48, 8) == 2); // 1100 sectors, in thousands, rounded up
    CHECK(get(page, 80, 8) == 11);
    shut_down(d);
    restart(d);
    page = log_page(d, NVME_LOG_SMART, 512);
    CHECK(get(page, 48, 8) == 2);
    CHECK(get(page, 80, 8) == 11);
    CHECK(get(page, 112, 8) == 2);
    CHECK(get(page, 144, 8) == 0);
    d.create_queues();
    d.start_write(0, 100);
    d.start_flush();
    d.idle();
    REQUIRE(set_feature(d, 0x80, 1) == 0); // a record: what came before it is kept
    restart(d);
    page = log_page(d, NVME_LOG_SMART, 512);
    CHECK(get(page, 80, 8) == 12);
    CHECK(get(page, 112, 8) == 3);
    CHECK(get(page, 144, 8) == 1);
}

TEST_CASE("telemetry carries the counters of the drive, and the host's stays as it was taken")
{
    drive d(tiny_drive());
    d.create_queues();
    std::vector<std::uint8_t> page = log_page(d, NVME_LOG_TELEMETRY_HOST | 1u << 8, 3584);
    CHECK(page[0] == NVME_LOG_TELEMETRY_HOST);
    CHECK(get(page, 8, 2) == 6);
    CHECK(page[382] == 0);
    telemetry t;
    std::memcpy(&t, page.data() + 528, sizeof t);
    CHECK(t.magic == TELEMETRY_MAGIC);
    CHECK(t.host_units_written == 0);
    d.start_write(0, 64);
    d.start_flush();
    d.idle();
    CHECK(log_page(d, NVME_LOG_TELEMETRY_HOST, 3584) == page); // not created anew
    page = log_page(d, NVME_LOG_TELEMETRY_CONTROLLER, 3584);
    std::memcpy(&t, page.data() + 528, sizeof t);
    CHECK(t.host_units_written == 8);
    page = log_page(d, NVME_LOG_TELEMETRY_HOST | 1u << 8, 3584);
    std::memcpy(&t, page.data() + 528, sizeof t);
    CHECK(t.host_units_written == 8);
}

TEST_CASE("asynchronous events: limit, masking, reset")
{
    drive d(tiny_drive());
    ram_nand& n = d.nand;
    std::vector<std::int64_t> ids;
    for (int i = 0; i < 4; ++i) {
        ids.push_back(n.submit(0, admin(NVME_ADMIN_ASYNC_EVENT), nullptr));
    }
    n.settle();
    host_completion c;
    CHECK_FALSE(n.completion(c));
    CHECK(n.execute(0, admin(NVME_ADMIN_ASYNC_EVENT)).status == (NVME_SC_ASYNC_EVENT_LIMIT | dnr));
    REQUIRE(set_feature(d, 0x0B, 0x02) == 0); // temperature
    const auto set = [&](std::uint32_t dword11) {
        n.submit(0, admin(NVME_ADMIN_SET_FEATURES, 0x04, dword11), nullptr);
        return completed(d);
    };
    auto done = set(300); // as warm as it is
    REQUIRE(done.size() == 2);
    CHECK(done[ids[0]].status == 0);
    CHECK(done[ids[0]].dw0 == (1 | 1u << 8 | 2u << 16));            // SMART, temperature, log 02h
    CHECK((log_page(d, NVME_LOG_SMART | 0x8000, 512)[0] & 2) != 0); // RAE: stays masked
    CHECK(set(301).size() == 1);
    CHECK(set(1u << 20 | 300).size() == 1); // under: as cold as it is
    std::vector<std::uint8_t> page(512);
    n.submit(0, admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_SMART | 127u << 16), &page);
    done = completed(d);
    CHECK(done.size() == 2);
    CHECK(done.count(ids[1]) == 1);
    CHECK(completed(d).empty());
    n.write_cc(0); // the others are never completed
    while ((n.csts() & NVME_CSTS_RDY) != 0) {
        REQUIRE(n.step());
    }
    n.enable();
    CHECK(completed(d).empty());
    CHECK(n.free_slots() == 32);
    d.create_queues();
    d.start_write(0, 8);
    d.idle();
    d.check_rules();
}

TEST_CASE("events that nobody waits for are told to the next request")
{
    drive d(tiny_drive());
    REQUIRE(set_feature(d, 0x0B, 0x02) == 0);
    REQUIRE(set_feature(d, 0x04, 290) == 0);
    const host_completion c = d.nand.execute(0, admin(NVME_ADMIN_ASYNC_EVENT));
    CHECK(c.status == 0);
    CHECK(c.dw0 == (1 | 1u << 8 | 2u << 16));
}

TEST_CASE("admin commands wait for a page while others have them all")
{
    constexpr std::uint32_t trims = 20; // more than META_BUFFERS
    drive d(tiny_drive());
    d.create_queues();
    ram_nand& n = d.nand;
    nvme_sqe trim = io(NVME_IO_DSM, 0, 1);
    trim.cdw10 = 0;
    trim.cdw11 = NVME_DSM_DEALLOCATE;
    std::vector<std::uint8_t> range(sizeof(nvme_dsm_range));
    const nvme_dsm_range r{0, 8, 0};
    std::memcpy(range.data(), &r, sizeof r);
    for (std::uint32_t i = 0; i < trims; ++i) {
        REQUIRE(n.submit(1, trim, &range) >= 0);
    }
    nvme_sqe effects = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_EFFECTS | (4096 / 4 - 1) << 16);
    effects.cdw14 = NVME_CSI_NVM << 24;
    std::vector<std::vector<std::uint8_t>> data(3, std::vector<std::uint8_t>(4096));
    std::vector<std::uint8_t> host(8, 0x5A);
    std::vector<std::uint8_t> told(8);
    const std::vector<std::pair<nvme_sqe, std::vector<std::uint8_t>*>> asked = {
        {identify(1, 0), &data[0]},
        {identify(0, 1), &data[1]},
        {effects, &data[2]},
        {admin(NVME_ADMIN_SET_FEATURES, NVME_FEATURE_TIMESTAMP), &host},
        {admin(NVME_ADMIN_GET_FEATURES, NVME_FEATURE_TIMESTAMP), &told}};
    for (const auto& [q, bytes] : asked) {
        REQUIRE(n.submit(0, q, bytes) >= 0);
    }
    const auto done = completed(d);
    REQUIRE(done.size() == trims + asked.size());
    for (const auto& [id, c] : done) {
        INFO("command " << id);
        CHECK(c.status == 0);
    }
    std::vector<std::uint8_t> alone(4096);
    for (std::size_t i = 0; i < data.size(); ++i) { // as if nobody else had asked
        REQUIRE(n.execute(0, asked[i].first, &alone).status == 0);
        CHECK(data[i] == alone);
    }
    REQUIRE(n.execute(0, asked.back().first, &told).status == 0);
    CHECK(told[5] == 0x5A); // the highest byte: few ms have passed
    d.check_rules();
}

TEST_CASE("Abort takes back what waits and nothing else")
{
    drive d(tiny_drive());
    d.create_queues();
    ram_nand& n = d.nand;
    nvme_sqe q = admin(NVME_ADMIN_ASYNC_EVENT);
    q.cid = 5;
    const std::int64_t id = n.submit(0, q, nullptr);
    n.settle();
    CHECK(n.execute(0, admin(NVME_ADMIN_ABORT, 6u << 16)).dw0 == 1); // nobody
    const std::int64_t abort = n.submit(0, admin(NVME_ADMIN_ABORT, 5u << 16), nullptr);
    auto done = completed(d);
    REQUIRE(done.size() == 2);
    CHECK(done[id].status == NVME_SC_ABORT_REQUESTED);
    CHECK(done[abort].status == 0);
    CHECK(done[abort].dw0 == 0);
    CHECK(n.execute(0, admin(NVME_ADMIN_ABORT, 9)).status == invalid_field); // no such queue
    // A flush that waits for its programs, and a write whose data are on their way.
    d.start_write(0, 64);
    d.drain();
    nvme_sqe flush = io(NVME_IO_FLUSH, 0, 1);
    flush.cid = 0x99;
    const std::int64_t f = n.submit(1, flush, nullptr);
    std::vector<std::uint8_t> data(64 * 512);
    nvme_sqe write = io(NVME_IO_WRITE, 64, 64);
    write.cid = 0x9A;
    const std::int64_t w = n.submit(1, write, &data);
    n.submit(0, admin(NVME_ADMIN_ABORT, 1 | 0x99u << 16), nullptr);
    n.submit(0, admin(NVME_ADMIN_ABORT, 1 | 0x9Au << 16), nullptr);
    done = completed(d);
    REQUIRE(done.size() == 4);
    CHECK(done[f].status == NVME_SC_ABORT_REQUESTED);
    CHECK(done[w].status == 0);
    CHECK(done[w + 1].dw0 == 0);
    CHECK(done[w + 2].dw0 == 1);
    d.check_rules();
}

namespace {

std::vector<std::uint8_t> image_of(const char* revision, std::uint32_t size)
{
    std::vector<std::uint8_t> image(size);
    for (std::uint32_t i = 64; i < size; ++i) {
        image[i] = static_cast<std::uint8_t>(i * 7);
    }
    firmware_package h{};
    h.magic = FIRMWARE_PACKAGE_MAGIC;
    h.version = FIRMWARE_PACKAGE_VERSION;
    h.size = size;
    h.crc = crc32(0, image.data() + 64, size - 64);
    h.abi = HAL_ABI_VERSION;
    std::memcpy(h.revision, revision, sizeof h.revision);
    h.layout = fw_about.layout;
#if defined(__x86_64__)
    h.machine = EM_X86_64;
#else
    h.machine = EM_AARCH64;
#endif
    h.image = size - 64;
    h.header_crc = crc32(0, &h, 60);
    std::memcpy(image.data(), &h, sizeof h);
    return image;
}

std::uint16_t download(drive& d, const std::vector<std::uint8_t>& image, std::uint32_t at,
                       std::uint32_t bytes)
{
    std::vector<std::uint8_t> data(image.begin() + at, image.begin() + at + bytes);
    return d.nand.execute(0, admin(NVME_ADMIN_FW_DOWNLOAD, bytes / 4 - 1, at / 4), &data).status;
}

std::uint16_t commit(drive& d, std::uint32_t action, std::uint32_t slot)
{
    return d.nand.execute(0, admin(NVME_ADMIN_FW_COMMIT, action << 3 | slot)).status;
}

std::string revision_of(drive& d)
{
    std::vector<std::uint8_t> page(4096);
    REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    return {reinterpret_cast<const char*>(page.data()) + 64, 8};
}

} // namespace

TEST_CASE("firmware images: download, commit, slots")
{
    drive d(tiny_drive());
    const std::vector<std::uint8_t> image = image_of("2.7     ", 20000);
    CHECK(revision_of(d) == "0.1     ");
    CHECK(commit(d, 1, 2) == (NVME_SC_INVALID_FIRMWARE_IMAGE | dnr)); // nothing was downloaded
    REQUIRE(download(d, image, 0, 10000) == 0);
    CHECK(download(d, image, 9996, 1000) == (NVME_SC_OVERLAPPING_RANGE | dnr));
    CHECK(download(d, image, 10004, 1000) == invalid_field);          // leaves a gap
    CHECK(commit(d, 1, 2) == (NVME_SC_INVALID_FIRMWARE_IMAGE | dnr)); // not whole
    REQUIRE(download(d, image, 10000, 10000) == 0);
    CHECK(commit(d, 1, 1) == (NVME_SC_INVALID_FIRMWARE_SLOT | dnr)); // read only
    CHECK(commit(d, 1, 4) == (NVME_SC_INVALID_FIRMWARE_SLOT | dnr));
    CHECK(commit(d, 6, 2) == invalid_field); // boot partitions
    REQUIRE(commit(d, 0, 2) == 0);           // there, not active
    std::vector<std::uint8_t> log = log_page(d, NVME_LOG_FIRMWARE_SLOT, 512);
    CHECK(log[0] == 1);
    CHECK(std::memcmp(log.data() + 8, "0.1     2.7     \0", 17) == 0);
    CHECK(commit(d, 0, 3) == (NVME_SC_INVALID_FIRMWARE_IMAGE | dnr)); // it is gone
    CHECK(commit(d, 2, 3) == (NVME_SC_INVALID_FIRMWARE_IMAGE | dnr)); // empty
    // One byte wrong, wherever it is.
    for (const std::uint32_t at : {0u, 5u, 9u, 13u, 17u, 20u, 35u, 61u, 64u, 19999u}) {
        std::vector<std::uint8_t> bad = image;
        bad[at] ^= 1;
        REQUIRE(download(d, bad, 0, 20000) == 0);
        CHECK(commit(d, 1, 3) == (NVME_SC_INVALID_FIRMWARE_IMAGE | dnr));
    }
}

TEST_CASE("firmware images: one that the loader refuses is forgotten at the reset")
{
    drive d(tiny_drive()); // its boot flash keeps nothing, so nothing can be loaded
    REQUIRE(download(d, image_of("2.7     ", 20000), 0, 20000) == 0);
    REQUIRE(commit(d, 1, 2) == 0);
    CHECK(log_page(d, NVME_LOG_FIRMWARE_SLOT, 512)[0] == (1 | 2 << 4));
    CHECK(commit(d, 3, 2) == (NVME_SC_INVALID_FIRMWARE_IMAGE | dnr));
    reset(d);
    CHECK(revision_of(d) == "0.1     ");
    CHECK(log_page(d, NVME_LOG_FIRMWARE_SLOT, 512)[0] == 1);
    REQUIRE(commit(d, 2, 2) == 0);
    restart(d);
    CHECK(log_page(d, NVME_LOG_FIRMWARE_SLOT, 512)[0] == 1);
    CHECK(revision_of(d) == "0.1     ");
}

} // namespace ssdvp::test::nvme_admin_test
