// SPDX-License-Identifier: Apache-2.0
//
// Files: the output folder, atomic writes and the request log.
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/report/output.h"
#include "platform/report/sinks/requests_log.h"
#include "platform/report/summary_json.h"
#include "tests/unit/report_sample.h"
#include "tests/unit/report_scratch.h"

namespace report_output_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using Catch::Matchers::Contains;
using report_test::scratch;
namespace fs = std::filesystem;
namespace io = boost::iostreams;

namespace {

void write(const fs::path& file, const std::string& text)
{
    std::ofstream(file) << text;
}

template <typename... Filter>
std::string read(const fs::path& file, const Filter&... filter)
{
    std::ifstream in(file, std::ios::binary);
    io::filtering_istream decoded;
    (decoded.push(filter), ...);
    decoded.push(in);
    std::ostringstream out;
    io::copy(decoded, out);
    return out.str();
}

/// No file of this process may pass `bytes`, as if the disk were full.
class disk_limit {
public:
    explicit disk_limit(rlim_t bytes)
    {
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit limit = m_before;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~disk_limit()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }

private:
    rlimit m_before{};
    void (*m_handler)(int) = SIG_DFL;
};

} // namespace

TEST_CASE("an output folder is made with its parents and left clean", "[report][output]")
{
    const scratch s;
    const fs::path wanted = s.path() / "a" / "b";
    platform::output_folders folders;
    folders.prepare(wanted);
    CHECK(fs::is_directory(wanted));
    CHECK(fs::is_empty(wanted));
    write(wanted / "mine.txt", "kept");
    folders.prepare(wanted); // again, with something in it
    CHECK(read(wanted / "mine.txt") == "kept");
}

TEST_CASE("output folders of a run that is refused are taken back, if empty", "[report][output]")
{
    const scratch s;
    fs::create_directory(s.path() / "old");
    {
        platform::output_folders folders;
        folders.prepare(s.path() / "old");
        folders.prepare(s.path() / "a" / "b");
        folders.prepare(s.path() / "used");
        folders.prepare(s.path() / "used" / "below");
        write(s.path() / "used" / "mine.txt", "kept");
    }
    CHECK(fs::exists(s.path() / "old"));
    CHECK_FALSE(fs::exists(s.path() / "a"));
    CHECK_FALSE(fs::exists(s.path() / "used" / "below"));
    CHECK(read(s.path() / "used" / "mine.txt") == "kept");
    {
        platform::output_folders folders;
        folders.prepare(s.path() / "a" / "b");
        folders.keep();
    }
    CHECK(fs::exists(s.path() / "a" / "b"));
}

TEST_CASE("an output folder that cannot be used says why and what to do", "[report][output]")
{
    const scratch s;
    platform::output_folders folders;
    write(s.path() / "file", "kept");
    SECTION("a file in its place")
    {
        CHECK_THROWS_WITH(folders.prepare(s.path() / "file"),
                          Contains("/file") && Contains("Not a directory") && Contains("--out"));
    }
    SECTION("a file on the way")
    {
        CHECK_THROWS_WITH(folders.prepare(s.path() / "file" / "below"),
                          Contains("Not a directory") && Contains("--out"));
    }
    SECTION("no permission, for others than root; a read-only kernel folder for root")
    {
        CHECK_THROWS_WITH(folders.prepare("/proc/ssdvp-out"),
                          Contains("/proc/ssdvp-out") && Contains("--out"));
        CHECK_THROWS_AS(folders.prepare("/proc"), platform::output_error);
    }
    SECTION("no room")
    {
        const disk_limit full(0);
        CHECK_THROWS_WITH(folders.prepare(s.path()),
                          Contains("File too large") && Contains("make room"));
    }
    CHECK(s.files() == 1);
    CHECK(read(s.path() / "file") == "kept");
}

TEST_CASE("a file is replaced as a whole or not at all", "[report][output]")
{
    const scratch s;
    const fs::path file = s.path() / "summary.json";
    platform::write_summary(s.path(), "old");
    CHECK(read(file) == "old");
    platform::write_summary(s.path(), "new and longer");
    CHECK(read(file) == "new and longer");
    {
        const disk_limit full(5);
        CHECK_THROWS_WITH(platform::write_file_atomically(file, "does not fit"),
                          Contains("summary.json") && Contains("File too large"));
    }
    CHECK(read(file) == "new and longer");
    CHECK(s.files() == 1); // nothing partial left
    CHECK_THROWS_AS(platform::write_file_atomically(s.path() / "no" / "f", "x"),
                    platform::output_error);
    fs::create_directory(s.path() / "dir");
    CHECK_THROWS_AS(platform::write_file_atomically(s.path() / "dir", "x"), platform::output_error);
    CHECK(s.files() == 2);
}

namespace {

constexpr const char* header =
    "sequence,stream,kind,lba,sectors,arrival_ns,submitted_ns,completed_ns,latency_ns,status,"
    "link_ns,front_end_ns,firmware_ns,wait_core_ns,wait_power_ns,wait_map_ns,wait_buffer_ns,"
    "queue_ns,wait_read_ns,wait_program_ns,wait_erase_ns,wait_gc_ns,array_ns,bus_ns,ecc_ns,"
    "dram_ns,completion_ns,queue,channel,lun,blocked_by,blocked_ns\n";

host::request_result logged_request()
{
    host::request_result r = report_test::finished(host::request_kind::write, 17, 1500_ps, 4001_ps);
    r.req.stream = 3;
    r.status = 640;
    r.submitted = 2_ns;
    r.queue = 5;
    r.place.visit(63, 7, 5_ns);
    r.place.wait({blocking_work::erase, FLASH_PURPOSE_GC}, 1_ns);
    return r;
}

constexpr const char* logged_line =
    "17,3,write,136,8,1.500,2.000,5.501,4.001,640,0.000,0.000,0.000,0.000,0.000,0.000,0.000,1.000,"
    "0.000,0.000,0.000,0.000,3.001,0.000,0.000,0.000,0.000,5,63,7,gc_erase,1.000\n";

} // namespace

TEST_CASE("the request log is a CSV with units in its header", "[report][requests_log]")
{
    const scratch s;
    SECTION("plain")
    {
        platform::requests_log log(s.path() / "r.csv");
        CHECK_FALSE(fs::exists(s.path() / "r.csv")); // not before it is whole
        log.on_complete(logged_request());
        log.finish();
        CHECK(read(s.path() / "r.csv") == std::string(header) + logged_line);
    }
    SECTION("gzip")
    {
        platform::requests_log log(s.path() / "r.csv.gz");
        log.on_complete(logged_request());
        log.finish();
        CHECK(read(s.path() / "r.csv.gz", io::gzip_decompressor()) ==
              std::string(header) + logged_line);
    }
    SECTION("zstd")
    {
        platform::requests_log log(s.path() / "r.csv.zst");
        log.on_complete(logged_request());
        log.finish();
        CHECK(read(s.path() / "r.csv.zst", io::zstd_decompressor()) ==
              std::string(header) + logged_line);
    }
    SECTION("an exception on the way: what was logged is kept")
    {
        {
            platform::requests_log log(s.path() / "r.csv");
            log.on_complete(logged_request());
        }
        CHECK(read(s.path() / "r.csv") == std::string(header) + logged_line);
    }
    SECTION("warm-up left out")
    {
        platform::requests_log log(s.path() / "r.csv");
        log.enable(false);
        log.on_complete(logged_request());
        log.enable(true);
        log.finish();
        CHECK(read(s.path() / "r.csv") == header);
    }
    CHECK(s.files() == 1);
}

TEST_CASE("the request log leaves places empty that a request had not", "[report][requests_log]")
{
    const scratch s;
    platform::requests_log log(s.path() / "r.csv");
    host::request_result r = logged_request();
    r.place = {};
    log.on_complete(r);
    r.place.wait({blocking_work::room, FLASH_PURPOSE_GC}, 2_ns);
    log.on_complete(r);
    log.finish();
    const std::string text = read(s.path() / "r.csv");
    CHECK_THAT(text,
               Catch::Contains(",5,,,none,0.000\n") && Catch::Contains(",5,,,gc_room,2.000\n"));
}

TEST_CASE("many lines cross the buffer's end whole, the longest ones too", "[report][requests_log]")
{
    const scratch s;
    host::request_result r = logged_request();
    r.sequence = UINT64_MAX;
    r.req.lba = UINT64_MAX;
    r.req.sectors = UINT32_MAX;
    r.req.stream = UINT16_MAX;
    r.status = UINT16_MAX;
    r.req.arrival = sim_time();
    r.submitted = sim_time(UINT64_MAX);
    r.completed = sim_time(UINT64_MAX);
    r.parts.fill(sim_time(UINT64_MAX));
    r.queue = UINT16_MAX;
    r.place.visit(UINT16_MAX - 1, UINT16_MAX - 1, sim_time(UINT64_MAX));
    r.place.wait({blocking_work::program, FLASH_PURPOSE_PRECONDITION}, sim_time(UINT64_MAX));
    constexpr std::size_t lines = 20000;
    {
        platform::requests_log log(s.path() / "r.csv");
        for (std::size_t i = 0; i < lines; ++i) {
            log.on_complete(r);
        }
        log.finish();
    }
    std::istringstream text(read(s.path() / "r.csv"));
    std::string line;
    std::getline(text, line);
    std::string first;
    std::getline(text, first);
    CHECK(std::count(first.begin(), first.end(), ',') == 31);
    CHECK_THAT(first, Contains("18446744073709551615,65535,write,18446744073709551615,4294967295,"
                               "0.000,18446744073709551.615"));
    CHECK_THAT(first, Contains(",65535,65534,65534,precondition_program,18446744073709551.615"));
    std::size_t same = 1;
    while (std::getline(text, line)) {
        same += line == first ? 1 : 0;
    }
    CHECK(same == lines);
}

TEST_CASE("a request log that cannot be written says so", "[report][requests_log]")
{
    const scratch s;
    CHECK_THROWS_WITH(platform::requests_log(s.path() / "no" / "r.csv"),
                      Contains("r.csv") && Contains("No such file") && Contains("--requests-log"));
    CHECK_THROWS_WITH(platform::requests_log(s.path()), Contains("is a folder"));
    CHECK(s.files() == 0);

    const fs::path file = s.path() / GENERATE("r.csv", "r.csv.gz", "r.csv.zst");
    write(file, "older log");
    {
        platform::requests_log log(file);
        log.on_complete(logged_request());
        const disk_limit full(20);
        CHECK_THROWS_WITH(log.finish(), Contains("not whole") && Contains("make room"));
    }
    CHECK(read(file) == "older log"); // not replaced by half a log
}

} // namespace report_output_test
