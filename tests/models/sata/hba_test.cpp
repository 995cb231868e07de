// SPDX-License-Identifier: Apache-2.0
//
// The AHCI adapter against AHCI 1.3.1, without any driver.
#include "tests/models/sata/hba_bench.h"

namespace hba_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint8_t READ_DMA_EXT = 0x25;
constexpr std::uint8_t WRITE_DMA_EXT = 0x35;
constexpr std::uint8_t READ_FPDMA = 0x60;
constexpr std::uint8_t WRITE_FPDMA = 0x61;
constexpr std::uint8_t IDENTIFY = 0xEC;
constexpr std::uint8_t FLUSH_EXT = 0xEA;

using bytes = std::vector<unsigned char>;

bytes part(const bytes& all, std::size_t from, std::size_t length)
{
    return {all.begin() + static_cast<std::ptrdiff_t>(from),
            all.begin() + static_cast<std::ptrdiff_t>(from + length)};
}

} // namespace

TEST_CASE("ahci: the link comes up, the signature ends BSY and says what is there")
{
    hba_bench b;
    CHECK(b.get(AHCI_REG_PXSSTS) == 0);
    CHECK(b.get(AHCI_REG_PXTFD) == 0x7F);
    b.set_places();
    b.run(1_ms);
    CHECK(b.get(AHCI_REG_PXSSTS) == 0x133); // active, 6 Gb/s, device and Phy
    CHECK((b.get(AHCI_REG_PXTFD) & fis::STATUS_BSY) != 0);
    CHECK(b.get(AHCI_REG_PXSERR) == (AHCI_PXSERR_X | AHCI_PXSERR_N));
    CHECK(b.get(AHCI_REG_PXIS) == (AHCI_PXIS_PCS | AHCI_PXIS_PRCS));
    CHECK(b.get(AHCI_REG_PXSIG) == 0xFFFFFFFF);
    b.device.send_signature();
    b.run();
    CHECK(b.get(AHCI_REG_PXTFD) == 0x150);
    CHECK(b.get(AHCI_REG_PXSIG) == AHCI_SIGNATURE_DISK);
    CHECK(b.memory.at(b.fis_area + AHCI_RFIS_D2H)[0] == fis::REGISTER_D2H);
    b.put(AHCI_REG_PXIS, ~0u);
    CHECK(b.get(AHCI_REG_PXIS) == (AHCI_PXIS_PCS | AHCI_PXIS_PRCS)); // they follow PxSERR
    b.put(AHCI_REG_PXSERR, ~0u);
    CHECK(b.get(AHCI_REG_PXIS) == 0);
    CHECK(b.messages.empty()); // no interrupt was enabled
}

TEST_CASE("ahci: commands go out in the order of the slots, each when BSY is clear")
{
    hba_bench b;
    b.start();
    for (const std::uint32_t slot : {3u, 7u, 30u}) {
        b.command(slot, READ_FPDMA, {{b.data, 512}});
    }
    b.issue(1u << 3 | 1u << 7 | 1u << 30, true);
    for (const std::uint32_t slot : {3u, 7u, 30u}) {
        b.run();
        REQUIRE(!b.device.frames.empty());
        CHECK(b.device.frames.back().slot == slot);
        CHECK(b.device.frames.back().command.count == slot << 3);
        CHECK((b.get(AHCI_REG_PXTFD) & fis::STATUS_BSY) != 0);
        CHECK((b.get(AHCI_REG_PXCMD) & AHCI_PXCMD_CCS_MASK) == slot << AHCI_PXCMD_CCS_SHIFT);
        const std::size_t before = b.device.frames.size();
        b.run(100_us);
        CHECK(b.device.frames.size() == before); // BSY
        b.device.send_register(0x50);
    }
    b.run();
    CHECK(b.get(AHCI_REG_PXCI) == 0);
    CHECK(b.get(AHCI_REG_PXSACT) == (1u << 3 | 1u << 7 | 1u << 30));
    CHECK(b.messages.empty()); // D2H without I
    // Behind slot 30 comes 31, then 0: nobody starves.
    for (const std::uint32_t slot : {0u, 31u}) {
        b.command(slot, READ_FPDMA, {{b.data, 512}});
    }
    b.issue(1u | 1u << 31, true);
    b.run();
    CHECK(b.device.frames.back().slot == 31);
    b.device.send_register(0x50);
    b.run();
    CHECK(b.device.frames.back().slot == 0);
}

TEST_CASE("ahci: a read by DMA goes where its descriptors say, and ends with one interrupt")
{
    hba_bench b;
    b.start();
    const bytes all = hba_bench::pattern(4096);
    b.command(
        5, READ_DMA_EXT,
        {{b.data + 2, 2}, {b.data + 0x1000, 510}, {b.data + 0x4000, 3072}, {b.data + 0x8000, 512}});
    b.issue(1u << 5, false);
    b.run();
    b.device.send_data(part(all, 0, 1000)); // ends within the third
    b.device.send_data(part(all, 1000, 3096));
    b.device.send_register(0x50, true);
    b.run();
    CHECK(b.holds(b.data + 2, part(all, 0, 2)));
    CHECK(b.holds(b.data + 0x1000, part(all, 2, 510)));
    CHECK(b.holds(b.data + 0x4000, part(all, 512, 3072)));
    CHECK(b.holds(b.data + 0x8000, part(all, 3584, 512)));
    CHECK(b.moved(5) == 4096);
    CHECK(b.get(AHCI_REG_PXCI) == 0);
    CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_DHRS);
    CHECK(b.get(AHCI_REG_IS) == 1);
    CHECK(b.messages.size() == 1);
    b.clear_interrupts();
    b.run();
    CHECK(b.get(AHCI_REG_IS) == 0);
    CHECK(b.messages.empty());
}

TEST_CASE("ahci: a descriptor with I interrupts when it is done")
{
    hba_bench b;
    b.start();
    b.command(0, READ_DMA_EXT, {{b.data, 512, true}, {b.data + 512, 512}});
    b.issue(1, false);
    b.run();
    b.device.send_data(bytes(512, 1));
    b.run();
    CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_DPS);
    CHECK(b.messages.size() == 1);
    b.clear_interrupts();
    b.device.send_data(bytes(512, 2));
    b.run();
    CHECK(b.get(AHCI_REG_PXIS) == 0);
}

TEST_CASE("ahci: 32 tags end in any order, one by one and several at a time")
{
    hba_bench b;
    b.start();
    for (std::uint32_t tag = 0; tag < 32; ++tag) {
        b.command(tag, READ_FPDMA, {{b.data + std::uint64_t{tag} * 4096, 4096}});
    }
    b.issue(~0u, true);
    for (std::uint32_t tag = 0; tag < 32; ++tag) {
        b.run(2_us);
        REQUIRE(b.device.frames.size() == tag + 1);
        b.device.send_register(0x50);
    }
    b.run();
    std::uint32_t with_device = ~0u;
    for (std::uint32_t i = 0; i < 32; ++i) {
        const std::uint32_t tag = i * 21 % 32; // each once
        b.device.send_setup(tag, 4096, true);
        b.device.send_data(hba_bench::pattern(4096, tag));
        if (i % 3 == 0 || i == 31) { // else the next frame tells of it
            const std::uint32_t ended = i == 0 ? 1u << tag : [&] {
                std::uint32_t mask = 0;
                for (std::uint32_t k = i == 31 ? 31 : i - 2; k <= i; ++k) {
                    mask |= 1u << k * 21 % 32;
                }
                return mask;
            }();
            b.device.send_bits(ended);
            with_device &= ~ended;
            b.run(30_us);
            CHECK(b.get(AHCI_REG_PXSACT) == with_device);
            CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_SDBS);
            CHECK(b.messages.size() == 1);
            b.clear_interrupts();
        }
    }
    CHECK(with_device == 0);
    for (std::uint32_t tag = 0; tag < 32; ++tag) {
        CHECK(b.holds(b.data + std::uint64_t{tag} * 4096, hba_bench::pattern(4096, tag)));
        CHECK(b.moved(tag) == 4096);
    }
}

TEST_CASE("ahci: writes by queue: a Data FIS for each activation, 8 KiB at most")
{
    hba_bench b;
    b.start();
    const bytes all = hba_bench::pattern(20480);
    std::memcpy(b.memory.at(b.data), all.data(), all.size());
    b.command(9, WRITE_FPDMA, {{b.data, 10000}, {b.data + 10000, 10480}}, AHCI_HEADER_W);
    b.issue(1u << 9, true);
    b.run();
    b.device.send_register(0x50);
    b.device.send_setup(9, 20480, false);
    b.run();
    REQUIRE(b.device.frames.size() == 1); // not activated yet
    for (const std::uint32_t length : {8192u, 8192u, 4096u}) {
        b.device.send(fis::dma_activate{});
        b.run(30_us);
        CHECK(b.device.frames.back().type == fis::DATA);
        CHECK(b.device.frames.back().data.size() == length);
        b.device.next = now();
    }
    bytes got;
    for (std::size_t i = 1; i < b.device.frames.size(); ++i) {
        got.insert(got.end(), b.device.frames[i].data.begin(), b.device.frames[i].data.end());
    }
    CHECK(got == all);
    CHECK(b.moved(9) == 20480);
    b.device.send_bits(1u << 9);
    b.run();
    CHECK(b.get(AHCI_REG_PXSACT) == 0);
}

TEST_CASE("ahci: with auto-activate the first Data FIS needs no activation, and offsets count")
{
    hba_bench b;
    b.start();
    const bytes all = hba_bench::pattern(8192);
    std::memcpy(b.memory.at(b.data), all.data(), all.size());
    b.command(2, WRITE_FPDMA, {{b.data, 8192}}, AHCI_HEADER_W);
    b.issue(1u << 2, true);
    b.run();
    b.device.send_register(0x50);
    b.device.send_setup(2, 4096, false, true, 4096);
    b.run();
    CHECK(b.device.frames.back().data == part(all, 4096, 4096));
    b.device.next = now();
    b.device.send_setup(2, 4096, false, true, 0);
    b.run();
    CHECK(b.device.frames.back().data == part(all, 0, 4096));
}

TEST_CASE("ahci: a command goes out between the data of others")
{
    hba_bench b;
    b.start();
    b.command(0, WRITE_FPDMA, {{b.data, 8192}}, AHCI_HEADER_W);
    b.command(1, READ_FPDMA, {{b.data, 512}});
    b.issue(1, true);
    b.run();
    b.device.send_register(0x50);
    const sata::sent s = b.device.send_setup(0, 8192, false, true);
    b.run(s.arrival + 1_us - now()); // the Data FIS is on the wire
    b.issue(2, true);
    b.run(30_us);
    REQUIRE(b.device.frames.size() == 3);
    CHECK(b.device.frames[1].type == fis::DATA);
    CHECK(b.device.frames[2].type == fis::REGISTER_H2D);
    CHECK(b.device.frames[2].slot == 1);
}

TEST_CASE("ahci: PIO in: the status of the end comes with the last byte")
{
    hba_bench b;
    b.start();
    b.command(0, IDENTIFY, {{b.data, 512}});
    b.issue(1, false);
    b.run();
    fis::pio_setup p;
    p.flags = fis::FLAG_TO_HOST | fis::FLAG_INTERRUPT;
    p.status = 0x58;
    p.end_status = 0x50;
    p.transfer_count = 512;
    b.device.send(p);
    b.run();
    CHECK((b.get(AHCI_REG_PXTFD) & 0xFF) == 0x58);
    CHECK(b.get(AHCI_REG_PXCI) == 1);
    CHECK(b.messages.empty());
    b.device.next = now();
    b.device.send_data(hba_bench::pattern(512));
    b.run();
    CHECK((b.get(AHCI_REG_PXTFD) & 0xFF) == 0x50);
    CHECK(b.get(AHCI_REG_PXCI) == 0);
    CHECK(b.get(AHCI_REG_PXIS) == AHCI_PXIS_PSS);
    CHECK(b.holds(b.data, hba_bench::pattern(512)));
    CHECK(b.memory.at(b.fis_area + AHCI_RFIS_PIO_SETUP)[0] == fis::PIO_SETUP);
}

TEST_CASE("ahci: PIO out sends what the PIO Setup asks for")
{
    hba_bench b;
    b.start();
    const bytes all = hba_bench::pattern(1024);
    std::memcpy(b.memory.at(b.data), all.data(), all.size());
    b.command(0, 0x30, {{b.data, 1024}}, AHCI_HEADER_W);
    b.issue(1, false);
    b.run();
    for (std::size_t at : {0u, 512u}) {
        fis::pio_setup p;
        p.status = 0x58;
        p.end_status = 0xD0; // busy with it
        p.transfer_count = 512;
        b.device.send(p);
        b.run();
        CHECK(b.device.frames.back().data == part(all, at, 512));
        CHECK((b.get(AHCI_REG_PXTFD) & 0xFF) == 0xD0);
        b.device.next = now();
    }
    b.device.send_register(0x50, true);
    b.run();
    CHECK(b.get(AHCI_REG_PXCI) == 0);
}

TEST_CASE("ahci: a write by DMA without queue")
{
    hba_bench b;
    b.start();
    const bytes all = hba_bench::pattern(12288);
    std::memcpy(b.memory.at(b.data), all.data(), all.size());
    b.command(1, WRITE_DMA_EXT, {{b.data, 12288}}, AHCI_HEADER_W);
    b.issue(2, false);
    b.run();
    for (int i = 0; i < 2; ++i) {
        b.device.send(fis::dma_activate{});
        b.run(30_us);
        b.device.next = now();
    }
    REQUIRE(b.device.frames.size() == 3);
    CHECK(b.device.frames[1].data == part(all, 0, 8192));
    CHECK(b.device.frames[2].data == part(all, 8192, 4096));
    b.device.send_register(0x50, true);
    b.run();
    CHECK(b.get(AHCI_REG_PXCI) == 0);
}

TEST_CASE("ahci: data that end within a word: filled up, and cut off")
{
    hba_bench b;
    b.start();
    const bytes all = hba_bench::pattern(514);
    std::memcpy(b.memory.at(b.data), all.data(), all.size());
    b.command(1, WRITE_DMA_EXT, {{b.data, 514}}, AHCI_HEADER_W);
    b.issue(2, false);
    b.run();
    b.device.send(fis::dma_activate{});
    b.run();
    REQUIRE(b.device.frames.back().data.size() == 516);
    CHECK(part(b.device.frames.back().data, 0, 514) == all);
    CHECK(part(b.device.frames.back().data, 514, 2) == bytes(2, 0));
    CHECK(b.moved(1) == 514);
    b.device.next = now();
    b.device.send_register(0x50, true);
    b.run();
    b.command(2, READ_FPDMA, {{b.data + 4096, 512}});
    b.issue(4, true);
    b.run();
    b.device.send_register(0x50);
    b.device.send_setup(2, 510, true);
    b.device.send_data(hba_bench::pattern(512, 9));
    b.run();
    CHECK(b.moved(2) == 510);
    CHECK(b.holds(b.data + 4096, part(hba_bench::pattern(512, 9), 0, 510)));
    CHECK(b.memory.at(b.data + 4096)[510] == 0);
}

} // namespace hba_test
