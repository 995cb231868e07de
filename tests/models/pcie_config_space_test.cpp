// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "models/pcie/config_space.h"

namespace pcie_config_space_test {

using namespace ssdvp;

namespace {

pcie::function_identity nvme()
{
    pcie::function_identity f;
    f.vendor = 0x1B36;
    f.device = 0x0010;
    f.subsystem_vendor = 0x1AF4;
    f.subsystem = 0x1100;
    f.class_code = 0x010802;
    f.revision = 3;
    f.bar_size = 0x4000;
    f.vectors = 9;
    f.msix_table = 0x3000;
    f.msix_pba = 0x2000;
    return f;
}

pcie::function_identity ahci()
{
    pcie::function_identity f = nvme();
    f.class_code = 0x010601;
    f.bar = 5;
    f.bar_size = 0x1000;
    f.vectors = 0;
    return f;
}

/// Offset of a capability, by the list; 0: it is not there.
std::uint32_t capability(const pcie::config_space& c, std::uint32_t id)
{
    std::uint32_t at = c.read(0x34, 1);
    for (int hops = 0; at != 0 && hops < 8; ++hops, at = c.read(at + 1, 1)) {
        if (c.read(at, 1) == id) {
            return at;
        }
    }
    return 0;
}

} // namespace

TEST_CASE("config space: says who the function is, in reads of every length")
{
    const pcie::config_space c(nvme());
    CHECK(c.read(0x00, 4) == 0x00101B36);
    CHECK(c.read(0x00, 2) == 0x1B36);
    CHECK(c.read(0x02, 2) == 0x0010);
    CHECK(c.read(0x08, 4) == 0x01080203); // class code and revision
    CHECK(c.read(0x0B, 1) == 0x01);
    CHECK(c.read(0x0E, 1) == 0x00); // header of type 0
    CHECK(c.read(0x2C, 4) == 0x11001AF4);
    CHECK(c.read(0x3D, 1) == 0x00); // no INTx
    CHECK((c.read(0x06, 2) & 0x10) != 0);
    CHECK(c.read(0xFE, 4) == 0xFFFF0000); // ones behind the end
}

TEST_CASE("config space: a BAR is sized by ones and placed by its base")
{
    pcie::config_space c(nvme());
    c.write(0x10, 0xFFFFFFFF, 4);
    CHECK(c.read(0x10, 4) == 0xFFFFC000);
    c.write(0x10, 0xFEB04000, 4);
    CHECK(c.base() == 0xFEB04000);
    c.write(0x14, 0xFFFFFFFF, 4); // there is no other one
    CHECK(c.read(0x14, 4) == 0);
    pcie::config_space a(ahci());
    a.write(0x24, 0xFFFFFFFF, 4);
    CHECK(a.base() == 0xFFFFF000);
    a.write(0x10, 0xFFFFFFFF, 4);
    CHECK(a.read(0x10, 4) == 0);
}

TEST_CASE("config space: what is read-only stays, byte by byte")
{
    pcie::config_space c(nvme());
    c.write(0x00, 0x12345678, 4);
    CHECK(c.read(0x00, 4) == 0x00101B36);
    CHECK_FALSE(c.memory_enabled());
    c.write(0x04, 0x06, 1);
    CHECK(c.memory_enabled());
    CHECK(c.bus_master());
    c.write(0x05, 0xFF, 1); // the low byte stays
    CHECK(c.bus_master());
    CHECK(c.read(0x04, 2) == 0x0506);
    c.reset();
    CHECK_FALSE(c.bus_master());
    CHECK(c.read(0x10, 4) == 0);
}

TEST_CASE("config space: MSI-X says how many vectors there are and where its table is")
{
    pcie::config_space c(nvme());
    const std::uint32_t at = capability(c, 0x11);
    REQUIRE(at != 0);
    CHECK((c.read(at + 2, 2) & 0x7FF) == 8); // zero-based
    CHECK(c.read(at + 4, 4) == 0x3000);
    CHECK(c.read(at + 8, 4) == 0x2000);
    CHECK_FALSE(c.messages_enabled());
    c.write(at + 2, 0x8000, 2);
    CHECK(c.messages_enabled());
    CHECK_FALSE(c.function_masked());
    c.write(at + 2, 0xC000, 2);
    CHECK(c.function_masked());
    CHECK((c.read(at + 2, 2) & 0x7FF) == 8);
    CHECK(capability(c, 0x05) == 0);
    CHECK(capability(c, 0x01) != 0);
}

TEST_CASE("config space: a function without MSI-X has one message by MSI")
{
    pcie::config_space c(ahci());
    const std::uint32_t at = capability(c, 0x05);
    REQUIRE(at != 0);
    CHECK(capability(c, 0x11) == 0);
    c.write(at + 4, 0xFEE01004, 4);
    c.write(at + 8, 1, 4);
    c.write(at + 12, 0x4041, 2);
    CHECK(c.message_address() == 0x1FEE01004);
    CHECK(c.message_data() == 0x4041);
    CHECK_FALSE(c.messages_enabled());
    c.write(at + 2, 1, 2);
    CHECK(c.messages_enabled());
    CHECK_FALSE(c.function_masked());
}

} // namespace pcie_config_space_test
