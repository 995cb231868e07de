// SPDX-License-Identifier: Apache-2.0
//
// Input that is larger than any that somebody means: refused at once, or read in a time that grows
// as it does. Where a crawl comes back, the test program's own limit of time ends it.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "platform/config/option.h"
#include "platform/input/documents.h"
#include "tests/unit/config_support.h"

using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;

namespace {

std::string repeated(const std::string& text, std::size_t times)
{
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

} // namespace

TEST_CASE("bounds: what many files extend is read once")
{
    const scratch dir;
    std::string last = dir.write("0.yaml", "flash.channels: 2\nnand.planes: 2\n");
    constexpr int levels = 40; // 2^40 visits by another way
    for (int i = 1; i <= levels; ++i) {
        last = dir.write(fmt::format("{}.yaml", i), fmt::format("extends: [{0}.yaml, {0}.yaml]\n"
                                                                "run.seed: {0}\n",
                                                                i - 1));
    }
    CHECK(documents_of(last, "").size() == levels + 1);
    config_sources s;
    s.files = {last};
    CHECK(load(s).channels == 2);
    CHECK(load(s).run.seed == levels - 1);
}

TEST_CASE("bounds: a file that several extend counts where it would come last")
{
    const scratch dir;
    dir.write("base.yaml", "flash.channels: 2\nnand.planes: 2\n");
    dir.write("a.yaml", "extends: base.yaml\nflash.channels: 4\nrun.seed: 7\n");
    dir.write("b.yaml", "extends: base.yaml\nnand.planes: 4\n");
    config_sources s;
    s.files = {dir.write("c.yaml", "extends: [a.yaml, b.yaml]\n")};
    CHECK(load(s).channels == 2); // of base, which b brings again behind a
    CHECK(load(s).channel.die.geo.planes == 4);
    CHECK(load(s).run.seed == 7);
}

TEST_CASE("bounds: a chain of files has an end")
{
    const scratch dir;
    std::string last = dir.write("0.yaml", "");
    for (int i = 1; i <= 100; ++i) {
        last = dir.write(fmt::format("{}.yaml", i), fmt::format("extends: {}.yaml\n", i - 1));
    }
    config_sources s;
    s.files = {last};
    CHECK_THAT(error_of(s), Contains("more than 64 files deep"));
}

TEST_CASE("bounds: long lists, long words, large files")
{
    CHECK_THAT(error_of_text("nand.tR: [" + repeated("1us,", 5000) + "1us]\n"),
               Contains("nand.tR: is a list of 5001 entries; write at most 4096"));
    CHECK_THAT(error_of_text("nand.tR: [" + repeated("1us,", 500000) + "1us]\n"),
               Contains("longer than 1 MiB"));
    CHECK_THAT(error_of_text("nand.tR: " + repeated("9", 100000) + "us\n"),
               Contains("nand.tR: '999") && Contains("has 100002 characters; write at most 200"));
    CHECK(error_of_text("nand.tR: " + repeated("9", 100000) + "us\n").size() < 200);
    CHECK_THAT(error_of_text("name: " + repeated("n", 5000) + "\n"), Contains("5000 characters"));
    CHECK_THAT(error_of_text(repeated("flash", 200) + ": 1\n"), Contains("is not a key"));
    CHECK_THAT(error_of(with_sets({repeated("flash", 20000) + "=1"})), Contains("is not a key"));
    CHECK_THAT(error_of_text("name: \"a\\eb\"\n"), Contains("the control character 0x1b"));
}

TEST_CASE("bounds: streams")
{
    const auto streams = [](int n) {
        std::string text = "workload:\n";
        for (int i = 0; i < n; ++i) {
            text += "  - {pattern: uniform, queue_depth: 1, requests: 1, read_fraction: 0.5}\n";
        }
        return text;
    };
    CHECK(load_text(streams(1000)).workload.streams.size() == 1000);
    CHECK_THAT(error_of_text(streams(4000)),
               Contains("workload: has 4000 streams; write at most 1024"));
}

TEST_CASE("bounds: deep YAML and many aliases")
{
    for (const char* deep : {"[", "{a: ", "- ", "? "}) {
        CHECK_THAT(error_of_text(repeated(deep, 100000)), Contains("c.yaml:"));
    }
    std::string laughs = "a0: &a0 [x, x]\n";
    for (int i = 1; i < 40; ++i) {
        laughs += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
    }
    CHECK_THAT(error_of_text(laughs), Contains("a0: is not a key"));
    CHECK_THAT(error_of_text("nand.tR: &a [*a, *a]\n"), Contains("c.yaml:1"));
    CHECK_THAT(error_of_text("nand: &n {planes: 2, pages_per_block: *n}\n"), Contains("c.yaml:1"));
}

TEST_CASE("bounds: files that cannot be read")
{
    config_sources s;
    s.files = {"/proc/self/mem"};
    CHECK_THAT(error_of(s), Contains("/proc/self/mem") && Contains("cannot be read"));
}

TEST_CASE("options: each that may be idle says when it is not")
{
    for (const option& o : option_table()) {
        CAPTURE(o.key);
        CHECK((!o.relevant || !o.relevant_when.empty()));
    }
}
