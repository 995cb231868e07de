// SPDX-License-Identifier: Apache-2.0
//
// The reports of a run: their table, and where those of several drives go.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/stat.h>

#include "platform/report/sinks/sink_set.h"
#include "tests/unit/report_sample.h"
#include "tests/unit/report_scratch.h"

namespace report_sinks_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::literals;
using Catch::Matchers::Contains;
using report_test::finished;
using report_test::scratch;
namespace fs = std::filesystem;

namespace {

const host::workload_config workload;

sink_choice asked(sink_id id, const std::string& value)
{
    sink_choice c;
    c[static_cast<std::size_t>(id)] = value;
    return c;
}

sink_set one(const sink_choice& c, const fs::path& out)
{
    return sink_set(c, {"", out, workload, 4096});
}

/// What a drive of several writes by this option.
fs::path file_of_drive(sink_id id, const fs::path& value, std::uint32_t page_size = 4096)
{
    const sink_set s(asked(id, value.string()), {"a", "out/a", workload, page_size});
    for (const sink_set::file& f : s.files()) {
        if (f.option != std::string("--out")) {
            return f.path;
        }
    }
    return {};
}

std::string text_of(const fs::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("sinks: every row has an option of its own, or words of one", "[report][sinks]")
{
    std::set<std::string> options;
    for (const sink_row& row : sink_rows) {
        CHECK(std::string(row.about) != "");
        if (row.asked != sink_asked::always && row.asked != sink_asked::by_word &&
            row.asked != sink_asked::by_jobs) {
            CHECK(options.insert(row.option).second);
        }
    }
}

TEST_CASE("sinks: only what is asked for exists, and the latencies always", "[report][sinks]")
{
    REQUIRE(one({}, "out").all().size() == 2);
    CHECK(one({}, "out").files().front().path == "out/latency.csv");
    CHECK(one({}, "out").files().back().path == "out/latency_parts.csv");
    const sink_set fio = one(asked(sink_id::fio_json, "fio"), "out");
    CHECK(fio.files().back().path == "out/fio.json");
    CHECK(fio.files().back().option == std::string("--out"));
    CHECK(fio.profile() == nullptr);
    CHECK(one(asked(sink_id::fw_profile, "p"), "out").profile() != nullptr);
}

TEST_CASE("sinks: nobody hears of requests who does not want them", "[report][sinks]")
{
    const scratch folder;
    CHECK(one({}, folder.path()).all().front()->requests() == nullptr);
    sink_set s = one(asked(sink_id::requests_log, (folder.path() / "r").string()), folder.path());
    s.open();
    REQUIRE(s.all().size() == 3);
    REQUIRE(s.all().back()->requests() != nullptr);
    s.all().back()->requests()->on_complete(finished(host::request_kind::read, 0, 1_us, 2_us));
    const request_statistics none;
    s.all().back()->finish({none, workload, nullptr});
    const std::string text = text_of(folder.path() / "r");
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("sinks: the name of a drive goes before the endings of a file's name", "[report][sinks]")
{
    CHECK(file_for("log.csv", "a") == "log.a.csv");
    CHECK(file_for("x/log.csv.zst", "a") == "x/log.a.csv.zst");
    CHECK(file_for("x.y/log.csv.gz", "a") == "x.y/log.a.csv.gz");
    CHECK(file_for("log.1.csv", "a") == "log.1.a.csv");
    CHECK(file_for("log", "a") == "log.a");
    CHECK(file_for("log.zst", "a") == "log.a.zst");
    CHECK(file_for(".log", "a") == ".log.a");
    const scratch folder;
    CHECK(file_of_drive(sink_id::requests_log, folder.path() / "r.csv") ==
          folder.path() / "r.a.csv");
    CHECK(file_of_drive(sink_id::fw_profile, folder.path() / "p").parent_path() ==
          folder.path() / "p/a");
}

TEST_CASE("sinks: several drives share what keeps nothing, and no stream", "[report][sinks]")
{
    const scratch folder;
    const fs::path fifo = folder.path() / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    CHECK(file_of_drive(sink_id::requests_log, "/dev/null") == "/dev/null");
    CHECK_THROWS_WITH(file_of_drive(sink_id::requests_log, fifo),
                      Contains("there are several") && Contains("--requests-log"));
    CHECK_THROWS_WITH(file_of_drive(sink_id::ftl_series, "/dev/stdout"),
                      Contains("/dev/stdout") && Contains("--ftl-series"));
    CHECK_THROWS_WITH(file_of_drive(sink_id::ftl_series, folder.path()), Contains("is a folder"));
}

TEST_CASE("sinks: an array has those that need neither flash nor firmware", "[report][sinks]")
{
    CHECK(file_of_drive(sink_id::requests_log, "no/r.csv", 0) == "no/r.a.csv");
    CHECK(file_of_drive(sink_id::ftl_series, "no/s.csv", 0).empty());
    CHECK(file_of_drive(sink_id::fw_profile, "no/p", 0).empty());
}

} // namespace report_sinks_test
