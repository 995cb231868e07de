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
