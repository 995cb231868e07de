// SPDX-License-Identifier: Apache-2.0
//
// Mailboxes between cores (firmware/drv/mailbox.h): a full ring, its end, and the order; who is
// rung for, and what the roles know of each other (firmware/drv/cores.h).
#include <catch2/catch.hpp>
#include <random>
#include <vector>

extern "C" {
#include "firmware/drv/cores.h"
#include "firmware/drv/front_end.h"
#include "firmware/drv/mailbox.h"
#include "firmware/lib/arena.h"
}
#include "models/regs/boot_params.h"
#include "models/regs/irq_regs.h"

namespace ssdvp::test::mailbox_test {
namespace {

struct surroundings {
    std::vector<std::uint8_t> sram = std::vector<std::uint8_t>(1 << 20);
    std::vector<std::uint64_t> knocked; // addresses of doorbells
    int fences = 0;
    int waits = 0;
    std::uint32_t core = 0;
    arenas memory{};
    hal_ops ops{};
    hal port{&ops, this, sram.data(), nullptr, 0};
    env e{};
    mailbox dut{};

    surroundings()
    {
        ops.panic = [](void*, const char*, int, const char* what) { FAIL(what); };
        ops.write32 = [](void* self, std::uint64_t address, std::uint32_t) {
            static_cast<surroundings*>(self)->knocked.push_back(address);
        };
        ops.wait_irq = [](void* self) {
            ++static_cast<surroundings*>(self)->waits;
            return std::uint64_t{1} << IRQ_LINE_NVME;
        };
        ops.fence = [](void* self) { ++static_cast<surroundings*>(self)->fences; };
        ops.core = [](void* self) { return static_cast<surroundings*>(self)->core; };
        e.hal = &port;
        env_windows(&e, sram.data(), nullptr);
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
    mailbox_show(&s.e, &s.dut);
    mailbox_knock(&s.e, s.dut.to);
    CHECK(s.knocked == messages{MAP_IRQ_BASE + 2 * IRQ_CORE_STRIDE + IRQ_REG_DOORBELL});
    CHECK(s.send(3));
    CHECK(s.take(9) == messages{1, 2});
    CHECK(s.take(9).empty());
    mailbox_show(&s.e, &s.dut);
    mailbox_knock(&s.e, s.dut.to);
    CHECK(s.take(9) == messages{3});
    CHECK_FALSE(mailbox_unpublished(&s.dut));
}

TEST_CASE("mailbox: a full ring takes nothing until a message has been taken")
{
    surroundings s;
    s.open(5); // rounded up to 8
    for (std::uint64_t i = 0; i < 8; ++i) {
        CHECK(mailbox_spacious(&s.dut) == (i <= 4));
        REQUIRE(s.send(i));
    }
    CHECK_FALSE(s.send(8));
    mailbox_show(&s.e, &s.dut);
    mailbox_knock(&s.e, s.dut.to);
    CHECK_FALSE(s.send(8));
    CHECK(s.take(1) == messages{0});
    CHECK(s.send(8));
    CHECK_FALSE(s.send(9));
    mailbox_show(&s.e, &s.dut);
    mailbox_knock(&s.e, s.dut.to);
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
    mailbox_show(&s.e, &s.dut);
    mailbox_knock(&s.e, s.dut.to);
    CHECK(s.take(3) == messages{0, 1, 2});
    CHECK(s.send(4));
    mailbox_show(&s.e, &s.dut);
    mailbox_knock(&s.e, s.dut.to);
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
            mailbox_show(&s.e, &s.dut);
            mailbox_knock(&s.e, s.dut.to);
        }
        for (const std::uint64_t value : s.take(random() % 6)) {
            REQUIRE(value == seen);
            ++seen;
        }
    }
    CHECK(seen > 20000);
    CHECK(sent - seen <= 16);
}

namespace {

/// Three cores with a role each, apart; the second one, of the ftl role, runs.
struct parted : surroundings {
    cores c{};
    front_end fe{};
    boot_params p{};

    parted()
    {
        p.cores.count = 3;
        p.cores.roles[0] = BOOT_ROLE_HOST;
        p.cores.roles[1] = BOOT_ROLE_FTL;
        p.cores.roles[2] = BOOT_ROLE_FLASH;
        e.cores = &c;
        e.front_end = &fe;
        core = 1;
        REQUIRE(cores_init(&e, &p, 64, 100) == 0);
        cores_start(&e);
    }
    static std::uint64_t doorbell(std::uint32_t of)
    {
        return MAP_IRQ_BASE + of * IRQ_CORE_STRIDE + IRQ_REG_DOORBELL;
    }
};

} // namespace

TEST_CASE("cores: one fence for all that a core has sent, none when it has sent nothing")
{
    parted s;
    CHECK(s.c.operations.entries == 128);
    CHECK(s.c.events.to == 1);
    CHECK(s.c.orders.to == 0);
    CHECK(cores_roles(&s.e, &s.p) == BOOT_ROLE_FTL);
    CHECK((s.e.host_remote == 1 && s.e.flash_remote == 1));
    CHECK(s.knocked.size() == 2);
    CHECK(s.fences == 1);
    cores_post(&s.e);
    CHECK(s.fences == 1);
    cores_message(&s.e, &s.c.orders);
    cores_message(&s.e, &s.c.operations);
    cores_message(&s.e, &s.c.completions); // of the flash core's
    cores_post(&s.e);
    CHECK(s.fences == 2);
    CHECK_FALSE(mailbox_unpublished(&s.c.orders));
    CHECK_FALSE(mailbox_unpublished(&s.c.operations));
    CHECK(mailbox_unpublished(&s.c.completions));
}

TEST_CASE("cores: only who sleeps is rung for, once whatever it is sent")
{
    parted s;
    s.knocked.clear();
    cores_message(&s.e, &s.c.orders);
    cores_post(&s.e);
    CHECK(s.knocked.empty()); // the host's core is awake
    s.c.rests[0] = 1;
    cores_message(&s.e, &s.c.orders);
    cores_message(&s.e, &s.c.operations);
    cores_post(&s.e);
    CHECK(s.knocked == std::vector<std::uint64_t>{parted::doorbell(0)});
}

TEST_CASE("cores: with messages there a core goes on, and looks at its lines every second time")
{
    parted s;
    s.knocked.clear();
    const auto rests = [&] { return s.c.rests[1]; };
    CHECK(cores_wait(&s.e) == std::uint64_t{1} << IRQ_LINE_NVME);
    CHECK((s.waits == 1 && rests() == 0));
    cores_message(&s.e, &s.c.events);
    CHECK(cores_wait(&s.e) != 0); // not published
    mailbox_show(&s.e, &s.c.events);
    CHECK(cores_wait(&s.e) == 0);
    CHECK((s.waits == 2 && rests() == 0));
    CHECK(s.knocked.empty());
    CHECK(cores_wait(&s.e) != 0); // it has to ring for itself
    CHECK(s.waits == 3);
    CHECK(s.knocked == std::vector<std::uint64_t>{parted::doorbell(1)});
    CHECK(cores_wait(&s.e) == 0);
    mailbox_taken(&s.e, &s.c.events, mailbox_end(&s.c.events));
    CHECK(cores_wait(&s.e) != 0);
    CHECK(s.knocked.size() == 1);
}

TEST_CASE("cores: the ftl role sees moves done when the host role's messages come, not before")
{
    parted s;
    s.fe.move_entries = 512;
    s.fe.moves_most = 512;
    REQUIRE(front_end_pass_read(&s.e, 3, 0) == 1);
    REQUIRE(front_end_pass_read(&s.e, 4, 1) == 1);
    CHECK(front_end_moving(&s.e) == 2);
    s.fe.moved = 2;
    CHECK(front_end_moving(&s.e) == 2);
    s.core = 0;
    cores_post(&s.e); // nothing to tell
    CHECK(front_end_moving(&s.e) == 2);
    cores_message(&s.e, &s.c.events);
    cores_post(&s.e);
    CHECK(front_end_moving(&s.e) == 0);
}

TEST_CASE("cores: a read is passed on only where the mover ring has room")
{
    parted s;
    s.fe.move_entries = 4;
    s.fe.moves_most = 4;
    CHECK(front_end_pass_read(&s.e, 0, 1) == 1);
    CHECK(front_end_pass_read(&s.e, 1, 1) == 1);
    CHECK(front_end_pass_read(&s.e, 2, 1) == 1);
    CHECK(front_end_pass_read(&s.e, 3, 1) == 0);
    s.fe.move_entries = 8;
    s.fe.moves_most = 8;
    s.fe.backlog_count = 1; // others wait
    CHECK(front_end_pass_read(&s.e, 3, 1) == 0);
}

TEST_CASE("cores: each role is on one core")
{
    parted s;
    boot_params& p = s.p;
    CHECK(cores_agree(&p) == 1);
    p.cores.roles[2] = BOOT_ROLE_HOST; // twice, and no flash role
    CHECK(cores_agree(&p) == 0);
    p.cores.roles[2] = BOOT_ROLE_FLASH | BOOT_ROLE_HOST;
    CHECK(cores_agree(&p) == 0);
    p.cores.count = 4;
    CHECK(cores_agree(&p) == 0);
    p.cores.count = 1;
    CHECK(cores_agree(&p) == 1);
    CHECK(cores_roles(&s.e, &p) == BOOT_ROLE_ALL);
}

} // namespace ssdvp::test::mailbox_test
