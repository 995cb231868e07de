// SPDX-License-Identifier: Apache-2.0
//
// Any text as a fio job file: either an error that says where, or jobs whose requests stay in
// their ranges. A job's first requests are drawn; nothing is simulated.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <systemc>

#include "models/host/workload/fio_source.h"
#include "platform/fio/jobs.h"
#include "platform/input/config_error.h"

using namespace ssdvp;

namespace {

constexpr std::uint64_t drive = 1ull << 30; // bytes
constexpr int requests = 50;                // of a job
constexpr std::size_t most_jobs = 8;
constexpr std::uint64_t largest_range = 1ull << 22; // sectors; bits of a job with verify

[[noreturn]] void wrong(const char* what)
{
    std::fprintf(stderr, "fio jobs: %s\n", what);
    std::abort();
}

void draw(const host::fio_job& job, std::uint16_t index)
{
    if (job.sectors > largest_range) {
        wrong("a range larger than the drive");
    }
    host::fio_source source(job, index, 1);
    host::request r;
    for (int i = 0; i < requests; ++i) {
        if (!source.next(sim_time(), r) && !source.drains()) {
            return;
        }
        const bool outside = r.lba < job.first || r.sectors > job.sectors ||
                             r.lba - job.first > job.sectors - r.sectors;
        if (r.kind != host::request_kind::flush && r.sectors != 0 && outside) {
            wrong("a request outside of the job's range");
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length)
{
    const std::string_view text(reinterpret_cast<const char*>(bytes), length);
    if (text.find("include") != std::string_view::npos ||
        text.find("${") != std::string_view::npos) {
        return 0; // files and variables of the machine are no input of this target
    }
    try {
        const host::fio_config c = platform::fio::parse_jobs(text, "job", {drive, data_mode::tag});
        for (std::size_t i = 0; i < c.jobs.size() && i < most_jobs; ++i) {
            draw(c.jobs[i], static_cast<std::uint16_t>(i));
        }
    } catch (const platform::config_error& e) {
        if (std::string_view(e.what()).substr(0, 3) != "job") {
            wrong("an error without its place");
        }
    }
    return 0;
}

/// SystemC's library has a main that calls it; libFuzzer's main is the one in use.
int sc_main(int, char*[])
{
    return 0;
}
