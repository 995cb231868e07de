// SPDX-License-Identifier: Apache-2.0
//
// Where the code of the small image (sample.c) lies, and which of it is fetched. On AArch64 every
// instruction has 4 bytes, and functions begin at multiples of 16:
//   sample_add      at 0     addition, return
//   sample_sum      at 16    one instruction before the loop, 4 in it, 2 behind it
//   sample_choose   at 48    branch; 4 of the longer arm and a return; 2 of the shorter one and a
//                            return: the block of the return is there twice
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "platform/ssd/firmware_timing.h"

using namespace ssdvp;
using namespace ssdvp::platform;

extern "C" {
extern const fw_timing ssdvp_fw_timing;
std::uint32_t sample_add(std::uint32_t a, std::uint32_t b);
std::uint32_t sample_sum(const std::uint32_t* words, std::uint32_t count);
std::uint32_t sample_choose(std::uint32_t which, std::uint32_t* a, std::uint32_t* b);
void sample_copy(void* to, const void* from, std::size_t bytes);
std::uint32_t sample_call(std::uint32_t a, std::uint32_t b);
}

namespace code_test {

namespace {

std::string contents()
{
    std::ifstream file(SSDVP_SAMPLE_TIMING, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

timing_code code_on(const char* core)
{
    const timing_record record = read_timing(contents(), "sample").front();
    for (const timing_target& target : record.targets) {
        if (target.name == core) {
            return read_code(record, target, "sample");
        }
    }
    FAIL("no such core");
    return {};
}

using copies = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>; // begin, end

copies at(const timing_code& code, std::size_t block)
{
    copies all;
    for (const cpu::code_copy& copy : code.blocks.at(block)) {
        auto& ranges = all.emplace_back();
        for (const cpu::code_range& r : copy) {
            ranges.emplace_back(r.begin, r.end);
        }
    }
    return all;
}

/// Where code that was fetched begins, in the order in which it was.
class fetched final : public cpu::fetch_listener {
public:
    explicit fetched(cpu::code_map code) : m_code(std::move(code)) {}
    void fetch(std::uint64_t block) override
    {
        begins.push_back(m_code.blocks.at(block).at(0).at(0).begin);
    }
    template <class Work>
    std::vector<std::uint32_t> by(Work work)
    {
        begins.clear();
        work();
        return begins;
    }
    std::vector<std::uint32_t> begins;

private:
    cpu::code_map m_code;
};

} // namespace

TEST_CASE("code: bytes of tiny functions and of their blocks, as counted by hand")
{
    const timing_code code = code_on("cortex-r82");
    REQUIRE(code.functions.size() == 10);
    CHECK(code.alignment == 16);
    const std::pair<std::uint32_t, std::uint32_t> places[] = {{0, 8}, {16, 44}, {48, 84}};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(code.functions[i].begin == places[i].first);
        CHECK(code.functions[i].end == places[i].second);
    }
    REQUIRE(code.blocks.size() == 15);
    CHECK(at(code, 0) == copies{{{0, 8}}});
    CHECK(at(code, 1) == copies{{{16, 20}}});
    CHECK(at(code, 2) == copies{{{20, 36}}});
    CHECK(at(code, 3) == copies{{{36, 44}}});
    CHECK(at(code, 4) == copies{{{48, 52}}});
    CHECK(at(code, 5) == copies{{{52, 68}}});
    CHECK(at(code, 6) == copies{{{72, 80}}});
    CHECK(at(code, 7) == copies{{{68, 72}}, {{80, 84}}});
}

TEST_CASE("code: instructions of 2 and 4 bytes lie close together on the other cores")
{
    // Thumb-2: adds, bx: 2 each. RISC-V: c.add, c.jr, of the C extension.
    for (const char* core : {"cortex-r52", "rv64", "rv32"}) {
        CAPTURE(core);
        const timing_code code = code_on(core);
        CHECK(code.alignment == 2);
        CHECK(code.functions[0].end == 4);
        CHECK(code.functions[1].begin == 4);
        CHECK(code.bytes < code_on("cortex-r82").bytes / 2);
    }
}

TEST_CASE("code: blocks tell when they run, and again where a call comes back")
{
    const firmware_timing timing(ssdvp_fw_timing, contents(), "image.so.timing");
    const auto cost = timing.bind("cortex-r82", cpu::core_timing(), {nullptr, true});
    fetched f(timing.code("cortex-r82"));
    cost->tell_fetches(f);
    std::uint32_t words[3] = {1, 2, 3};
    using list = std::vector<std::uint32_t>;
    CHECK(f.by([] { sample_add(1, 2); }) == list{0});
    CHECK(f.by([&] { sample_sum(words, 3); }) == list{16, 20, 20, 20, 36});
    CHECK(f.by([&] { sample_choose(1, words, words); }) == list{48, 52, 68});
    CHECK(f.by([&] { sample_choose(0, words, words); }) == list{48, 72, 68}); // or the copy at 80
    const list call = f.by([] { CHECK(sample_call(1, 2) == 15); });
    REQUIRE(call.size() == 3);
    CHECK(call[1] == 0); // sample_add
    CHECK(call[0] == call[2]);
    const list copy = f.by([&] { sample_copy(words, words + 1, 8); });
    CHECK(copy.size() > 2);                                    // the port's memcpy, too,
    CHECK(std::count(copy.begin(), copy.end(), copy[0]) == 1); // which does not come back
}

TEST_CASE("code: sources follow one another")
{
    const firmware_timing timing(ssdvp_fw_timing, contents(), "image.so.timing");
    for (const char* core : {"cortex-r82", "rv32"}) {
        std::uint32_t sum = 0;
        for (const timing_record& record : read_timing(contents(), "sample")) {
            for (const timing_target& target : record.targets) {
                sum += target.name == core ? read_code(record, target, "sample").bytes : 0;
            }
        }
        const cpu::code_map map = timing.code(core);
        CHECK(map.bytes >= sum);
        CHECK(map.bytes < sum + 2 * 16); // between three sources
        std::uint32_t end = 0;
        for (const auto& block : map.blocks) {
            for (const cpu::code_copy& copy : block) {
                for (const cpu::code_range& r : copy) {
                    end = std::max(end, r.end);
                }
            }
        }
        CHECK(end <= map.bytes);
    }
}

} // namespace code_test
