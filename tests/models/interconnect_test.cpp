// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <stdexcept>

#include "models/interconnect/interconnect.h"
#include "models/sram/sram.h"
#include "tests/support/register_master.h"

namespace interconnect_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

struct bench : sc_core::sc_module {
    interconnect::interconnect dut{
        "dut", {"a", "b"}, {{"low", 0x1000, 0x100}, {"high", 0x100000000, 0x200}}};
    sram::sram low{"low", 0x100, 1_ns};
    sram::sram high{"high", 0x200, 2_ns};
    test::register_master a{"a"};
    test::register_master b{"b"};

    explicit bench(const sc_core::sc_module_name& name) : sc_module(name)
    {
        a.out.bind(dut.in(0));
        b.out.bind(dut.in(1));
        dut.out(0).bind(low.in);
        dut.out(1).bind(high.in);
    }
};

} // namespace

TEST_CASE("accesses reach the window they name, rebased, from every master")
{
    bench t("bench");
    CHECK(t.a.write(0x1010, 1) == tlm::TLM_OK_RESPONSE);
    CHECK(t.b.write(0x1000001F0, 2) == tlm::TLM_OK_RESPONSE);
    CHECK(t.low.data()[0x10] == 1);
    CHECK(t.high.data()[0x1F0] == 2);
    CHECK(t.b.read(0x1010) == 1);
    CHECK(t.b.last_delay == 1_ns);
}

TEST_CASE("an access outside every window, or across an end, is an address error")
{
    bench t("bench");
    CHECK(t.a.write(0xFFC, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(t.a.write(0x1100, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(t.a.write(0x10FE, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(t.a.write(0x10FC, 1) == tlm::TLM_OK_RESPONSE);
}

TEST_CASE("windows of one page are told apart, however accesses to them alternate")
{
    interconnect::interconnect dut{"dut", {"a"}, {{"x", 0x1000, 0x10}, {"y", 0x1010, 0x10}}};
    sram::sram x{"x", 0x10, 1_ns};
    sram::sram y{"y", 0x10, 1_ns};
    test::register_master a{"a"};
    a.out.bind(dut.in(0));
    dut.out(0).bind(x.in);
    dut.out(1).bind(y.in);
    for (const std::uint32_t value : {1u, 2u, 3u}) {
        CHECK(a.write(0x1004, value) == tlm::TLM_OK_RESPONSE);
        CHECK(a.write(0x1014, value + 10) == tlm::TLM_OK_RESPONSE);
        CHECK(x.data()[4] == value);
        CHECK(y.data()[4] == value + 10);
    }
    CHECK(a.write(0x1020, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

namespace {

/// Moves so many bytes to the window `low` or `high`, asked for at `at` from now; when they have
/// passed.
sim_time move(test::register_master& m, std::uint64_t address, std::uint32_t bytes, sim_time at)
{
    std::vector<unsigned char> data(bytes);
    tlm::tlm_generic_payload gp;
    gp.set_command(tlm::TLM_WRITE_COMMAND);
    gp.set_address(address);
    gp.set_data_ptr(data.data());
    gp.set_data_length(bytes);
    gp.set_streaming_width(bytes);
    sc_core::sc_time delay = at.to_sc();
    m.out->b_transport(gp, delay);
    REQUIRE(gp.is_response_ok());
    return sim_time::from_sc(delay);
}

/// 8 bytes a nanosecond. The memories take 1 and 2 ns.
struct narrow : sc_core::sc_module {
    interconnect::interconnect dut{"dut",
                                   {"a", "b"},
                                   {{"low", 0x1000, 0x100}, {"high", 0x100000000, 0x200}},
                                   {64, rate(1000000000)}};
    sram::sram low{"low", 0x100, 1_ns};
    sram::sram high{"high", 0x200, 2_ns};
    test::register_master a{"a"};
    test::register_master b{"b"};
    explicit narrow(const sc_core::sc_module_name& name) : sc_module(name)
    {
        a.out.bind(dut.in(0));
        b.out.bind(dut.in(1));
        dut.out(0).bind(low.in);
        dut.out(1).bind(high.in);
    }
};

} // namespace

TEST_CASE("a port moves its width in each cycle, and a target that is slower tells the time")
{
    narrow t("narrow");
    CHECK(move(t.a, 0x1000, 256, 0_ns) == 32_ns);   // 256 bytes of 8 a cycle; the memory takes 1
    CHECK(move(t.a, 0x100000000, 8, 0_ns) == 2_ns); // 1 cycle; the memory takes 2
    CHECK(move(t.a, 0x100000000, 4, 50_ns) == 52_ns);
}

TEST_CASE("who asks for a port waits until the last byte of the other has passed, not longer")
{
    narrow t("narrow");
    CHECK(move(t.a, 0x1000, 200, 10_ns) == 35_ns);  // DMA: 25 cycles
    CHECK(move(t.b, 0x1000, 4, 34999_ps) == 36_ns); // 1 ps too early: from 35 ns on
    narrow u("other");
    CHECK(move(u.a, 0x1000, 200, 10_ns) == 35_ns);
    CHECK(move(u.b, 0x1000, 4, 35_ns) == 36_ns);
    CHECK(move(u.b, 0x100000000, 4, 20_ns) == 22_ns); // another port is free all the time
    CHECK(move(u.b, 0x1000, 4, 5_ns) == 6_ns);        // and so is the time before
}

TEST_CASE("masters of a port get its width times its clock between them")
{
    narrow t("narrow");
    sim_time end;
    for (int i = 0; i < 100; ++i) {
        end = later(end, move(i % 2 == 0 ? t.a : t.b, 0x1000, 64, 0_ns));
    }
    CHECK(end == time_for(100 * 64, rate(8000000000)));
}

TEST_CASE("a crossbar without power has nothing under way")
{
    narrow t("narrow");
    CHECK(move(t.a, 0x1000, 200, 0_ns) == 25_ns);
    t.dut.power_off();
    CHECK(move(t.b, 0x1000, 8, 0_ns) == 1_ns);
}

TEST_CASE("DMI ranges come back in the master's addresses")
{
    bench t("bench");
    tlm::tlm_generic_payload gp;
    gp.set_address(0x100000010);
    gp.set_data_length(4);
    tlm::tlm_dmi dmi;
    REQUIRE(t.a.out->get_direct_mem_ptr(gp, dmi));
    CHECK(dmi.get_start_address() == 0x100000000);
    CHECK(dmi.get_end_address() == 0x1000001FF);
    CHECK(dmi.get_dmi_ptr() == t.high.data());
    CHECK(gp.get_address() == 0x100000010);
}

TEST_CASE("overlapping windows are refused")
{
    using interconnect::window;
    const std::vector<window> windows = {{"x", 0, 0x100}, {"y", 0xFF, 0x10}};
    CHECK_THROWS_AS(interconnect::interconnect("bad", {"a"}, windows), std::invalid_argument);
}

} // namespace interconnect_test
