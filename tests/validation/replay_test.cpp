// SPDX-License-Identifier: Apache-2.0
//
// A recording makes firmware do the same again; where it does something else, that is found.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/regs/choices/ftl_scheme.h"
#include "tests/support/ram_nand.h"
#include "tests/validation/host_machine.h"
#include "tests/validation/recorder.h"
#include "tests/validation/timing_cases.h"

namespace ssdvp::test {
namespace {

/// In the test's folder; gone with it.
class recording_file {
public:
    recording_file()
        : m_path("replay_test-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))
    {}
    ~recording_file() { std::remove(m_path.c_str()); }
    recording_file(const recording_file&) = delete;
    recording_file& operator=(const recording_file&) = delete;
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

struct recorded {
    std::vector<char> bytes;
    std::uint64_t calls = 0;
    telemetry counters{};
};

recorded record(const std::string& scheme, const std::string& mix, std::uint64_t commands)
{
    recording_file file;
    recorded out;
    ram_config c = timing_drive(scheme);
    recorder r(c, file.path());
    {
        timing_host h(c);
        age(h);
        h.settle();
        r.mark(RECORDING_START);
        run_mix(h, mix, commands, 1);
        r.mark(RECORDING_STOP);
        h.settle();
        out.counters = h.counters();
        std::vector<std::uint8_t> bytes(sizeof(telemetry));
        std::memcpy(bytes.data(), &out.counters, bytes.size());
        r.expect(MAP_SRAM_BASE + BOOT_TELEMETRY_OFFSET, bytes.data(), bytes.size());
    }
    r.close();
    out.calls = r.calls();
    std::ifstream in(file.path(), std::ios::binary);
    out.bytes.assign(std::istreambuf_iterator<char>(in), {});
    return out;
}

/// Number of calls that the firmware made.
std::uint64_t play(const std::vector<char>& bytes)
{
    host_machine m;
    m.bytes = bytes;
    return m.play(&ssdvp_firmware);
}

} // namespace

TEST_CASE("a recording makes firmware make the same calls and leave the same counters")
{
    const std::string scheme = GENERATE("page_map", "dftl", "vm_map", "log_set", "bast");
    const recorded r = record(scheme, "varied", 200);
    CHECK(play(r.bytes) >= r.calls);
}

TEST_CASE("every scheme has what its name promises to do in the cases")
{
    for (const std::string& scheme : timing_schemes()) {
        INFO(scheme);
        const telemetry t = record(scheme, "random_write", 600).counters;
        const bool placed = timing_drive(scheme).params.ftl.scheme >= FTL_SCHEME_MSBS;
        CHECK((placed ? t.merges_full + t.merges_partial + t.merges_switch : t.gc_runs) > 3);
        CHECK((scheme != "dftl" || t.map_misses > 100));
    }
}

TEST_CASE("the mixes do what their names say")
{
    const telemetry reads = record("page_map", "random_read", 100).counters;
    const telemetry writes = record("page_map", "random_write", 100).counters;
    const telemetry varied = record("page_map", "varied", 100).counters;
    CHECK(reads.host_units_written < writes.host_units_written);
    CHECK(reads.trimmed_units == 0);
    CHECK(varied.trimmed_units > 0);
}

TEST_CASE("another answer, a missing end and another file are found")
{
    const recorded r = record("page_map", "random_read", 20);
    std::vector<char> bytes = r.bytes;

    SECTION("counters in memory that firmware did not leave")
    {
        const char* first = reinterpret_cast<const char*>(&r.counters);
        const auto at = std::search(bytes.begin(), bytes.end(), first, first + sizeof r.counters);
        REQUIRE(at != bytes.end());
        *at ^= 1;
        CHECK_THROWS_WITH(play(bytes), Catch::Contains("other bytes in memory"));
    }
    SECTION("cut short")
    {
        bytes.resize(bytes.size() / 2);
        CHECK_THROWS_WITH(play(bytes), Catch::Contains("ends before the firmware does"));
    }
    SECTION("no recording")
    {
        bytes[0] ^= 1;
        CHECK_THROWS_WITH(play(bytes), Catch::Contains("no recording of this version"));
    }
    SECTION("another drive: the first number of its boot parameters that counts, the channels")
    {
        // header, kind, address, size; then boot_params
        const std::size_t channels = 16 + 1 + 8 + 4 + offsetof(boot_params, geometry.channels);
        REQUIRE(bytes[channels] == 2);
        bytes[channels] = 1;
        CHECK_THROWS_WITH(play(bytes), Catch::Contains("firmware"));
    }
}

} // namespace ssdvp::test
