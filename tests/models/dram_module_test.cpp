// SPDX-License-Identifier: Apache-2.0
//
// The DRAM block with banks, seen from a socket.
#include <catch2/catch.hpp>
#include <vector>

#include "models/dram/dram.h"
#include "tests/models/dram_support.h"
#include "tests/support/memory_access.h"

namespace dram_module_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

dram::dram_config config()
{
    dram::dram_config c = dram::test::standard_config(dram::dram_standard::ddr3);
    c.capacity = 1 << 20;
    c.controller_latency = 20_ns;
    return c;
}

struct bench : sc_core::sc_module {
    fault_log faults;
    dram::dram dut{"dut", config()};
    test::register_master port{"port"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(4096, 0xA5);

    explicit bench(const sc_core::sc_module_name& name) : sc_module(name)
    {
        port.out.bind(dut.in);
        dut.check_commands(&faults);
    }
    sim_time access(tlm::tlm_command c, std::uint64_t address, unsigned length, sim_time start)
    {
        bytes.resize(length, 0xA5);
        return test::access_early(port, c, address, bytes, start);
    }
};

} // namespace

TEST_CASE("dram block: a transfer with banks takes its commands and the controller's latency")
{
    bench b("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    // ACT, tRCD 13.75, tCWL 10, burst 5; controller 20.
    CHECK(b.access(tlm::TLM_WRITE_COMMAND, 0, 32, 1_us) == 1_us + 48750_ps);
    CHECK(b.dut.data()[31] == 0xA5);
    CHECK(b.access(tlm::TLM_READ_COMMAND, 0, 32, 2_us) == 2_us + 38750_ps);
    CHECK(b.access(tlm::TLM_READ_COMMAND, 0, 0, 2_us) == 2_us + 20_ns); // nothing to move
    const dram::dram_stats s = b.dut.stats();
    CHECK(s.banks);
    CHECK(s.row_hits == 1);
    CHECK(s.bytes_written == 32);
    REQUIRE(b.dut.checker() != nullptr);
    sc_core::sc_start((3_us).to_sc());
    CHECK(b.dut.stats().bursts_read == 1);   // and all commands are told by then
    CHECK(b.dut.checker()->commands() == 3); // ACT, WR, RD
    CHECK(b.faults.count() == 0);
}

TEST_CASE("dram block: power goes, and nothing is promised to anybody")
{
    bench b("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b.access(tlm::TLM_WRITE_COMMAND, 0, 4096, 0_ns);
    b.access(tlm::TLM_WRITE_COMMAND, 8192, 4096, 0_ns);
    b.dut.power_off();
    CHECK(b.dut.data()[0] == 0);
    CHECK(b.dut.stats().busy == sim_time());
    CHECK(b.access(tlm::TLM_READ_COMMAND, 0, 32, 0_ns) == 52500_ps);
}

} // namespace dram_module_test
