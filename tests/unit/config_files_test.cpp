// SPDX-License-Identifier: Apache-2.0
//
// Files, merging, presets, --set; and where errors point.
#include <catch2/catch.hpp>

#include "tests/unit/config_support.h"

using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("config files: errors name file, line, column, key and remedy")
{
    CHECK(error_of_text("nand:\n  planes: 9\n") ==
          "c.yaml:2:11: nand.planes: 9 is out of range; allowed is 1..8");
    CHECK(error_of_text("nand:\n  plane: 2\n") ==
          "c.yaml:2:3: nand.plane: is not a key; did you mean 'nand.planes'?");
    CHECK(error_of_text("# c\n\nflsh:\n  channels: 8\n") ==
          "c.yaml:3:1: flsh: is not a key; did you mean 'flash'?");
    CHECK(error_of_text("channels: 8\n") ==
          "c.yaml:1:1: channels: is not a key; did you mean 'flash.channels'?");
    // The beginning of a key of the same group, not what has fewer wrong letters elsewhere.
    CHECK(error_of_text("host: {pcie: {gen: 4}}\n") ==
          "c.yaml:1:15: host.pcie.gen: is not a key; did you mean 'host.pcie.generation'?");
    CHECK(error_of_text("nand: {blocks: 4}\n") ==
          "c.yaml:1:8: nand.blocks: is not a key; did you mean 'nand.blocks_per_plane'?");
    CHECK_THAT(error_of(with_sets({"pcie.gen=4"})),
               Contains("did you mean 'host.pcie.generation'?"));
    CHECK_THAT(error_of(with_sets({"host.nvme.reset_at=1ms,2ms"})),
               Contains("'1ms,2ms' has commas, but no brackets around it; write [1ms,2ms]"));
    CHECK(error_of_text("nand: {tR: 40}\n") ==
          "c.yaml:1:12: nand.tR: '40' has no unit; write for example 40us; units are ps, ns, us, "
          "ms, s");
    CHECK(error_of_text("nand:\n  tR: [1us, x]\n") ==
          "c.yaml:2:7: nand.tR: 'x' is not a time or list of times 1ns..1s; write a time or list "
          "of times 1ns..1s");
    CHECK(error_of_text("flash: 8\n") ==
          "c.yaml:1:8: flash: is a group of keys, not a value; write "
          "for example `flash: {...}` with keys inside");
    CHECK(error_of_text("flash:\n") == "c.yaml:1:1: flash: is a group of keys, not a value; write "
                                       "for example `flash: {...}` with keys inside");
    CHECK(error_of_text("nand:\n  planes: {a: 1}\n") ==
          "c.yaml:2:11: nand.planes: is a value, not a group of keys; write one value");
    CHECK(error_of_text("nand:\n  planes:\n") ==
          "c.yaml:2:3: nand.planes: has no value; write a value, or `default` for the default");
    CHECK(error_of_text("nand:\n  planes: [1, 2]\n") ==
          "c.yaml:2:11: nand.planes: is a list, but takes one whole number 1..8; write one value");
    CHECK(error_of_text("nand:\n  planes: 2\n  planes: 2\n") ==
          "c.yaml:3:3: nand.planes: is given twice; remove one of them");
    CHECK(error_of_text("nand:\n  planes: 2\nnand.planes: 4\n") ==
          "c.yaml:3:1: nand.planes: is given twice; remove one of them");
    CHECK_THAT(error_of_text("nand: {planes: 2\n"), StartsWith("c.yaml:2:1: not YAML:"));
    CHECK(error_of_text("nand: {planes: 2}\n---\nnand: {planes: 4}\n") ==
          "c.yaml:3:1: a second YAML document; keep one document per file");
    CHECK_THAT(error_of_text("- a\n"), StartsWith("c.yaml:1:1: is not a mapping"));
}

TEST_CASE("config files: empty files and dotted keys")
{
    CHECK(load_text("# nothing\n").channels == 8);
    CHECK(load_text("flash.channels: 2\n").channels == 2);
    CHECK(load_text("host.pcie: {lanes: 2}\n").pcie.lanes == 2);
    CHECK(load_text("description: text\nflash.channels: 2\n").channels == 2);
}

TEST_CASE("config files: safe points by P/E cycles")
{
    const auto steps = [](const std::string& value) {
        return load_text("flash:\n  suspend:\n    safe_points: " + value + "\n")
            .channel.die.suspend.safe_points;
    };
    CHECK(steps("12").at(0).safe_points == 12);
    const auto two = steps("[{pe_cycles: 0, safe_points: 30}, {safe_points: 8, pe_cycles: 900}]");
    REQUIRE(two.size() == 2);
    CHECK(two[1].pe_cycles == 900);
    CHECK(two[1].safe_points == 8);
    CHECK(steps("default").empty());
    const auto wrong = [](const std::string& value) {
        return error_of_text("flash.suspend.safe_points: " + value + "\n");
    };
    CHECK_THAT(wrong("[{pe_cycles: 1}]"),
               StartsWith("c.yaml:1:28: flash.suspend.safe_points: has") &&
                   Contains("write `- {pe_cycles: N, safe_points: M}`"));
    CHECK_THAT(wrong("[{pe_cycles: 5, safe_points: 3}, {pe_cycles: 5, safe_points: 2}]"),
               Contains("not in the order of their pe_cycles"));
    CHECK_THAT(wrong("[{pe_cycles: 5, safe_points: many}]"), Contains("many"));
    CHECK_THAT(wrong("[3, 4]"), Contains("has the step '3'"));
    CHECK_THAT(wrong("[]"), Contains("is an empty list"));
}

TEST_CASE("config files: a scheme that there is not is refused with those that there are")
{
    CHECK_THAT(error_of(with_sets({"ftl.scheme=nftl"})),
               Contains("'nftl' is not one of the choices; choose from: page_map"));
}

TEST_CASE("config files: files merge left to right, --set last")
{
    const scratch dir;
    config_sources s;
    s.files = {dir.write("a.yaml", "flash: {channels: 2, luns_per_channel: 2}\n"),
               dir.write("b.yaml", "flash: {channels: 4}\n")};
    CHECK(load(s).channels == 4);
    CHECK(load(s).channel.luns == 2);
    CHECK(load(s).name == "b");
    std::swap(s.files[0], s.files[1]);
    CHECK(load(s).channels == 2);
    s.sets = {"flash.channels=8", "flash.channels=16"};
    CHECK(load(s).channels == 16);
    s.overrides = {{"flash.channels", "1", "--channels 1"}};
    CHECK(load(s).channels == 1);
    s.sets = {"flash={channels: 3, luns_per_channel: 5}"};
    s.overrides.clear();
    CHECK(load(s).channel.luns == 5);
    s.sets = {"flash.channels=default"};
    CHECK(load(s).channels == 8);
}

TEST_CASE("config files: extends, as text and as list, before the file's own keys")
{
    const scratch dir;
    dir.write("presets/nand/p.yaml", "nand: {planes: 1, endurance: 77}\n");
    dir.write("presets/device/d.yaml", "extends: nand/p\nflash: {channels: 2}\n");
    dir.write("presets/policy/q.yaml", "nand: {endurance: 78}\n");
    config_sources s;
    s.configs_dir = dir.path() + "/presets";
    s.files = {"device/d"};
    CHECK(load(s).channel.die.geo.planes == 1);
    CHECK(load(s).channels == 2);
    CHECK(load(s).name == "d");
    s.files = {dir.write("e.yaml", "flash: {channels: 4}\nextends: [device/d, policy/q]\n")};
    CHECK(load(s).channels == 4);
    CHECK(load(s).channel.die.endurance == 78);
    dir.write("beside.yaml", "nand: {endurance: 79}\n");
    s.files = {dir.write("f.yaml", "extends: beside.yaml\n")};
    CHECK(load(s).channel.die.endurance == 79);
    // The same base reached by two ways is no cycle.
    s.files = {dir.write("g.yaml", "extends: [device/d, nand/p]\n")};
    CHECK(load(s).channels == 2);
}

TEST_CASE("config files: extends in a cycle, of nothing, of an unknown preset")
{
    const scratch dir;
    config_sources s;
    s.configs_dir = dir.path();
    dir.write("a.yaml", "extends: b\n");
    dir.write("b.yaml", "flash: {channels: 2}\nextends: [a]\n");
    s.files = {"a"};
    CHECK(error_of(s) == dir.path() +
                             "/b.yaml:2:11: extends: 'a' extends itself in a cycle; remove "
                             "one of the `extends` of the cycle");
    dir.write("self.yaml", "extends: self\n");
    s.files = {"self"};
    CHECK_THAT(error_of(s), Contains("self.yaml:1:10: extends: 'self' extends itself"));
    dir.write("none.yaml", "extends: []\n");
    s.files = {"none"};
    CHECK_THAT(error_of(s), Contains("none.yaml:1:10: extends: names nothing"));
    dir.write("nand/tlc-3d.yaml", "nand: {planes: 1}\n");
    dir.write("wrong.yaml", "extends: nand/tlc3d\n");
    s.files = {"wrong"};
    CHECK(error_of(s) == dir.path() +
                             "/wrong.yaml:1:10: extends: no file 'nand/tlc3d' and no "
                             "preset of that name below " +
                             dir.path() + "; did you mean 'nand/tlc-3d'?");
    s.files = {"tlc-3d"};
    CHECK(error_of(s) == "tlc-3d: no file 'tlc-3d' and no preset of that name below " + dir.path() +
                             "; did you mean 'nand/tlc-3d'?");
    s.files = {"nand"}; // a folder
    CHECK_THAT(error_of(s), Contains("no file 'nand'"));
}

TEST_CASE("config files: --set errors name the option as written")
{
    const auto message = [](const std::string& set) { return error_of(with_sets({set})); };
    CHECK(message("flash.channel=8") ==
          "--set flash.channel=8: flash.channel: is not a key; did you "
          "mean 'flash.channels'?");
    CHECK(message("flash.channels=65") ==
          "--set flash.channels=65: flash.channels: 65 is out of range; allowed is 1..64");
    CHECK(message("flash.channels") ==
          "--set flash.channels: flash.channels: has no '='; write --set key=value");
    CHECK_THAT(message("flash.channels="), Contains("--set flash.channels=: flash.channels: has no "
                                                    "value"));
    CHECK_THAT(message("nand.tR=[1us"), StartsWith("--set nand.tR=[1us: not YAML"));
    CHECK_THAT(message("=1"), Contains("is not a key"));
    CHECK_THAT(message("extends=nand/tlc-3d"), Contains("is a key of files only"));
    config_sources s;
    s.overrides = {{"run.requests", "many", "--requests many"}};
    CHECK_THAT(error_of(s), StartsWith("--requests many: run.requests: 'many' is not a whole"));
}
