// SPDX-License-Identifier: Apache-2.0
//
// What is printed: resolved tree, provenance, schema, lists, documentation; and the presets.
#include <catch2/catch.hpp>

#include <boost/json.hpp>
#include <sstream>

#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/input/presets.h"
#include "tests/unit/config_support.h"

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using namespace ssdvp::literals;
using Catch::Contains;

namespace {

std::string from(const resolved_config& r, const std::string& key)
{
    for (const resolved_key& k : r.keys) {
        if (k.key == key) {
            return k.value + " @ " + k.from;
        }
    }
    return "absent";
}

const boost::json::object& property(const boost::json::value& schema, const std::string& key)
{
    const boost::json::object* at = &schema.as_object();
    std::istringstream parts(key);
    for (std::string part; std::getline(parts, part, '.');) {
        at = &at->at("properties").as_object().at(part).as_object();
    }
    return *at;
}

std::string file_text(const std::string& path)
{
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

ssd_config preset(const std::string& name)
{
    config_sources s;
    s.files = {name};
    return load(s);
}

} // namespace

TEST_CASE("config presets: all load, say what they are, and round-trip")
{
    const scratch dir;
    const auto names = preset_names(presets_folder(""));
    CHECK(names.size() >= 24);
    for (const std::string& name : names) {
        INFO(name);
        config_sources s;
        s.files = {name};
        REQUIRE(error_of(s).empty());
        const ssd_config c = load(s);
        config_sources again;
        again.files = {dir.write("resolved.yaml", resolved_yaml(c))};
        REQUIRE(error_of(again).empty());
        CHECK(resolved_yaml(load(again)) == resolved_yaml(c));
        CHECK(config_sha256(load(again)) == config_sha256(c));
        const auto at = list_presets().find(name + "  ");
        REQUIRE(at != std::string::npos);
        CHECK(list_presets().find_first_not_of(" \n", at + name.size()) != std::string::npos);
    }
}

TEST_CASE("config presets: parts as their data sheets say")
{
    const auto die = [](const char* name) { return preset(name).channel.die; };
    CHECK(die("nand/slc-2d").geo.page_size == 2048);
    CHECK(die("nand/slc-2d").timing.tPROG[0] == 200_us);
    CHECK(preset("nand/slc-2d").channel.bus.mode == flash::data_interface::sdr5);
    CHECK(die("nand/mlc-2d").timing.tPROG[0] == 1300_us);
    CHECK(die("nand/tlc-3d").timing.tR[0] == 74_us);
    CHECK(die("nand/tlc-3d").erase.loop_time == 5_ms);
    sim_time sum;
    for (const sim_time t : die("nand/tlc-3d").timing.tPROG) {
        sum += t;
    }
    CHECK(sum == 3 * 1900_us); // the data sheet's effective time of a page
    CHECK(die("nand/qlc-3d").timing.tR.size() == 4);
    const auto balanced = part_as_built(preset("nand/qlc-balanced")).timing.tR;
    CHECK(balanced == std::vector<sim_time>{112750_ns, 112750_ns, 112750_ns, 103500_ns});
    CHECK(die("nand/tlc-3d").independent_plane_reads);
    CHECK(die("nand/qlc-3d").independent_plane_reads);
    for (const char* flat : {"nand/mlc-2d", "nand/slc-2d"}) {
        CHECK_FALSE(die(flat).independent_plane_reads);
    }
}

TEST_CASE("config presets: devices and the main job")
{
    const ssd_config c = preset("experiment/default");
    CHECK(c.name == "default");
    CHECK(c.channels == 8);
    CHECK(c.channel.luns == 4);
    CHECK(c.channel.die.geo.planes == 4);
    CHECK(c.channel.die.geo.page_size == 16384);
    CHECK(c.pcie.generation == 4);
    CHECK(c.pcie.lanes == 4);
    CHECK(c.precondition.fill == 1.0);
    CHECK(overwriting_until(c) == precondition_until::settled);
    CHECK(c.workload.streams.at(0).pattern == host::pattern_kind::zipf);
    CHECK(c.run.until == run_until::steady);
    CHECK(c.run.requests == 0); // as many as its rounds have
    const ssd_config trace = preset("experiment/sqlite-ext4");
    CHECK(trace.precondition.overwrite > 0.0);
    CHECK(trace.workload.streams.empty());
    CHECK(trace.workload.trace.file.find("traces/sqlite-ext4.blkparse.zst") != std::string::npos);
    CHECK(trace.run.requests == 0); // all of the trace
    const ssd_config zipf = preset("experiment/zipf-70-30");
    CHECK(zipf.workload.streams.at(0).queue_depth == 16);
    CHECK(zipf.run.requests == 500000);
    CHECK(physical_bytes(preset("device/tiny")) == 128 * 1024);
    CHECK(physical_bytes(preset("device/small")) == 512u << 20);
    const std::uint64_t host = logical_bytes(preset("experiment/drive-1tb"));
    CHECK(host >= 1'000'000'000'000);
    CHECK(host < 1'002'000'000'000);
    CHECK(preset("experiment/one-lun-latency").workload.streams.at(0).queue_depth == 1);
}

TEST_CASE("config show: each value with the place it came from")
{
    const scratch dir;
    config_sources s;
    const std::string file =
        dir.write("a.yaml", "nand:\n  planes: 2\nworkload:\n  - queue_depth: 3\n");
    s.files = {file};
    s.sets = {"flash.channels=4", "workload.block_size=8KiB"};
    const resolved_config r = resolve(s);
    CHECK(from(r, "nand.planes") == "2 @ " + file + ":2:11");
    CHECK(from(r, "flash.channels") == "4 @ --set flash.channels=4");
    CHECK(from(r, "nand.tR") == "74us @ default");
    CHECK(from(r, "ftl.map_unit") == "4KiB @ default");
    CHECK(from(r, "workload.0.queue_depth") == "3 @ " + file + ":4:18");
    CHECK(from(r, "workload.0.block_size") == "8KiB @ --set workload.block_size=8KiB");
    CHECK(from(r, "workload.0.zipf_theta") == "absent");
    CHECK_THAT(show(r), Contains("nand.planes:") && Contains("# " + file + ":2:11"));
    for (const option& o : option_table()) {
        INFO(o.key);
        const bool acts = !o.relevant || o.relevant(r.config) ||
                          (o.relevant_to_own && o.relevant_to_own(r.config));
        CHECK((from(r, o.key) == "absent") == (!o.kept && !acts));
    }
    s.sets = {"cache.policy=none"};
    CHECK(from(resolve(s), "cache.capacity") == "absent");
}

TEST_CASE("config sha256: follows the values, not where they came from")
{
    const scratch dir;
    config_sources file;
    file.files = {dir.write("default.yaml", "flash.channels: 4\n")};
    CHECK(config_sha256(load(file)) == config_sha256(load(with_sets({"flash.channels=4"}))));
    CHECK(config_sha256(load({})) != config_sha256(load(with_sets({"flash.channels=4"}))));
    CHECK(config_sha256(load({})).size() == 64);
}

TEST_CASE("config schema: valid JSON with every key")
{
    const boost::json::value schema = boost::json::parse(schema_json());
    CHECK(schema.at("$schema").as_string() == "https://json-schema.org/draft/2020-12/schema");
    for (const option& o : option_table()) {
        INFO(o.key);
        const auto& p = property(schema, o.key);
        CHECK_THAT(std::string(p.at("description").as_string()), Contains(o.about));
    }
    const auto& forms = property(schema, "workload").at("oneOf").as_array();
    REQUIRE(forms.size() == 3);
    for (const stream_option& o : stream_table()) {
        INFO(o.key);
        CHECK_NOTHROW(property(forms[0].at("items"), o.key));
    }
    for (const trace_option& o : trace_table()) {
        INFO(o.key);
        CHECK_NOTHROW(property(forms[1], o.key));
    }
    CHECK_NOTHROW(property(forms[2], "fio"));
    CHECK(property(schema, "nand").at("additionalProperties").as_bool() == false);
    CHECK_NOTHROW(property(schema, "extends"));
}

TEST_CASE("config lists: options and policies")
{
    const std::string options = list_options();
    for (const option& o : option_table()) {
        CHECK_THAT(options, Contains("\n" + o.key + "\n") || Catch::StartsWith(o.key + "\n"));
    }
    CHECK_THAT(options, Contains("workload.<stream>.zipf_theta") && Contains("workload.replay"));
    CHECK_THAT(list_policies(),
               Contains("flash.suspend.policy") && Contains("immediate           at once"));
    CHECK_THAT(list_policies(), Contains("hot_cold    a share of the blocks"));
}

TEST_CASE("config lists: at most sixty keys are basic, and they come first")
{
    const std::string text = list_options();
    const auto experts = text.find("\nKeys for experts:\n");
    REQUIRE(experts != std::string::npos);
    int basic = 0;
    const auto count = [&](const auto& table) {
        for (const auto& o : table) {
            basic += o.level == option_level::basic ? 1 : 0;
        }
    };
    count(option_table());
    count(stream_table());
    count(trace_table());
    count(fio_table());
    CHECK(basic > 40);
    CHECK(basic <= 60);
    for (const option& o : option_table()) {
        INFO(o.key);
        const bool first = text.find("\n" + o.key + "\n") < experts;
        CHECK(first == (o.level == option_level::basic));
    }
}

TEST_CASE("config documentation: its tables are those of the program")
{
    const std::string text = file_text(SSDVP_SOURCE_FOLDER "/docs/configuration.md");
    const std::string mark = "<!-- tables: ssdvp writes them, tests compare them -->\n";
    const auto at = text.find(mark);
    REQUIRE(at != std::string::npos);
    CHECK(text.substr(at + mark.size()) == options_markdown());
}

TEST_CASE("config defaults: every computed default is explained and every fixed one parses")
{
    for (const option& o : option_table()) {
        INFO(o.key);
        CHECK(o.fallback.empty() != o.computed.empty());
        CHECK_FALSE(o.about.empty());
        if (!o.fallback.empty()) {
            CHECK_NOTHROW(parse_value(o.spec, {o.fallback}, false));
        }
    }
}
