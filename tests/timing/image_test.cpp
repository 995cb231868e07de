// SPDX-License-Identifier: Apache-2.0
//
// An image of functions so small that their instructions are counted by hand, from the assembly
// that clang 14 writes for each target:
//   sample_add      one addition and the return: 2
//   sample_sum      AArch64, Thumb-2: load with the pointer's step, subtract, add, branch: 4 a
//   round
//                   and 3 around them; RISC-V has no such load: 5 and 3
//   sample_tell     as sample_add: what it tells is not there on a target
//   sample_choose   the longer arm 6; the shorter one 4 on AArch64, where the register that was
//                   compared is the 0 that is returned, else 5
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "firmware/hal/hal.h"
#include "platform/ssd/firmware_error.h"
#include "platform/ssd/firmware_timing.h"

using Catch::Matchers::Contains;
using namespace ssdvp;
using namespace ssdvp::platform;

extern "C" {
extern const fw_timing ssdvp_fw_timing;
std::uint32_t sample_add(std::uint32_t a, std::uint32_t b);
std::uint32_t sample_sum(const std::uint32_t* words, std::uint32_t count);
std::uint32_t sample_choose(std::uint32_t which, std::uint32_t* a, std::uint32_t* b);
void sample_copy(void* to, const void* from, std::size_t bytes);
void sample_set(void* to, int value, std::size_t bytes);
void sample_move(void* to, const void* from, std::size_t bytes);
std::uint64_t sample_divide(std::uint64_t n, std::uint64_t d);
void sample_fence();
std::uint32_t sample_tell(hal* h, std::uint32_t a, std::uint32_t b);
}

namespace {

std::string timing_file()
{
    std::ifstream file(SSDVP_SAMPLE_TIMING, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class Work>
cpu::instruction_charge spent(cpu::instruction_cost& cost, Work work)
{
    cost.charge(cpu::port_call::log);
    work();
    return cost.charge(cpu::port_call::log);
}

struct expected {
    const char* core;
    std::uint64_t add, round, around, longer, shorter;
};

std::string error_of(const std::string& file)
{
    try {
        const firmware_timing timing(ssdvp_fw_timing, file, "image.so.timing");
    } catch (const firmware_error& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("timing: instructions of tiny functions on each target, as counted by hand")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    for (const expected& e : {expected{"cortex-r82", 2, 4, 3, 6, 4},
                              {"rv64", 2, 5, 3, 6, 5},
                              {"cortex-r52", 2, 4, 3, 6, 5},
                              {"rv32", 2, 5, 3, 6, 5}}) {
        CAPTURE(e.core);
        const auto cost = timing.bind(e.core, cpu::core_timing());
        std::uint32_t words[100] = {};
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        CHECK(spent(*cost, [&] { sample_add(a, b); }).instructions == e.add);
        CHECK(spent(*cost, [&] { sample_sum(words, 1); }).instructions == e.round + e.around);
        CHECK(spent(*cost, [&] { sample_sum(words, 100); }).instructions ==
              100 * e.round + e.around);
        CHECK(spent(*cost, [&] { sample_choose(1, &a, &b); }).instructions == e.longer);
        CHECK(spent(*cost, [&] { sample_choose(0, &a, &b); }).instructions == e.shorter);
    }
}

TEST_CASE("timing: cycles by class, issue width and branches taken")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    std::uint32_t words[65] = {};
    const auto cycles = [&](const cpu::core_timing& t) {
        const auto cost = timing.bind("cortex-r82", t);
        const auto few = spent(*cost, [&] { sample_sum(words, 1); }).cycles;
        return spent(*cost, [&] { sample_sum(words, 65); }).cycles - few; // 64 rounds
    };
    cpu::core_timing t;
    CHECK(cycles(t) == 64 * 4);
    t.load = 3;
    CHECK(cycles(t) == 64 * (4 + 2));
    t.taken = 5;
    CHECK(cycles(t) == 64 * (4 + 2 + 5));
    t.issue_width = 2;
    CHECK(static_cast<double>(cycles(t)) == Approx(64 * (2 + 2 + 5)).margin(1)); // parts of one
    t.multiply = 100;                                                            // there is none
    CHECK(static_cast<double>(cycles(t)) == Approx(64 * (2 + 2 + 5)).margin(1));
}

TEST_CASE("timing: a barrier is of the class system")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    cpu::core_timing t;
    t.system = 50;
    for (const char* core : {"cortex-r82", "rv64", "cortex-r52", "rv32"}) {
        const auto cost = timing.bind(core, t);
        const auto c = spent(*cost, [] { sample_fence(); });
        CHECK(c.instructions == 2); // it, and the return
        CHECK(c.cycles == 51);
    }
}

TEST_CASE("timing: what the platform alone is told costs nothing, told or not")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    std::vector<std::uint64_t> told;
    hal_ops ops{};
    hal h{&ops, &told, nullptr, nullptr, 0};
    for (const char* core : {"cortex-r82", "rv64", "cortex-r52", "rv32"}) {
        CAPTURE(core);
        const auto cost = timing.bind(core, cpu::core_timing());
        const auto add = spent(*cost, [] { sample_add(3, 4); }).instructions;
        const auto tell = [&] { return spent(*cost, [&] { sample_tell(&h, 3, 4); }).instructions; };
        ops.touch = nullptr;
        const auto silent = tell();
        CHECK(told.empty());
        ops.touch = [](void* ctx, std::uint64_t address, std::uint32_t bytes, int write) {
            *static_cast<std::vector<std::uint64_t>*>(ctx) = {address, bytes,
                                                              static_cast<std::uint64_t>(write)};
        };
        CHECK(tell() == silent);
        CHECK(told == std::vector<std::uint64_t>{40, 12, 1});
        CHECK(silent == add);
        told.clear();
    }
}

// Beyond three strides of 32 bytes the host's memcpy moves what the port's loop is charged for.
TEST_CASE("timing: a copy costs by its length and alignment, what the port's loop costs")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    const auto cost = timing.bind("cortex-r82", cpu::core_timing());
    alignas(8) unsigned char from[4096];
    alignas(8) unsigned char to[4096] = {};
    std::memset(from, 0xA5, sizeof from);
    const auto copy = [&](std::size_t offset, std::size_t bytes) {
        return spent(*cost, [&] { sample_copy(to + offset, from, bytes); }).instructions;
    };
    const auto stride = copy(0, 95) - copy(0, 63);
    CHECK(stride == 8); // two loads and two stores of 16 bytes, two additions, compare, branch
    CHECK(static_cast<double>(copy(0, 63 + 100 * 32)) ==
          Approx(static_cast<double>(copy(0, 63) + 100 * stride)).margin(1)); // parts of one
    CHECK(copy(4, 3000) < 2 * copy(0, 3000));
    CHECK(copy(1, 3000) > 8 * copy(0, 3000)); // byte by byte
    CHECK(std::memcmp(to, from, 3200) == 0);
}

TEST_CASE("timing: memory functions move words")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    alignas(8) static unsigned char bytes[20000];
    for (const char* core : {"cortex-r82", "rv64", "cortex-r52", "rv32"}) {
        CAPTURE(core);
        const auto cost = timing.bind(core, cpu::core_timing());
        CHECK(spent(*cost, [] { sample_set(bytes, 1, 16384); }).instructions < 16384 / 2);
        CHECK(spent(*cost, [] { sample_move(bytes + 8, bytes, 16384); }).instructions < 2 * 16384);
    }
    CHECK(bytes[16391] == 1);
}

TEST_CASE("timing: memmove moves what overlaps, at any distance and length")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    const auto cost = timing.bind("rv32", cpu::core_timing());
    for (std::size_t bytes = 0; bytes < 300; bytes += 7) {
        for (const std::ptrdiff_t by : {-33, -8, -4, -1, 0, 1, 3, 4, 8, 12, 40, 77, 290}) {
            unsigned char ours[1000];
            unsigned char right[1000];
            for (std::size_t i = 0; i < sizeof ours; ++i) {
                ours[i] = right[i] = static_cast<unsigned char>(i * 37 + i / 256);
            }
            sample_move(ours + 320 + by, ours + 320, bytes);
            std::memmove(right + 320 + by, right + 320, bytes);
            CAPTURE(bytes, by);
            CHECK(std::memcmp(ours, right, sizeof ours) == 0);
        }
    }
}

TEST_CASE("timing: on a core of 32 bits a division by large numbers costs its routine")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    const auto takes = [&timing](const char* core, std::uint64_t n, std::uint64_t d) {
        const auto cost = timing.bind(core, cpu::core_timing());
        return spent(*cost, [&] { CHECK(sample_divide(n, d) == n / d); }).instructions;
    };
    for (const char* core : {"cortex-r82", "rv64"}) {
        CHECK(takes(core, 100, 7) == 2); // the division, the return
        CHECK(takes(core, ~0ull, 7) == 2);
    }
    for (const char* core : {"cortex-r52", "rv32"}) {
        CAPTURE(core);
        CHECK(takes(core, 100, 7) < 25);
        CHECK(takes(core, ~0ull, 7) > 60);
        CHECK(takes(core, ~0ull, 7ull << 40) > 60);
        CHECK(takes(core, ~0ull, 7) < 250);
    }
}

TEST_CASE("timing: a drive with another core is refused while one uses the tables")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    const auto first = timing.bind("rv64", cpu::core_timing());
    CHECK_NOTHROW(timing.bind("rv64", cpu::core_timing()));
    CHECK_THROWS_WITH(timing.bind("rv32", cpu::core_timing()), Contains("another drive"));
}

TEST_CASE("timing: files that do not belong to the image are refused with a remedy")
{
    const std::string whole = timing_file();
    REQUIRE(error_of(whole).empty());
    CHECK_THAT(error_of(""), Contains("is empty") && Contains("scripts/fw-build"));
    CHECK_THAT(error_of(whole.substr(0, whole.size() - 1)), Contains("cut short"));
    CHECK_THAT(error_of("x" + whole), Contains("not a timing file"));
    const auto second = whole.find("SSFWTIM2", 1); // the record of the second source
    REQUIRE(second != std::string::npos);
    std::string damaged = whole;
    damaged[second - 10] = static_cast<char>(damaged[second - 10] ^ 1);
    CHECK_THAT(error_of(damaged), Contains("damaged"));
    CHECK_THAT(error_of(whole.substr(second)), Contains("of another firmware"));
    CHECK_THAT(error_of(whole.substr(0, second)), Contains("of another firmware"));
}

TEST_CASE("timing: a file of the version before is refused by its number")
{
    std::string old = timing_file();
    old[7] = '1'; // SSFWTIM1
    CHECK_THAT(error_of(old),
               Contains("a timing file of version 1, this program reads version 2") &&
                   Contains("build it again") && Contains("scripts/fw-build"));
}

TEST_CASE("timing: a table of another build of the same source is stale")
{
    std::ifstream file(SSDVP_OTHER_TIMING, std::ios::binary);
    const std::string other{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    CHECK_THAT(error_of(other), Contains("stale for sample.c") && Contains("scripts/fw-build"));
}

TEST_CASE("timing: an image without hooks has no profile")
{
    const firmware_timing timing(ssdvp_fw_timing, timing_file(), "image.so.timing");
    cpu::call_profile profile;
    CHECK_THROWS_WITH(timing.bind("rv64", cpu::core_timing(), {&profile}), Contains("--profile"));
}
