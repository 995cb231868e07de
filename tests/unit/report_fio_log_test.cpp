// SPDX-License-Identifier: Apache-2.0
//
// The lines of fio's logs. Layout and rules are those of fio 3.33, to whose files they were
// compared.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "platform/report/fio_log.h"
#include "platform/report/sinks/sink_set.h"
#include "tests/unit/report_sample.h"
#include "tests/unit/report_scratch.h"

namespace report_fio_log_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::literals;
using host::request_kind;
using report_test::finished;
using report_test::scratch;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

host::fio_logging every(std::uint64_t ms)
{
    host::fio_logging l;
    l.average_ms = ms;
    return l;
}

/// What a latency log of these {ms, kind, ns} holds when the job ends at 99 ms.
std::string latency_lines(const host::fio_logging& how,
                          const std::vector<std::array<std::uint64_t, 3>>& samples)
{
    const scratch folder;
    fio_log_file file(folder.path() / "l", "--out");
    fio_latency_log log(file, how);
    for (const auto& [ms, kind, ns] : samples) {
        log.add({ms, kind, 4096, 512}, ns);
    }
    log.finish(99);
    file.finish();
    return text_of(folder.path() / "l");
}

/// Files of a run of these jobs, in which each stream has a read and a write of 4 KiB, from 10 and
/// 11 ms to 13 and 14 ms.
std::set<std::string> files_of(const std::vector<host::fio_job>& jobs, const fs::path& out)
{
    host::workload_config workload;
    workload.fio.jobs = jobs;
    sink_set sinks({}, {"", out, workload, 4096});
    sinks.open();
    const request_statistics none;
    std::set<std::string> names;
    for (report_sink* s : sinks.all()) {
        for (std::uint16_t i = 0; s->requests() != nullptr && i < jobs.size(); ++i) {
            host::request_result r = finished(request_kind::read, 2, 10_ms, 3_ms);
            r.req.stream = i;
            r.submitted = 11_ms;
            s->requests()->on_complete(r);
            r = finished(request_kind::write, 4, 11_ms, 3_ms);
            r.req.stream = i;
            s->requests()->on_complete(r);
            r = finished(request_kind::flush, 0, 14_ms, 1_ms);
            r.req.stream = i;
            s->requests()->on_complete(r);
        }
        s->finish({none, workload, nullptr});
        for (const fs::path& f : s->files()) {
            names.insert(f.filename().string());
        }
    }
    names.erase("latency.csv");
    names.erase("latency_parts.csv");
    return names;
}

} // namespace

TEST_CASE("fio log: a line for each request", "[report][fio]")
{
    host::fio_logging how;
    CHECK(latency_lines(how, {{1, 0, 100}, {1, 2, 7}}) == "1, 100, 0, 4096, 0\n1, 7, 2, 4096, 0\n");
    how.offset = true;
    CHECK(latency_lines(how, {{1, 1, 100}}) == "1, 100, 1, 4096, 512, 0\n");
    how.priority = true;
    CHECK(latency_lines(how, {{1, 1, 100}}) == "1, 100, 1, 4096, 512, 0x0000\n");
    how.offset = false;
    CHECK(latency_lines(how, {{1, 1, 100}}) == "1, 100, 1, 4096, 0x0000\n");
}

TEST_CASE("fio log: a mean for each period, that of the request which ends it", "[report][fio]")
{
    // 10 ms: the first line at 10 with (100 + 201) / 2 rounded up; 13 lies in the period of 10, so
    // the next is due at 20, and comes at 25; the rest when the job ends.
    CHECK(latency_lines(
              every(10),
              {{9, 0, 100}, {10, 0, 201}, {13, 0, 5}, {19, 0, 7}, {25, 0, 9}, {26, 0, 1}}) ==
          "10, 151, 0, 0, 0\n25, 7, 0, 0, 0\n99, 1, 0, 0, 0\n");
    host::fio_logging most = every(10);
    most.maximum = true;
    CHECK(latency_lines(most, {{9, 0, 100}, {10, 0, 201}}) == "10, 201, 0, 0, 0\n");
    // Directions have periods of their own.
    CHECK(latency_lines(every(10), {{9, 0, 100}, {10, 1, 3}}) ==
          "10, 3, 1, 0, 0\n99, 100, 0, 0, 0\n");
}

TEST_CASE("fio log: bins of fio's distribution", "[report][fio]")
{
    CHECK(fio_histogram_log::bin_of(0) == 0);
    CHECK(fio_histogram_log::bin_of(127) == 127);
    CHECK(fio_histogram_log::bin_of(128) == 128);
    CHECK(fio_histogram_log::bin_of(129) == 128); // from here on two ns share one
    CHECK(fio_histogram_log::bin_of(255) == 191);
    CHECK(fio_histogram_log::bin_of(256) == 192);
    CHECK(fio_histogram_log::bin_of(UINT64_MAX) == fio_histogram_log::bins - 1);
}

TEST_CASE("fio log: a histogram when its time has passed", "[report][fio]")
{
    const scratch folder;
    host::fio_logging how;
    how.histogram_ms = 10;
    how.coarseness = 6;
    fio_log_file file(folder.path() / "h", "--out");
    fio_histogram_log log(file, how);
    log.add({3, 1, 4096, 0}, 1);
    log.add({12, 1, 4096, 0}, 64);
    log.add({13, 1, 4096, 0}, 65); // 10 ms after the first
    log.add({22, 1, 4096, 0}, 1);
    log.add({24, 1, 4096, 0}, 1); // due since 23: the next one is due at 33
    log.add({32, 1, 4096, 0}, 1);
    file.finish();
    std::istringstream text(text_of(folder.path() / "h"));
    std::string line;
    std::getline(text, line);
    CHECK(line.substr(0, 21) == "13, 1, 4096, 1, 2, 0,");
    CHECK(std::count(line.begin(), line.end(), ',') == 2 + 29);
    std::getline(text, line);
    CHECK(line.substr(0, 18) == "24, 1, 4096, 2, 0,");
    CHECK(!std::getline(text, line));
}

TEST_CASE("fio log: names and contents of a job's logs", "[report][fio]")
{
    const scratch folder;
    host::fio_job job;
    job.logging.latency = "l";
    job.logging.bandwidth = "b";
    job.logging.bandwidth_ms = 0;
    job.logging.iops = "i";
    job.logging.iops_ms = 2;
    job.logging.histogram = "h";
    job.logging.offset = true;
    job.file = 8; // the requests are at sectors 16 and 32
    CHECK(files_of({job}, folder.path()) ==
          std::set<std::string>{"l_lat.1.log", "l_clat.1.log", "l_slat.1.log", "b_bw.1.log",
                                "i_iops.1.log", "h_clat_hist.1.log"});
    const auto text = [&](const char* name) { return text_of(folder.path() / name); };
    CHECK(text("l_lat.1.log") == "3, 3000000, 0, 4096, 4096, 0\n4, 3000000, 1, 4096, 12288, 0\n");
    CHECK(text("l_clat.1.log") == "3, 2000000, 0, 4096, 4096, 0\n4, 3000000, 1, 4096, 12288, 0\n");
    CHECK(text("l_slat.1.log") == "3, 1000000, 0, 4096, 4096, 0\n4, 0, 1, 4096, 12288, 0\n");
    CHECK(text("b_bw.1.log") == "3, 2048, 0, 4096, 4096, 0\n4, 1365, 1, 4096, 12288, 0\n");
    // Of three intervals the first has nothing, the second the read, and the third never ends.
    CHECK(text("i_iops.1.log") == "4, 500, 0, 0, 0, 0\n");
    CHECK(text("h_clat_hist.1.log").empty());
}

TEST_CASE("fio log: jobs with one file, and logs that are left out", "[report][fio]")
{
    const scratch folder;
    host::fio_job job;
    job.logging.latency = "l";
    job.logging.per_job = false;
    job.logging.lat = false;
    job.logging.slat = false;
    CHECK(files_of({job, job}, folder.path()) == std::set<std::string>{"l_clat.log"});
    const std::string text = text_of(folder.path() / "l_clat.log");
    CHECK(std::count(text.begin(), text.end(), '\n') == 4);
    job.logging.per_job = true;
    CHECK(files_of({job, job}, folder.path()) ==
          std::set<std::string>{"l_clat.1.log", "l_clat.2.log"});
    job.logging.clat = false;
    CHECK(files_of({job, job}, folder.path()).empty());
    CHECK(files_of({host::fio_job()}, folder.path()).empty());
}

} // namespace report_fio_log_test
