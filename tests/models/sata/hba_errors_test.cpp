// SPDX-License-Identifier: Apache-2.0
//
// The AHCI adapter: errors, resets and interrupts (AHCI 1.3.1 sections 6, 10), without any driver.
#include <array>
#include <iterator>

#include "models/common/rng.h"
#include "tests/models/sata/hba_bench.h"

namespace hba_errors_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint8_t READ_DMA_EXT = 0x25;
constexpr std::uint8_t READ_FPDMA = 0x60;
constexpr std::uint8_t FLUSH_EXT = 0xEA;

/// Two tags with the device.
void queue_two(hba_bench& b)
{
    b.start();
    for (const std::uint32_t tag : {4u, 6u}) {
        b.command(tag, READ_FPDMA, {{b.data + std::uint64_t{tag} * 4096, 4096}});
    }
    b.issue(1u << 4 | 1u << 6, true);
    for (int i = 0; i < 2; ++i) {
        b.run();
        b.device.send_register(0x50);
    }
    b.run();
    REQUIRE(b.get(AHCI_REG_PXCI) == 0);
}

/// Stops the port, checks what that leaves, starts it again.
void restart_port(hba_bench& b)
{
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
    CHECK((b.get(AHCI_REG_PXCMD) & (AHCI_PXCMD_CR | AHCI_PXCMD_ST)) == 0);
    CHECK(b.get(AHCI_REG_PXCI) == 0);
    CHECK(b.get(AHCI_REG_PXSACT) == 0);
    b.put(AHCI_REG_PXSERR, ~0u);
    b.clear_interrupts();
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE | AHCI_PXCMD_ST);
    CHECK((b.get(AHCI_REG_PXCMD) & AHCI_PXCMD_CR) != 0);
}

/// A command without data goes through.
void check_serves(hba_bench& b)
{
    b.device.frames.clear();
    b.command(0, FLUSH_EXT, {});
    b.issue(1, false);
    b.run();
    REQUIRE(b.device.frames.size() == 1);
    b.device.send_register(0x50, true);
    b.run();
    CHECK(b.get(AHCI_REG_PXCI) == 0);
    CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_DHRS);
}

} // namespace

TEST_CASE("ahci: an error of a command stops the port until ST is cleared")
{
    hba_bench b;
    b.start();
    b.command(0, READ_DMA_EXT, {{b.data, 512}});
    b.command(1, READ_DMA_EXT, {{b.data, 512}});
    b.issue(3, false);
    b.run();
    b.device.send_register(0x51, true, fis::ERROR_UNC);
    b.run();
    CHECK(b.get(AHCI_REG_PXTFD) == 0x4051);
    CHECK(b.get(AHCI_REG_PXIS) == (AHCI_PXIS_DHRS | AHCI_PXIS_TFES));
    CHECK(b.get(AHCI_REG_PXCI) == 3);
    CHECK(b.messages.size() == 1);
    CHECK(b.device.frames.size() == 1); // slot 1 was not sent
    restart_port(b);
    check_serves(b);
}

TEST_CASE("ahci: an error of a queued command leaves the other tags in PxSACT")
{
    hba_bench b;
    queue_two(b);
    b.device.send_bits(0, 0x41, fis::ERROR_ABRT);
    b.run();
    CHECK(b.get(AHCI_REG_PXTFD) == 0x0441);
    CHECK(b.get(AHCI_REG_PXIS) == (AHCI_PXIS_SDBS | AHCI_PXIS_TFES));
    CHECK(b.get(AHCI_REG_PXSACT) == (1u << 4 | 1u << 6));
    b.command(8, READ_FPDMA, {{b.data, 512}});
    b.issue(1u << 8, true);
    b.device.frames.clear();
    b.run();
    CHECK(b.device.frames.empty());
    restart_port(b);
    check_serves(b);
}

TEST_CASE("ahci: no memory where list, table or data should be")
{
    hba_bench b;
    b.start();
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
    b.put(AHCI_REG_PXCLBU, 0); // nothing below 4 GiB
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE | AHCI_PXCMD_ST);
    b.issue(1, false);
    b.run();
    CHECK((b.get(AHCI_REG_PXIS) & AHCI_PXIS_HBFS) != 0);
    CHECK(b.device.frames.empty());
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
    b.set_places();
    restart_port(b);
    b.command(0, READ_DMA_EXT, {{0x1000, 512}});
    b.issue(1, false);
    b.run();
    b.device.send_data(std::vector<unsigned char>(512, 1));
    b.run();
    CHECK((b.get(AHCI_REG_PXIS) & AHCI_PXIS_HBDS) != 0);
    b.device.send_register(0x50);
    b.run();
    restart_port(b);
    check_serves(b);
}

TEST_CASE("ahci: a command FIS that is none is not sent")
{
    hba_bench b;
    b.start();
    b.command(0, FLUSH_EXT, {});
    ahci_command_header h{};
    std::memcpy(&h, b.memory.at(b.list), sizeof h);
    for (const std::uint16_t length : std::initializer_list<std::uint16_t>{0, 4, 6, 31}) {
        h.flags = length;
        std::memcpy(b.memory.at(b.list), &h, sizeof h);
        b.issue(1, false);
        b.run();
        CHECK((b.get(AHCI_REG_PXIS) & AHCI_PXIS_HBFS) != 0);
        CHECK(b.device.frames.empty());
        restart_port(b);
    }
    check_serves(b);
}

TEST_CASE("ahci: more data than the descriptors hold is an overflow, and memory stays whole")
{
    hba_bench b;
    b.start();
    std::memset(b.memory.at(b.data), 0xEE, 2048);
    b.command(0, READ_DMA_EXT, {{b.data, 512}});
    b.issue(1, false);
    b.run();
    b.device.send_data(std::vector<unsigned char>(1024, 1));
    b.run();
    CHECK((b.get(AHCI_REG_PXIS) & AHCI_PXIS_OFS) != 0);
    CHECK(b.memory.at(b.data)[511] == 1);
    CHECK(b.memory.at(b.data)[512] == 0xEE);
    b.device.send_register(0x50, true);
    b.run();
    CHECK(b.get(AHCI_REG_PXCI) == 0); // no reason to stop
}

TEST_CASE("ahci: frames that the protocol does not have get R_ERR and stop the port")
{
    hba_bench b;
    queue_two(b);
    const auto refused = [&b](const sata::sent& s) {
        CHECK_FALSE(s.ok);
        b.run();
        CHECK((b.get(AHCI_REG_PXIS) & AHCI_PXIS_IFS) != 0);
        CHECK((b.get(AHCI_REG_PXSERR) & AHCI_PXSERR_P) != 0);
        b.put(AHCI_REG_PXSERR, ~0u);
        b.clear_interrupts();
        b.device.next = now();
    };
    refused(b.device.send_setup(5, 4096, true));  // a tag that nobody has
    refused(b.device.send_setup(32, 4096, true)); // no tag
    refused(b.device.send_setup(4, 0, true));
    refused(b.device.send_setup(4, 512, true, false, 2));
    refused(b.device.send(fis::register_h2d{}));
    refused(b.device.send(fis::dma_activate{}));                  // of nothing
    refused(b.device.send_data(std::vector<unsigned char>(512))); // without a DMA Setup
    refused(b.device.send(fis::data_header{}));                   // no data
    refused(b.device.send(fis::pio_setup{}));                     // no command that is not queued
    struct {
        fis::set_device_bits bits;
        std::uint32_t more = 0;
    } longer;
    refused(b.device.send(longer));
    b.device.send_setup(4, 512, true);
    refused(b.device.send_data(std::vector<unsigned char>(1024))); // more than was announced
    CHECK(b.get(AHCI_REG_PXSACT) == (1u << 4 | 1u << 6));
    restart_port(b);
    check_serves(b);
}

TEST_CASE("ahci: an unknown FIS is kept for software")
{
    hba_bench b;
    b.start();
    const std::uint32_t unknown[3] = {0x000000D4, 0x12345678, 0x9ABCDEF0};
    CHECK(b.device.send(unknown).ok);
    b.run();
    CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_UFS);
    CHECK(b.messages.size() == 1);
    CHECK(std::memcmp(b.memory.at(b.fis_area + AHCI_RFIS_UNKNOWN), unknown, sizeof unknown) == 0);
    b.put(AHCI_REG_PXSERR, AHCI_PXSERR_F);
    CHECK(b.get(AHCI_REG_PXIS) == 0);
    b.clear_interrupts();
    check_serves(b);
}

TEST_CASE("ahci: damaged data stop the port, and the damage shows in PxSERR")
{
    sata::link_config l;
    l.crc_error_rate = 0.5;
    hba_bench b(hba_bench::config(), l);
    b.start();
    std::memset(b.memory.at(b.data), 0xEE, 512);
    for (int i = 0; i < 16; ++i) {
        b.command(0, READ_DMA_EXT, {{b.data, 512}});
        b.issue(1, false);
        b.run(50_us);
        b.device.send_data(std::vector<unsigned char>(512, 1));
        b.run(50_us);
        if (!b.device.last.ok) {
            break;
        }
        b.device.send_register(0x50, true);
        b.run(50_us);
        b.clear_interrupts();
        std::memset(b.memory.at(b.data), 0xEE, 512);
    }
    REQUIRE_FALSE(b.device.last.ok);
    CHECK(b.memory.at(b.data)[0] == 0xEE);
    CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_IFS);
    CHECK((b.get(AHCI_REG_PXSERR) & (AHCI_PXSERR_C | AHCI_PXSERR_T)) ==
          (AHCI_PXSERR_C | AHCI_PXSERR_T));
}

TEST_CASE("ahci: a command that the device answers with R_ERR")
{
    hba_bench b;
    b.start();
    b.device.answer = false;
    b.command(0, FLUSH_EXT, {});
    b.issue(1, false);
    b.run();
    CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_IFS);
    CHECK((b.get(AHCI_REG_PXSERR) & AHCI_PXSERR_H) != 0);
}

TEST_CASE("ahci: COMRESET under load: nothing of before counts any more")
{
    hba_bench b;
    queue_two(b);
    b.device.send_setup(4, 4096, true);
    b.device.send_data(hba_bench::pattern(4096));
    b.device.send_bits(1u << 4); // not yet arrived
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
    b.put(AHCI_REG_PXSCTL, 1);
    CHECK((b.get(AHCI_REG_PXSSTS) & 0xF) == 0);
    CHECK(b.get(AHCI_REG_PXTFD) == 0x7F);
    b.run(1_ms);
    CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_PRCS);
    b.put(AHCI_REG_PXSCTL, 0);
    b.run(1_ms);
    CHECK(b.get(AHCI_REG_PXSSTS) == 0x133);
    CHECK((b.get(AHCI_REG_PXTFD) & fis::STATUS_BSY) != 0);
    b.device.next = now();
    b.device.send_signature();
    b.run();
    CHECK(b.get(AHCI_REG_PXSIG) == AHCI_SIGNATURE_DISK);
    restart_port(b);
    check_serves(b);
}

TEST_CASE("ahci: the Phy can be turned off and on again")
{
    hba_bench b;
    b.start();
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
    b.put(AHCI_REG_PXSCTL, 4);
    CHECK((b.get(AHCI_REG_PXSSTS) & 0xF) == 4);
    b.run(1_ms);
    CHECK_FALSE(b.link.up());
    b.put(AHCI_REG_PXSCTL, 0);
    b.run(1_ms);
    CHECK(b.get(AHCI_REG_PXSSTS) == 0x133);
}

TEST_CASE("ahci: software reset: C ends the first half, the signature the second")
{
    hba_bench b;
    b.start();
    b.command(0, 0, {}, AHCI_HEADER_R | AHCI_HEADER_C, fis::CONTROL_SRST);
    b.issue(1, false);
    b.run();
    REQUIRE(b.device.frames.size() == 1);
    CHECK(b.device.frames[0].command.control == fis::CONTROL_SRST);
    CHECK((b.device.frames[0].command.flags & fis::FLAG_COMMAND) == 0);
    CHECK(b.get(AHCI_REG_PXCI) == 0);
    b.command(1, 0, {});
    b.issue(2, false);
    b.run();
    REQUIRE(b.device.frames.size() == 2);
    CHECK(b.device.frames[1].command.control == 0);
    CHECK(b.get(AHCI_REG_PXCI) == 2);
    b.device.send_signature();
    b.run();
    CHECK(b.get(AHCI_REG_PXCI) == 0);
    check_serves(b);
}

TEST_CASE("ahci: what has no effect is ignored: commands of a stopped port, ST without FRE")
{
    hba_bench b;
    b.set_places();
    b.run(1_ms);
    b.device.send_signature();
    b.run();
    b.issue(~0u, true);
    CHECK(b.get(AHCI_REG_PXCI) == 0);
    CHECK(b.get(AHCI_REG_PXSACT) == 0);
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_ST);
    CHECK((b.get(AHCI_REG_PXCMD) & (AHCI_PXCMD_ST | AHCI_PXCMD_CR)) == 0);
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_ST | AHCI_PXCMD_FRE);
    CHECK((b.get(AHCI_REG_PXCMD) & AHCI_PXCMD_CR) != 0);
    b.put(AHCI_REG_PXCMD, AHCI_PXCMD_ST); // FRE goes after ST
    CHECK((b.get(AHCI_REG_PXCMD) & AHCI_PXCMD_FRE) != 0);
    CHECK(b.dut.stats().ignored_writes == 4);
}

TEST_CASE("ahci: GHC.HR: all but the places of list and FIS area is as at power-up")
{
    hba_bench b;
    queue_two(b);
    const std::uint32_t clb = b.get(AHCI_REG_PXCLB);
    b.put(AHCI_REG_GHC, AHCI_GHC_AE | AHCI_GHC_IE | AHCI_GHC_HR);
    CHECK(b.get(AHCI_REG_GHC) == AHCI_GHC_RESET);
    CHECK(b.get(AHCI_REG_PXCMD) == AHCI_PXCMD_RESET);
    CHECK(b.get(AHCI_REG_PXSACT) == 0);
    CHECK(b.get(AHCI_REG_PXIE) == 0);
    CHECK(b.get(AHCI_REG_PXTFD) == AHCI_PXTFD_RESET);
    CHECK(b.get(AHCI_REG_PXCLB) == clb);
    CHECK(b.link.stats().comresets == 1);
    b.run(1_ms);
    CHECK(b.link.up());
}

TEST_CASE("ahci: a message for each edge of what is enabled and pending")
{
    hba_bench b;
    b.start();
    const auto serve = [&b] {
        b.command(0, FLUSH_EXT, {});
        b.issue(1, false);
        b.run();
        b.device.send_register(0x50, true);
        b.run();
    };
    serve();
    CHECK(b.messages.size() == 1);
    serve(); // still pending: no edge
    CHECK(b.messages.size() == 1);
    b.put(AHCI_REG_IS, 1); // the cause is still there
    CHECK(b.get(AHCI_REG_IS) == 1);
    CHECK(b.messages.size() == 2);
    b.clear_interrupts();
    b.put(AHCI_REG_PXIE, 0);
    serve();
    CHECK(b.messages.empty());
    CHECK(b.get(AHCI_REG_IS) == 0);
    b.put(AHCI_REG_PXIE, AHCI_PXIS_DHRS); // enabled late
    CHECK(b.messages.size() == 1);
    b.clear_interrupts();
    b.put(AHCI_REG_GHC, AHCI_GHC_AE);
    serve();
    CHECK(b.messages.empty());
    CHECK(b.get(AHCI_REG_IS) == 1);
    b.put(AHCI_REG_GHC, AHCI_GHC_AE | AHCI_GHC_IE);
    CHECK(b.messages.size() == 1);
}

TEST_CASE("ahci: registers are words of 4 bytes, and end")
{
    hba_bench b;
    std::uint64_t value = 0;
    b.regs.write64(AHCI_REG_PXCLB, value);
    CHECK(b.regs.errors() == 1);
    b.regs.read32(AHCI_REG_PXCLB + 2);
    CHECK(b.regs.errors() == 2);
    b.regs.read32(ahci::hba::window);
    CHECK(b.regs.errors() == 3);
    b.regs.read32(ahci::hba::window - 4);
    CHECK(b.regs.errors() == 3);
}

TEST_CASE("ahci: a read of 4 KiB is the sum of its frames to the picosecond")
{
    hba_bench b;
    b.start();
    b.command(0, READ_FPDMA, {{b.data, 4096}});
    const sata::frame_time& t = b.link.times();
    const std::uint64_t before = b.dut.activations() + b.link.activations();
    const sim_time issued = now();
    b.issue(1, true);
    b.run(issued + 300_ns + t.whole(20) - now());
    REQUIRE(b.device.frames.size() == 1);
    CHECK(b.device.frames[0].arrival == issued + 300_ns + t.whole(20) - t.after());
    b.device.send_register(0x50);
    b.device.send_setup(0, 4096, true);
    b.device.send_data(hba_bench::pattern(4096));
    b.device.send_bits(1);
    b.run();
    REQUIRE(b.messages.size() == 1);
    CHECK(b.messages[0] ==
          issued + 300_ns + 2 * t.whole(20) + t.whole(28) + t.whole(4100) + t.whole(8) - t.after());
    // Command frame, answer, end: of the adapter two, of the link one.
    CHECK(b.dut.activations() + b.link.activations() - before == 3);
}

TEST_CASE("ahci: 20,000 frames at random break nothing that a reset does not mend")
{
    hba_bench b;
    queue_two(b);
    rng random(5);
    constexpr std::uint8_t types[] = {fis::REGISTER_D2H, fis::DMA_ACTIVATE,    fis::DMA_SETUP,
                                      fis::DATA,         fis::PIO_SETUP,       fis::REGISTER_H2D,
                                      fis::DATA,         fis::SET_DEVICE_BITS, 0xD4};
    std::vector<unsigned char> data(fis::DATA_MAX, 0x5A);
    for (int i = 0; i < 20000; ++i) {
        std::array<unsigned char, fis::HEADER_MAX> header{};
        for (unsigned char& byte : header) {
            byte = random.chance(0.5) ? static_cast<unsigned char>(random.below(256)) : 0;
        }
        header[0] = types[random.below(std::size(types))];
        header[4] = static_cast<unsigned char>(random.below(33)); // a tag, where it is one
        sata::frame f;
        f.header = header.data();
        const std::uint32_t size = fis::size_of(header[0]);
        f.header_length = size != 0 && random.chance(0.95)
                              ? size
                              : static_cast<std::uint32_t>(4 * (1 + random.below(7)));
        if (header[0] == fis::DATA && random.chance(0.95)) {
            f.data = data.data();
            f.data_length = static_cast<std::uint32_t>(4 * (1 + random.below(2048)));
        }
        REQUIRE(b.link.send(sata::side::device, f, now()));
        b.run(random.chance(0.5) ? 60_us : 1_us);
        if (random.chance(0.1)) { // software goes on as if nothing had been
            b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
            b.put(AHCI_REG_PXSERR, ~0u);
            b.put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE | AHCI_PXCMD_ST);
            b.command(static_cast<std::uint32_t>(random.below(32)), READ_FPDMA, {{b.data, 8192}});
            b.issue(static_cast<std::uint32_t>(random.below(~0ull)), random.chance(0.7));
        }
    }
    b.put(AHCI_REG_GHC, AHCI_GHC_HR);
    b.run(1_ms);
    b.device.next = now();
    b.start();
    check_serves(b);
}

} // namespace hba_errors_test
