// SPDX-License-Identifier: Apache-2.0
//
// Firmware Image Download and Commit on a whole drive: NVM Express base 1.4 sections 5.11 and 5.12.
// The image that takes over is real: the firmware of this build with another revision.
#include <boost/crc.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

#include "firmware/hal/hal.h"
#include "firmware/hal/package.h"
#include "platform/serve/drive_image.h"
#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_firmware_test {

namespace {

constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;
constexpr std::uint16_t invalid_image = NVME_SC_INVALID_FIRMWARE_IMAGE | dnr;
constexpr std::uint16_t invalid_slot = NVME_SC_INVALID_FIRMWARE_SLOT | dnr;
enum action : std::uint32_t { store = 0, store_and_activate = 1, activate = 2, activate_now = 3 };

std::uint32_t crc(const std::uint8_t* data, std::size_t size)
{
    boost::crc_32_type c;
    c.process_bytes(data, size);
    return c.checksum();
}

bytes next_package()
{
    std::ifstream file(SSDVP_NEXT_PACKAGE, std::ios::binary);
    REQUIRE(file.is_open());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// After a change of header or body: what the CRCs say is true.
void seal(bytes& package)
{
    firmware_package h{};
    std::memcpy(&h, package.data(), sizeof h);
    h.crc = crc(package.data() + sizeof h, package.size() - sizeof h);
    std::memcpy(package.data(), &h, sizeof h);
    h.header_crc = crc(package.data(), sizeof h - 4);
    std::memcpy(package.data(), &h, sizeof h);
}

/// A package as it should be around what is no image.
bytes hollow_package()
{
    bytes package = next_package();
    firmware_package h{};
    std::memcpy(&h, package.data(), sizeof h);
    package.resize(sizeof h + 8000);
    for (std::size_t i = sizeof h; i < package.size(); ++i) {
        package[i] = static_cast<std::uint8_t>(i * 13);
    }
    h.size = static_cast<std::uint32_t>(package.size());
    h.image = 8000;
    h.timing = 0;
    std::memcpy(package.data(), &h, sizeof h);
    seal(package);
    return package;
}

std::uint16_t piece(conformance_bench& b, const bytes& package, std::size_t at, std::size_t size)
{
    bytes data(package.begin() + static_cast<std::ptrdiff_t>(at),
               package.begin() + static_cast<std::ptrdiff_t>(at + size));
    return b.status(0,
                    command(NVME_ADMIN_FW_DOWNLOAD, static_cast<std::uint32_t>(size / 4 - 1),
                            static_cast<std::uint32_t>(at / 4)),
                    &data);
}

void download(conformance_bench& b, const bytes& package)
{
    constexpr std::size_t most = 128 * 1024; // MDTS
    for (std::size_t at = 0; at < package.size(); at += most) {
        REQUIRE(piece(b, package, at, std::min(most, package.size() - at)) == 0);
    }
}

std::uint16_t commit(conformance_bench& b, action a, std::uint32_t slot)
{
    return b.status(0, command(NVME_ADMIN_FW_COMMIT, a << 3 | slot));
}

std::string revision(conformance_bench& b)
{
    const bytes page = b.identify(1);
    return {page.begin() + 64, page.begin() + 72};
}

/// Active slot, and behind it the one of the next reset.
unsigned slots(conformance_bench& b)
{
    return b.log_page(NVME_LOG_FIRMWARE_SLOT, 512)[0];
}

void reset(conformance_bench& b)
{
    b.disable();
    b.enable();
    b.create_queues(1, 16);
}

constexpr std::uint64_t places[] = {0, 4000, 20000};

void write_data(conformance_bench& b)
{
    for (const std::uint64_t lba : places) {
        bytes data = pattern(65536, static_cast<std::uint32_t>(lba));
        REQUIRE(b.status(1, io(NVME_IO_WRITE, lba, 128), &data) == 0);
    }
}

void check_data(conformance_bench& b)
{
    for (const std::uint64_t lba : places) {
        CAPTURE(lba);
        bytes data(65536);
        REQUIRE(b.status(1, io(NVME_IO_READ, lba, 128), &data) == 0);
        CHECK(data == pattern(65536, static_cast<std::uint32_t>(lba)));
    }
}

const std::string first = "0.1     ";
const std::string next = "9.9     ";

} // namespace

TEST_CASE("firmware images: wrong packages are refused at Commit, and change nothing")
{
    conformance_bench b;
    b.enable();
    const bytes good = hollow_package();
    CHECK(commit(b, store_and_activate, 2) == invalid_image); // nothing was downloaded
    REQUIRE(piece(b, good, 0, 4096) == 0);
    CHECK(piece(b, good, 0, 4096) == 0); // begins anew
    CHECK(piece(b, good, 2048, 4) == (NVME_SC_OVERLAPPING_RANGE | dnr));
    CHECK(piece(b, good, 4100, 4) == invalid_field);          // leaves a gap
    CHECK(commit(b, store_and_activate, 2) == invalid_image); // not whole
    struct {
        const char* what;
        std::size_t at;
        bool seals;
    } const faults[] = {{"magic", offsetof(firmware_package, magic), true},
                        {"version", offsetof(firmware_package, version), true},
                        {"size", offsetof(firmware_package, size), true},
                        {"ABI of the port", offsetof(firmware_package, abi), true},
                        {"machine", offsetof(firmware_package, machine), true},
                        {"CRC of the header", offsetof(firmware_package, build), false},
                        {"CRC of the body", 5000, false}};
    for (const auto& f : faults) {
        CAPTURE(f.what);
        bytes bad = good;
        bad[f.at] ^= 1;
        if (f.seals) {
            seal(bad);
        }
        download(b, bad);
        CHECK(commit(b, store_and_activate, 2) == invalid_image);
    }
    download(b, good);
    CHECK(commit(b, store_and_activate, 1) == invalid_slot); // read only
    CHECK(commit(b, store_and_activate, 4) == invalid_slot);
    CHECK(commit(b, action(4), 2) == invalid_field);    // boot partitions
    CHECK(commit(b, activate, 3) == invalid_image);     // empty
    CHECK(commit(b, activate_now, 3) == invalid_image); // empty
    CHECK(slots(b) == 1);
    CHECK(revision(b) == first);
    CHECK((b.identify(1)[260] & 0x10) != 0); // FRMW: activation without a reset
}

TEST_CASE("firmware images: one that cannot be loaded leaves the old one running")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    write_data(b);
    download(b, hollow_package());
    REQUIRE(commit(b, store_and_activate, 2) == 0);
    CHECK(slots(b) == (1 | 2 << 4));
    CHECK(commit(b, activate_now, 2) == invalid_image);
    CHECK(slots(b) == (1 | 2 << 4));
    reset(b);
    CHECK(slots(b) == 1);
    CHECK(revision(b) == first);
    const nvme_cqe event = b.await(0, b.submit(0, command(NVME_ADMIN_ASYNC_EVENT)));
    CHECK(event.dw0 == (NVME_EVENT_ERROR | NVME_EVENT_FIRMWARE_LOAD << 8 | NVME_LOG_ERROR << 16));
    check_data(b);
    reset(b);
    CHECK(slots(b) == 1);
}

namespace {

void run_after_reset(const std::string& cores)
{
    conformance_bench b({"cpu.cores=" + cores});
    b.enable();
    b.create_queues(1, 16);
    write_data(b);
    download(b, next_package());
    REQUIRE(commit(b, store, 3) == 0);
    CHECK(slots(b) == 1);
    reset(b);
    CHECK(revision(b) == first); // stored is not activated
    REQUIRE(commit(b, activate, 3) == 0);
    CHECK(slots(b) == (1 | 3 << 4));
    CHECK(revision(b) == first);
    reset(b);
    CHECK(revision(b) == next);
    CHECK(slots(b) == 3);
    CHECK(b.log_page(NVME_LOG_FIRMWARE_SLOT, 512)[8 + 16] == '9');
    CHECK(b.log_page(NVME_LOG_FIRMWARE_SLOT, 512)[8] == '0');
    check_data(b);
    b.power_cycle();
    b.create_queues(1, 16);
    CHECK(revision(b) == next);
    CHECK(get(b.log_page(NVME_LOG_SMART, 512), 112, 8) == 2); // power cycles: no restart counts
    check_data(b);
    REQUIRE(commit(b, activate, 1) == 0);
    reset(b);
    CHECK(revision(b) == first);
    check_data(b);
}

} // namespace

TEST_CASE("firmware images: a right one runs after the next reset, with all data")
{
    run_after_reset("1");
}

TEST_CASE("firmware images: the same where three cores share the work")
{
    run_after_reset("3");
}

TEST_CASE("firmware images: power may go between Commit and reset")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    write_data(b);
    REQUIRE(b.status(1, of(1, command(NVME_IO_FLUSH))) == 0);
    download(b, next_package());
    REQUIRE(commit(b, store_and_activate, 2) == 0);
    b.power_cycle();
    b.create_queues(1, 16);
    CHECK(revision(b) == next);
    CHECK(slots(b) == 2);
    check_data(b);
}

TEST_CASE("firmware images: action 3 lets one take over without a reset")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    write_data(b);
    bytes package = next_package();
    download(b, package);
    REQUIRE(commit(b, store, 2) == 0);
    const std::uint16_t event = b.submit(0, command(NVME_ADMIN_ASYNC_EVENT));
    REQUIRE(commit(b, activate_now, 2) == 0);
    CHECK(revision(b) == next);
    CHECK(slots(b) == 2);
    check_data(b); // queues are in place, and so is what the buffer held
    b.write32(NVME_REG_DOORBELL + 3 * NVME_DOORBELL_STRIDE, 1);
    CHECK((b.await(0, event).dw0 & 0xFF) == NVME_EVENT_ERROR);
    reset(b);
    CHECK(revision(b) == next);
    check_data(b);
    // One that keeps its state elsewhere starts at the next reset.
    package[offsetof(firmware_package, layout)] ^= 1;
    seal(package);
    download(b, package);
    REQUIRE(commit(b, store, 3) == 0);
    CHECK(commit(b, activate_now, 3) == NVME_SC_FIRMWARE_NEEDS_RESET);
    CHECK(slots(b) == (2 | 3 << 4));
    reset(b);
    CHECK(slots(b) == 3);
    check_data(b);
    REQUIRE(commit(b, activate_now, 1) == 0); // back to the built-in one
    CHECK(revision(b) == first);
    check_data(b);
}

namespace {

/// What a server with --image does: follows the drive from its first start, and keeps it once.
bool keep_with_new_firmware(const std::string& path)
{
    conformance_bench b;
    std::string failure;
    platform::drive_image image(path, b.drive().config(), [&](const auto& why) { failure = why; });
    const bool filled = image.fill(b.drive());
    b.enable();
    b.create_queues(1, 16);
    write_data(b);
    download(b, hollow_package());
    const bool hollow = commit(b, store, 3) == 0;
    download(b, next_package());
    const bool stored = commit(b, store_and_activate, 2) == 0;
    reset(b);
    const bool runs = revision(b) == next && slots(b) == 2;
    const bool flushed = b.status(1, of(1, command(NVME_IO_FLUSH))) == 0;
    image.commit(b.drive(), [](bool) {});
    return image.finish() && failure.empty() && !filled && hollow && stored && runs && flushed;
}

} // namespace

TEST_CASE("firmware images: slots and what runs outlive the process in the file of --image")
{
    std::string folder = (std::filesystem::temp_directory_path() / "slotsXXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::string path = folder + "/drive.img";
    const pid_t child = ::fork(); // one drive per process
    REQUIRE(child >= 0);
    if (child == 0) {
        bool kept = false;
        try {
            kept = keep_with_new_firmware(path);
        } catch (...) { // of a REQUIRE
        }
        std::_Exit(kept ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    conformance_bench b;
    b.drive().power_off();
    b.run(1000000);
    {
        platform::drive_image image(path, b.drive().config(), [](const auto&) {});
        CHECK(image.fill(b.drive()));
    }
    std::filesystem::remove_all(folder);
    b.drive().power_on();
    b.run(1000);
    b.enable();
    b.create_queues(1, 16);
    CHECK(revision(b) == next);
    CHECK(slots(b) == 2);
    const bytes log = b.log_page(NVME_LOG_FIRMWARE_SLOT, 512);
    CHECK(log[8] == '0');      // slot 1, the built-in image
    CHECK(log[8 + 16] == '9'); // slot 3, that nothing ever started
    check_data(b);
    REQUIRE(commit(b, activate, 1) == 0);
    reset(b);
    CHECK(revision(b) == first);
    check_data(b);
}

} // namespace ssdvp::test::conformance_firmware_test
