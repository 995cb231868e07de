// SPDX-License-Identifier: Apache-2.0
//
// Mailboxes between cores (firmware/drv/mailbox.h): a full ring, its end, and the order.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

extern "C" {
#include "firmware/drv/cores.h"
#include "firmware/drv/mailbox.h"
#include "firmware/lib/arena.h"
}
#include "models/regs/irq_regs.h"

namespace ssdvp::test {
namespace {

struct surroundings {
    std::vector<std::uint8_t> sram = std::vector<std::uint8_t>(1 << 20);
    std::vector<std::uint64_t> knocked; // addresses of doorbells
    int fences = 0;
    std::uint32_t core = 0;
    arenas memory{};
    hal_ops ops{};
    hal port{&ops, this, sram.data(), nullptr};
    env e{};
    mailbox dut{};

    surroundings()
    {
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
        ops.write32 = [](void* self, std::uint64_t address, std::uint32_t) {
            static_cast<surroundings*>(self)->knocked.push_back(address);
        };
        ops.fence = [](void* self) { ++static_cast<surroundings*>(self)->fences; };
        ops.core = [](void* self) { return static_cast<surroundings*>(self)->core; };
        e.hal = &port;
        e.sram = sram.data();
        e.arenas = &memory;
        arenas_init(&e, sram.size(), 64, 4096);
    }
    void open(std::uint32_t least)
    {
        REQUIRE(mailbox_init(&e, &dut, least, sizeof(std::uint64_t), 2) == 0);
    }
    bool send(std::uint64_t value)
    {
        auto* m = static_cast<std::uint64_t*>(mailbox_next(&e, &dut));
        if (m == nullptr) {
            return false;
        }
        *m = value;
        mailbox_send(&e, &dut);
        return true;
    }
    /// Empty: nothing is there.
    std::vector<std::uint64_t> take(std::size_t most)
    {
        std::vector<std::uint64_t> taken;
        for (const void* m; taken.size() < most && (m = mailbox_first(&e, &dut)) != nullptr;) {
            taken.push_back(*static_cast<const std::uint64_t*>(m));
            mailbox_take(&e, &dut);
        }
        return taken;
    }
};

using messages = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("mailbox: what is not published is not there, a doorbell for all that is")
{
    surroundings s;
    s.open(8);
    CHECK(s.send(1));
    CHECK(s.send(2));
    CHECK(mailbox_unpublished(&s.dut));
    CHECK(s.take(9).empty());
    CHECK(s.knocked.empty());
    mailbox_publish(&s.e, &s.dut);
    CHECK(s.knocked == messages{MAP_IRQ_BASE + 2 * IRQ_CORE_STRIDE + IRQ_REG_DOORBELL});
    CHECK(s.send(3));
    CHECK(s.take(9) == messages{1, 2});
    CHECK(s.take(9).empty());
    mailbox_publish(&s.e, &s.dut);
    CHECK(s.take(9) == messages{3});
    CHECK_FALSE(mailbox_unpublished(&s.dut));
}

TEST_CASE("mailbox: a full ring takes nothing until a message has been taken")
{
    surroundings s;
    s.open(5); // rounded up to 8
    for (std::uint64_t i = 0; i < 8; ++i) {
        CHECK(mailbox_spacious(&s.e, &s.dut) == (i <= 4));
        REQUIRE(s.send(i));
    }
    CHECK_FALSE(s.send(8));
    mailbox_publish(&s.e, &s.dut);
    CHECK_FALSE(s.send(8));
    CHECK(s.take(1) == messages{0});
    CHECK(s.send(8));
    CHECK_FALSE(s.send(9));
    mailbox_publish(&s.e, &s.dut);
    CHECK(s.take(9) == messages{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("mailbox: indices wrap at 2^32, messages stay in order")
{
    surroundings s;
    s.open(4);
    s.dut.sent = s.dut.tail = s.dut.head = 0xFFFFFFFEu;
    for (std::uint64_t i = 0; i < 4; ++i) {
        REQUIRE(s.send(i));
    }
    CHECK_FALSE(s.send(4));
    CHECK(s.dut.sent == 2);
    mailbox_publish(&s.e, &s.dut);
    CHECK(s.take(3) == messages{0, 1, 2});
    CHECK(s.send(4));
    mailbox_publish(&s.e, &s.dut);
    CHECK(s.take(9) == messages{3, 4});
}

TEST_CASE("mailbox: any interleaving of sender and receiver keeps every message, once, in order")
{
    surroundings s;
    s.open(16);
    std::mt19937_64 random(7);
    std::uint64_t sent = 0;
    std::uint64_t seen = 0;
    for (int round = 0; round < 20000; ++round) {
        for (std::uint64_t n = random() % 6; n != 0 && s.send(sent); --n) {
            ++sent;
        }
        if (random() % 3 == 0 && mailbox_unpublished(&s.dut)) {
            mailbox_publish(&s.e, &s.dut);
        }
        for (const std::uint64_t value : s.take(random() % 6)) {
            REQUIRE(value == seen);
            ++seen;
        }
    }
    CHECK(seen > 20000);
    CHECK(sent - seen <= 16);
}

TEST_CASE("cores: one fence for all that a core has sent, none when it has sent nothing")
{
    surroundings s;
    cores c{};
    boot_params p{};
    p.cores = 3;
    p.core_roles[0] = BOOT_ROLE_HOST;
    p.core_roles[1] = BOOT_ROLE_FTL;
    p.core_roles[2] = BOOT_ROLE_FLASH;
    s.e.cores = &c;
    s.core = 1;
    REQUIRE(cores_init(&s.e, &p, 64, 100) == 0);
    CHECK(c.operations.entries == 128);
    CHECK(c.events.to == 1);
    CHECK(c.orders.to == 0);
    CHECK(cores_roles(&s.e, &p) == BOOT_ROLE_FTL);
    cores_start(&s.e);
    CHECK((s.e.host_remote == 1 && s.e.flash_remote == 1));
    CHECK(s.knocked.size() == 2);
    CHECK(s.fences == 1);
    cores_post(&s.e);
    CHECK(s.fences == 1);
    cores_message(&s.e, &c.orders);
    cores_message(&s.e, &c.operations);
    cores_message(&s.e, &c.completions); // of the flash core's
    cores_post(&s.e);
    CHECK(s.fences == 2);
    CHECK(s.knocked.size() == 4);
    CHECK_FALSE(mailbox_unpublished(&c.orders));
    CHECK_FALSE(mailbox_unpublished(&c.operations));
    CHECK(mailbox_unpublished(&c.completions));
    CHECK(cores_agree(&p) == 1);
    p.core_roles[2] = BOOT_ROLE_HOST; // twice, and no flash role
    CHECK(cores_agree(&p) == 0);
    p.core_roles[2] = BOOT_ROLE_FLASH | BOOT_ROLE_HOST;
    CHECK(cores_agree(&p) == 0);
    p.cores = 4;
    CHECK(cores_agree(&p) == 0);
    p.cores = 1;
    CHECK(cores_agree(&p) == 1);
    CHECK(cores_roles(&s.e, &p) == BOOT_ROLE_ALL);
}

} // namespace ssdvp::test
