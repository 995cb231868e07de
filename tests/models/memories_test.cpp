// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "models/common/data_mode.h"
#include "models/dram/dram.h"
#include "models/sram/sram.h"
#include "tests/support/memory_access.h"

namespace memories_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

dram::dram_config config()
{
    dram::dram_config c;
    c.capacity = 1 << 20;
    c.bandwidth = rate(8000000000); // 8 GB/s: 125 ps per byte
    c.efficiency = 0.5;             // 250 ps per byte
    c.latency = 50_ns;
    return c;
}

struct bench : sc_core::sc_module {
    dram::dram dut{"dut", config()};
    test::register_master port{"port"};
    explicit bench(const sc_core::sc_module_name& name) : sc_module(name) { port.out.bind(dut.in); }
};

sim_time access(test::register_master& port, tlm::tlm_command c, std::uint64_t address,
                std::vector<unsigned char>& data, sim_time start)
{
    return test::access_early(port, c, address, data, start);
}

} // namespace

TEST_CASE("a DRAM access takes its latency and its bytes at bandwidth times efficiency")
{
    bench b("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::vector<unsigned char> page(4096, 0xA5);
    CHECK(access(b.port, tlm::TLM_WRITE_COMMAND, 0, page, 0_ns) == 50_ns + 4096 * 250_ps);
    CHECK(b.dut.data()[4095] == 0xA5);
    CHECK(b.dut.stats().bytes_written == 4096);
    CHECK(b.dut.stats().busy == sim_time()); // as its time comes
    sc_core::sc_start((4096 * 250_ps - 1_ps).to_sc());
    CHECK(b.dut.stats().busy == 4096 * 250_ps - 1_ps);
    sc_core::sc_start((1_us).to_sc());
    CHECK(b.dut.stats().busy == 4096 * 250_ps);
}

TEST_CASE("two masters contend: the second waits for the bus, not for the latency")
{
    bench b("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::vector<unsigned char> page(4000);
    CHECK(access(b.port, tlm::TLM_READ_COMMAND, 0, page, 0_ns) == 1050_ns);
    CHECK(access(b.port, tlm::TLM_READ_COMMAND, 0, page, 0_ns) == 2050_ns);
    // Known in advance to start later; the time before stays usable.
    CHECK(access(b.port, tlm::TLM_READ_COMMAND, 0, page, 10_us) == 11050_ns);
    CHECK(access(b.port, tlm::TLM_READ_COMMAND, 0, page, 0_ns) == 3050_ns);
    CHECK(b.dut.stats().bytes_read == 16000);
}

TEST_CASE("an access past the end is an address error and moves nothing")
{
    bench b("bench");
    unsigned char data[8] = {};
    CHECK(b.port.access(tlm::TLM_READ_COMMAND, (1 << 20) - 4, data, 8, sim_time()) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.port.access(tlm::TLM_READ_COMMAND, ~0ull - 3, data, 8, sim_time()) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.dut.stats().bytes_read == 0);
}

TEST_CASE("byte enables reduce what moves, not what it costs")
{
    bench b("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::vector<unsigned char> page(1024, 0x11);
    tlm::tlm_generic_payload gp;
    gp.set_command(tlm::TLM_WRITE_COMMAND);
    gp.set_address(0);
    gp.set_data_ptr(page.data());
    gp.set_data_length(1024);
    gp.set_streaming_width(1024);
    set_byte_enables(gp, data_mode::tag);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    b.port.out->nb_transport_fw(gp, phase, delay);
    CHECK(sim_time::from_sc(delay) == 50_ns + 1024 * 250_ps);
    CHECK(b.dut.data()[7] == 0x11);
    CHECK(b.dut.data()[8] == 0);
    CHECK(b.dut.data()[512] == 0x11);
    CHECK(b.dut.data()[520] == 0);
}

TEST_CASE("SRAM answers after its latency and grants DMI")
{
    sram::sram dut("sram", 4096, 4_ns);
    test::register_master port("port");
    port.out.bind(dut.in);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    CHECK(port.write(16, 0x12345678) == tlm::TLM_OK_RESPONSE);
    CHECK(port.last_delay == 4_ns);
    tlm::tlm_generic_payload gp;
    gp.set_address(16);
    tlm::tlm_dmi dmi;
    REQUIRE(port.out->get_direct_mem_ptr(gp, dmi));
    CHECK(dmi.get_dmi_ptr()[16] == 0x78);
    CHECK(dmi.get_end_address() == 4095);
    CHECK(port.write(4096, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("power goes: bytes are zero, and nothing is promised to anybody")
{
    bench b("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::vector<unsigned char> page(4000, 0xA5);
    access(b.port, tlm::TLM_WRITE_COMMAND, 0, page, 0_ns);
    access(b.port, tlm::TLM_WRITE_COMMAND, 8192, page, 0_ns);
    sc_core::sc_start((300_ns).to_sc());
    b.dut.power_off();
    CHECK(b.dut.data()[0] == 0);
    CHECK(b.dut.data()[8192] == 0);
    CHECK(b.dut.stats().busy == 300_ns); // no more had passed
    CHECK(b.dut.stats().bytes_written == 8000);
    CHECK(access(b.port, tlm::TLM_READ_COMMAND, 0, page, 0_ns) == 1050_ns);
}

} // namespace memories_test
