// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>

#include "models/common/data_mode.h"

namespace common_data_mode_test {

using namespace ssdvp;

namespace {

constexpr std::size_t length = 3 * sector_size;
using bytes = std::array<unsigned char, length>;

bytes filled(unsigned first)
{
    bytes b{};
    for (std::size_t i = 0; i < length; ++i) {
        b[i] = static_cast<unsigned char>(first + i * 7);
    }
    return b;
}

/// What a transfer in `mode` must leave: `from` where the mode carries a byte, `to` elsewhere.
bytes expected(data_mode mode, const bytes& to, const bytes& from)
{
    bytes b = to;
    for (std::size_t i = 0; i < length; ++i) {
        const bool carried =
            mode == data_mode::full || (mode == data_mode::tag && i % sector_size < tag_size);
        b[i] = carried ? from[i] : to[i];
    }
    return b;
}

} // namespace

TEST_CASE("a tag holds 40 bits of address and 24 of version, 0 is never written", "[data_mode]")
{
    CHECK(make_tag(5, 3) == (5ull << 24 | 3));
    CHECK(make_tag(5, 0) == 0);
    CHECK(make_tag(0, 1) == 1);
    CHECK(make_tag((1ull << 40) - 1, tag_version_mask) == UINT64_MAX);
    CHECK(make_tag(1, tag_version_mask + 2) == (1ull << 24 | 1)); // the version wraps, not the lba
}

TEST_CASE("a payload moves exactly the bytes its mode enables", "[data_mode]")
{
    const data_mode mode = GENERATE(data_mode::none, data_mode::tag, data_mode::full);
    const bytes ours = filled(1);
    const bytes theirs = filled(101);
    bytes data = ours;
    bytes storage = theirs;
    tlm::tlm_generic_payload gp;
    gp.set_data_ptr(data.data());
    gp.set_data_length(length);
    set_byte_enables(gp, mode);
    SECTION("write")
    {
        gp.set_write();
        transfer(gp, storage.data());
        CHECK(storage == expected(mode, theirs, ours));
        CHECK(data == ours);
    }
    SECTION("read")
    {
        gp.set_read();
        transfer(gp, storage.data());
        CHECK(data == expected(mode, ours, theirs));
        CHECK(storage == theirs);
    }
    SECTION("copy_payload agrees")
    {
        copy_payload(mode, storage.data(), data.data(), length);
        CHECK(storage == expected(mode, theirs, ours));
    }
}

TEST_CASE("foreign byte enables are honoured with their period", "[data_mode]")
{
    unsigned char enables[3] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED, TLM_BYTE_DISABLED};
    bytes data = filled(1);
    bytes storage{};
    tlm::tlm_generic_payload gp;
    gp.set_write();
    gp.set_data_ptr(data.data());
    gp.set_data_length(7);
    gp.set_byte_enable_ptr(enables);
    gp.set_byte_enable_length(3);
    transfer(gp, storage.data());
    for (std::size_t i = 0; i < length; ++i) {
        CHECK(storage[i] == (i < 7 && i % 3 == 0 ? data[i] : 0));
    }
}

TEST_CASE("byte enables tell the truth about the length", "[data_mode]")
{
    CHECK(byte_enables(data_mode::full) == nullptr);
    for (const data_mode mode : {data_mode::none, data_mode::tag}) {
        const unsigned char* pattern = byte_enables(mode);
        unsigned enabled = 0;
        for (unsigned i = 0; i < sector_size; ++i) {
            enabled += pattern[i] == TLM_BYTE_ENABLED ? 1 : 0;
        }
        CHECK(enabled == (mode == data_mode::tag ? tag_size : 0));
    }
}

} // namespace common_data_mode_test
