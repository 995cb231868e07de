// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/models/host_standin.h"

namespace host_driver_test {

using namespace ssdvp;
using namespace ssdvp::test;
using host::request_kind;

namespace {

sim_time part(const host::request_result& r, latency_part p)
{
    return r.parts[static_cast<std::size_t>(p)];
}

std::string first_fault(const bench& b)
{
    return b.faults.faults().empty() ? std::string() : b.faults.faults().front().what;
}

} // namespace

TEST_CASE("initialisation follows the step table")
{
    bench b;
    b.drive.queue_pairs = 2;
    b.build();
    REQUIRE(b.start());
    const std::vector<std::uint8_t> expected = {
        NVME_ADMIN_IDENTIFY,  NVME_ADMIN_IDENTIFY,  NVME_ADMIN_SET_FEATURES, NVME_ADMIN_CREATE_CQ,
        NVME_ADMIN_CREATE_CQ, NVME_ADMIN_CREATE_SQ, NVME_ADMIN_CREATE_SQ};
    CHECK(b.drv->admin == expected);
    // Reset first, then three vectors of four words, the admin queues, and enable last.
    REQUIRE(b.drv->register_writes.size() == 1 + 12 + 3 + 1);
    CHECK(b.drv->register_writes.front() == NVME_REG_CC);
    CHECK(b.drv->register_writes[1] == NVME_REG_MSIX_TABLE);
    CHECK(b.drv->register_writes.back() == NVME_REG_CC);
    CHECK(b.drv->cc == (NVME_CC_EN | 6u << 16 | 4u << 20));
    CHECK(b.host->capacity() == b.device.capacity);
    CHECK(b.host->drive().info().max_transfer == 128 * 1024);
    CHECK(b.host->drive().info().model == "stand-in");
    CHECK(b.host->drive().info().deallocate);
    CHECK(b.faults.count() == 0);
}

TEST_CASE("a controller that never becomes ready is given up after CAP.TO")
{
    bench b;
    b.device.never_ready = true;
    b.device.timeout_units = 3;
    b.build();
    CHECK_FALSE(b.start());
    CHECK_FALSE(b.host->ready());
    CHECK(first_fault(b).find("step \"enable\"") != std::string::npos);
    CHECK(first_fault(b).find("1500 ms") != std::string::npos);
    CHECK(now() >= 1500_ms);
    CHECK(now() < 1501_ms);
    CHECK_FALSE(sc_core::sc_pending_activity());
}

TEST_CASE("a controller fatal status is a fault with its step")
{
    bench b;
    b.device.fatal = true;
    b.build();
    CHECK_FALSE(b.start());
    CHECK(first_fault(b).find("step \"enable\": controller fatal status") != std::string::npos);
}

TEST_CASE("a controller with short queues is refused")
{
    bench b;
    b.drive.queue_entries = 65;
    b.device.entries = 64;
    b.build();
    CHECK_FALSE(b.start());
    CHECK(first_fault(b).find("65 entries asked for, the controller takes 64") !=
          std::string::npos);
}

TEST_CASE("a controller that grants too few queues is refused")
{
    bench b;
    b.drive.queue_pairs = 4;
    b.device.queue_pairs = 3;
    b.build();
    CHECK_FALSE(b.start());
    CHECK(first_fault(b).find("4 I/O queue pairs asked for, the controller grants 3") !=
          std::string::npos);
}

TEST_CASE("a namespace with other blocks than 512 bytes is refused")
{
    bench b;
    b.device.lbads = 12;
    b.build();
    CHECK_FALSE(b.start());
    CHECK(first_fault(b).find("2^12 bytes") != std::string::npos);
}

TEST_CASE("a request's latency is submit + drive + complete, and its parts sum to it")
{
    bench b;
    b.build();
    REQUIRE(b.start());
    hand client;
    const sim_time begin = now();
    REQUIRE(b.host->submit(make(request_kind::read, 8, 8), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(client.results.size() == 1);
    const host::request_result& r = client.results[0];
    CHECK(r.submitted == begin + 300_ns);
    CHECK(r.completed == begin + 300_ns + 10_us + 700_ns);
    CHECK(part(r, latency_part::queue) == 300_ns);
    CHECK(part(r, latency_part::array) == 10_us);
    CHECK(part(r, latency_part::completion) == 700_ns);
    CHECK(sum(r.parts) == r.latency());
    CHECK(b.done.results.size() == 1);
    CHECK(b.faults.count() == 0);
}

TEST_CASE("a completion is not taken before its bytes have arrived")
{
    // Its entry is in memory at once, annotated 10 us later; an earlier message must not reap it.
    bench b;
    b.drive.complete_latency = 0_ns;
    b.device.early_bytes = true;
    b.build();
    REQUIRE(b.start());
    b.drv->latencies[NVME_IO_READ] = {5_us, 12_us};
    hand client;
    const sim_time begin = now();
    for (std::uint64_t i = 0; i < 2; ++i) {
        REQUIRE(b.host->submit(make(request_kind::read, i * 8, 8), nullptr, client, i));
    }
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(client.results.size() == 2);
    CHECK(client.results[0].completed == begin + 300_ns + 5_us);
    CHECK(client.results[1].completed == begin + 300_ns + 12_us);
}

TEST_CASE("PRP entries by transfer size")
{
    bench b;
    b.build();
    REQUIRE(b.start());
    hand client;
    const std::vector<std::uint32_t> sizes = {1, 8, 9, 16, 17, 256};
    for (const std::uint32_t sectors : sizes) {
        REQUIRE(b.host->submit(make(request_kind::write, 0, sectors), nullptr, client, 0));
        b.host->ring();
        sc_core::sc_start();
    }
    REQUIRE(b.drv->commands.size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const standin::seen& s = b.drv->commands[i];
        const std::size_t pages = (sizes[i] + 7) / 8;
        CHECK((s.sqe.cdw12 & 0xFFFF) + 1 == sizes[i]);
        CHECK(s.sqe.prp1 % 4096 == 0);
        CHECK((s.sqe.prp2 == 0) == (pages == 1));
        REQUIRE(s.pages.size() == pages);
        for (std::size_t p = 1; p < pages; ++p) {
            CHECK(s.pages[p] == s.sqe.prp1 + p * 4096);
        }
        if (pages > 2) {
            CHECK(s.sqe.prp2 != s.pages[1]); // a list, not a page
        }
    }
    CHECK(b.drv->tags[255] == make_tag(255, 1));
    CHECK(b.drv->tags[0] == make_tag(0, 6));
}

TEST_CASE("a request beyond MDTS is split, and ends with its last command")
{
    bench b;
    b.device.mdts = 1; // 8 KiB
    b.build();
    REQUIRE(b.start());
    b.drv->latencies[NVME_IO_WRITE] = {30_us, 10_us, 20_us};
    hand client;
    const sim_time begin = now();
    REQUIRE(b.host->submit(make(request_kind::write, 100, 40), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(b.drv->commands.size() == 3);
    CHECK(b.drv->commands[0].sqe.cdw10 == 100);
    CHECK(b.drv->commands[1].sqe.cdw10 == 116);
    CHECK(b.drv->commands[2].sqe.cdw10 == 132);
    CHECK((b.drv->commands[2].sqe.cdw12 & 0xFFFF) + 1 == 8);
    REQUIRE(client.results.size() == 1);
    CHECK(client.results[0].completed == begin + 300_ns + 30_us + 700_ns);
    CHECK(part(client.results[0], latency_part::array) == 30_us);
    CHECK(sum(client.results[0].parts) == client.results[0].latency());
    CHECK(b.drv->tags.size() == 40);
    CHECK(b.drv->tags[139] == make_tag(139, 1));
}

TEST_CASE("a split request that waits for entries counts the wait as queue")
{
    bench b;
    b.device.mdts = 1;
    b.drive.queue_entries = 2; // one command at a time
    b.build();
    REQUIRE(b.start());
    hand client;
    const sim_time begin = now();
    REQUIRE(b.host->submit(make(request_kind::read, 0, 48), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(client.results.size() == 1);
    const host::request_result& r = client.results[0];
    const sim_time command = 300_ns + 10_us + 700_ns;
    CHECK(r.completed == begin + 3 * command);
    CHECK(part(r, latency_part::queue) == 2 * command + 300_ns);
    CHECK(part(r, latency_part::array) == 10_us);
    CHECK(sum(r.parts) == r.latency());
    CHECK(b.host->check().sectors_checked() == 48);
}

TEST_CASE("requests take the queue pairs in turn")
{
    bench b;
    b.drive.queue_pairs = 3;
    b.build();
    REQUIRE(b.start());
    hand client;
    for (std::uint64_t i = 0; i < 7; ++i) {
        REQUIRE(b.host->submit(make(request_kind::read, i * 8, 8), nullptr, client, i));
    }
    b.host->ring();
    sc_core::sc_start();
    std::map<unsigned, unsigned> per_queue;
    for (const standin::seen& s : b.drv->commands) {
        ++per_queue[s.queue];
        CHECK((s.sqe.cdw10 / 8) % 3 + 1 == s.queue);
    }
    CHECK(per_queue[1] == 3);
    CHECK(per_queue[2] == 2);
    CHECK(per_queue[3] == 2);
    CHECK(client.results.size() == 7);
}

TEST_CASE("one tail doorbell for each batch, one head doorbell for each reaping")
{
    bench b;
    b.device.coalesce = true;
    b.build();
    REQUIRE(b.start());
    hand client;
    b.drv->doorbells.clear();
    const std::uint64_t activations = b.host->total_activations();
    for (std::uint64_t i = 0; i < 20; ++i) {
        REQUIRE(b.host->submit(make(request_kind::read, i * 8, 8), nullptr, client, i));
    }
    b.host->ring();
    b.host->ring(); // nothing new: nothing rung
    sc_core::sc_start();
    REQUIRE(b.drv->doorbells.size() == 2);
    CHECK_FALSE(b.drv->doorbells[0].completion);
    CHECK(b.drv->doorbells[0].value == 20);
    CHECK(b.drv->doorbells[1].completion);
    CHECK(b.drv->doorbells[1].value == 20);
    CHECK(client.results.size() == 20);
    CHECK(client.batches == 1);
    CHECK(b.host->total_activations() == activations + 1);
}

TEST_CASE("queues wrap, and requests wait in order when they are full")
{
    bench b;
    b.drive.queue_entries = 4; // three commands at a time
    b.build();
    REQUIRE(b.start());
    hand client;
    const unsigned count = 50;
    for (std::uint64_t i = 0; i < count; ++i) {
        REQUIRE(b.host->submit(make(request_kind::write, i * 8, 8), nullptr, client, i));
    }
    CHECK(b.host->drive().in_flight() == count);
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(client.results.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
        CHECK(client.results[i].req.lba == i * 8);
        CHECK(client.results[i].sequence == i);
        CHECK(sum(client.results[i].parts) == client.results[i].latency());
        CHECK(b.drv->commands[i].sqe.cid < 3);
    }
    // 17 rounds of three: the last two wait for sixteen rounds before theirs.
    const sim_time round = 300_ns + 10_us + 700_ns;
    CHECK(client.results.back().latency() == 17 * round);
    CHECK(b.host->drive().idle());
    CHECK(b.faults.count() == 0);
}

TEST_CASE("what waits is bounded, and room is announced")
{
    bench b;
    b.drive.queue_entries = 2;
    b.build();
    REQUIRE(b.start());
    hand client;
    unsigned taken = 0;
    while (b.host->submit(make(request_kind::read, 0, 1), nullptr, client, 0)) {
        ++taken;
    }
    CHECK(taken == 1 + host::driver::waiting_capacity);
    hand refused;
    CHECK_FALSE(b.host->submit(make(request_kind::read, 0, 1), nullptr, refused, 0));
    b.host->ring();
    sc_core::sc_start(sc_core::sc_time(12, sc_core::SC_US));
    CHECK(refused.batches == 1);
    CHECK(b.host->drive().accepts());
}

TEST_CASE("commands carry what the specification says")
{
    bench b;
    b.build();
    REQUIRE(b.start());
    hand client;
    host::request fua = make(request_kind::write, 0x123456, 8);
    fua.fua = true;
    b.device.capacity = 1u << 30;
    REQUIRE(b.host->submit(make(request_kind::write, 16, 8), nullptr, client, 0));
    fua.lba = 32;
    REQUIRE(b.host->submit(fua, nullptr, client, 0));
    REQUIRE(b.host->submit(make(request_kind::flush, 0, 0), nullptr, client, 0));
    REQUIRE(b.host->submit(make(request_kind::trim, 16, 8), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(b.drv->commands.size() == 4);
    CHECK((b.drv->commands[0].sqe.cdw12 & NVME_RW_FUA) == 0);
    CHECK((b.drv->commands[1].sqe.cdw12 & NVME_RW_FUA) != 0);
    CHECK(b.drv->commands[2].sqe.opcode == NVME_IO_FLUSH);
    CHECK(b.drv->commands[2].sqe.nsid == 1);
    CHECK(b.drv->commands[3].sqe.opcode == NVME_IO_DSM);
    CHECK(b.drv->commands[3].sqe.cdw10 == 0);
    CHECK(b.drv->commands[3].sqe.cdw11 == NVME_DSM_DEALLOCATE);
    CHECK(b.drv->tags.count(16) == 0);
    CHECK(b.drv->tags.count(32) == 1);
}

TEST_CASE("an error status reaches the result and is no data fault")
{
    bench b;
    b.build();
    REQUIRE(b.start());
    hand client;
    b.drv->failing.insert(64);
    REQUIRE(b.host->submit(make(request_kind::read, 64, 8), nullptr, client, 0));
    REQUIRE(b.host->submit(make(request_kind::write, 64, 8), nullptr, client, 0));
    REQUIRE(b.host->submit(make(request_kind::read, b.device.capacity, 8), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(client.results.size() == 3);
    CHECK(client.results[0].status == NVME_SC_UNRECOVERED_READ_ERROR);
    CHECK(client.results[1].status == NVME_SC_WRITE_FAULT);
    CHECK(client.results[2].status == NVME_SC_LBA_OUT_OF_RANGE);
    CHECK(b.faults.count() == 0);
    CHECK(b.host->check().sectors_checked() == 0);
}

TEST_CASE("a lost write is found by the next read")
{
    bench b;
    b.build();
    REQUIRE(b.start());
    hand client;
    b.drv->drop_writes_of = 83;
    REQUIRE(b.host->submit(make(request_kind::write, 80, 8), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(b.host->submit(make(request_kind::read, 80, 8), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    CHECK(b.host->check().sectors_checked() == 8);
    CHECK(b.host->check().mismatches() == 1);
    REQUIRE(b.faults.count() == 1);
    CHECK(first_fault(b).find("read of sector 83: expected version 1..1, got") !=
          std::string::npos);
}

TEST_CASE("in mode full every byte is written and checked")
{
    bench b;
    b.drive.data = data_mode::full;
    b.build();
    REQUIRE(b.start());
    hand client;
    REQUIRE(b.host->submit(make(request_kind::write, 0, 16), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    CHECK(host::shadow::sector_holds(b.drv->sectors[5].data(), make_tag(5, 1)));
    b.drv->sectors[7][511] ^= 1; // one bit
    REQUIRE(b.host->submit(make(request_kind::read, 0, 16), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    CHECK(b.host->check().sectors_checked() == 16);
    CHECK(b.host->check().mismatches() == 1);
}

TEST_CASE("a client's own data goes there and back")
{
    bench b;
    b.drive.data = data_mode::full;
    b.device.mdts = 1;
    b.build();
    REQUIRE(b.start());
    hand client;
    std::vector<unsigned char> out(40 * sector_size);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<unsigned char>(i * 7 + i / 509);
    }
    std::vector<unsigned char> in(out.size());
    REQUIRE(b.host->submit(make(request_kind::write, 3, 40), out.data(), client, 0));
    b.host->ring();
    sc_core::sc_start();
    REQUIRE(b.host->submit(make(request_kind::read, 3, 40), in.data(), client, 0));
    b.host->ring();
    sc_core::sc_start();
    CHECK(in == out);
    CHECK(b.host->check().sectors_checked() == 0);
}

TEST_CASE("in mode none nothing is checked")
{
    bench b;
    b.drive.data = data_mode::none;
    b.build();
    REQUIRE(b.start());
    hand client;
    REQUIRE(b.host->submit(make(request_kind::read, 0, 8), nullptr, client, 0));
    b.host->ring();
    sc_core::sc_start();
    CHECK(client.results.size() == 1);
    CHECK(b.host->check().sectors_checked() == 0);
}

TEST_CASE("shutdown deletes the queues and waits for CSTS.SHST")
{
    bench b;
    b.drive.queue_pairs = 2;
    b.build();
    REQUIRE(b.start());
    b.drv->admin.clear();
    bool ok = false;
    b.host->shutdown([&](bool result) { ok = result; });
    sc_core::sc_start();
    CHECK(ok);
    CHECK_FALSE(b.host->ready());
    const std::vector<std::uint8_t> expected = {NVME_ADMIN_DELETE_SQ, NVME_ADMIN_DELETE_SQ,
                                                NVME_ADMIN_DELETE_CQ, NVME_ADMIN_DELETE_CQ};
    CHECK(b.drv->admin == expected);
    CHECK((b.drv->cc & NVME_CC_SHN_MASK) == 1u << NVME_CC_SHN_SHIFT);
}

TEST_CASE("a shutdown that hangs is a fault")
{
    bench b;
    b.device.shutdown_hangs = true;
    b.build();
    REQUIRE(b.start());
    bool ok = true;
    b.host->shutdown([&](bool result) { ok = result; });
    sc_core::sc_start();
    CHECK_FALSE(ok);
    CHECK(first_fault(b).find("step \"shut down\"") != std::string::npos);
}

TEST_CASE("host memory refuses what it does not hold")
{
    bench b;
    b.build();
    tlm::tlm_generic_payload gp;
    unsigned char bytes[16] = {};
    gp.set_data_ptr(bytes);
    gp.set_streaming_width(16);
    gp.set_command(tlm::TLM_READ_COMMAND);
    auto status = [&](std::uint64_t address, unsigned length) {
        gp.set_address(address);
        gp.set_data_length(length);
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        sc_core::sc_time delay;
        b.drv->host->b_transport(gp, delay);
        return gp.get_response_status();
    };
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const std::uint64_t end = host::memory::base + b.host->ram().allocated();
    CHECK(status(end - 16, 16) == tlm::TLM_OK_RESPONSE);
    CHECK(status(end - 15, 16) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status(host::memory::base - 1, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status(~0ull - 7, 16) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status(host::memory::msi_base, 4) == tlm::TLM_GENERIC_ERROR_RESPONSE); // a read
    const std::uint64_t more = b.host->ram().allocate(1);
    CHECK(more == end);
    CHECK(status(end + 4080, 16) == tlm::TLM_OK_RESPONSE);
}

} // namespace host_driver_test
