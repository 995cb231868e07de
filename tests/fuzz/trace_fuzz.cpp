// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a trace of the format that trace_format.cpp names: scanned, and when that finds no
// fault, replayed; the two must agree, and every request must lie on the drive.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <systemc>
#include <unistd.h>

#include "models/host/workload/trace.h"
#include "models/host/workload/trace_source.h"
#include "tests/fuzz/trace_format.h"

using namespace ssdvp;

namespace {

constexpr std::uint64_t drive = 1u << 20; // sectors
constexpr std::uint64_t most = 100000;    // requests of one input

[[noreturn]] void wrong(const char* what)
{
    std::fprintf(stderr, "trace: %s\n", what);
    std::abort();
}

void replay(const host::trace_config& config, const host::trace_summary& summary)
{
    host::trace_source source(config, summary, drive, 0);
    host::request r;
    sim_time last;
    for (std::uint64_t i = 0; i < most && source.next(sim_time(), r); ++i) {
        if (r.kind != host::request_kind::flush &&
            (r.sectors == 0 || r.lba >= drive || r.sectors > drive - r.lba)) {
            wrong("a request beyond the drive");
        }
        if (r.arrival < last) {
            wrong("an arrival before the one before it");
        }
        last = r.arrival;
    }
    if (!source.error().empty()) {
        wrong("the second pass finds a fault that the first did not");
    }
}

void scan(const std::string& file, host::trace_fit fit)
{
    host::trace_config config;
    config.file = file;
    config.format = host::format_of_name(std::string("x.") + fuzz::trace_format);
    config.fit = fit;
    try {
        replay(config, host::scan_trace(config, drive));
    } catch (const host::trace_error& e) {
        const std::string message = e.what();
        if (message.find(file) != 0) {
            wrong("an error without its place");
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length)
{
    static const std::string file = "trace_fuzz_" + std::to_string(getpid()) + ".tmp";
    std::FILE* out = std::fopen(file.c_str(), "wb");
    if (out == nullptr || std::fwrite(bytes, 1, length, out) != length) {
        wrong("no place for the input");
    }
    std::fclose(out);
    for (const host::trace_fit fit :
         {host::trace_fit::wrap, host::trace_fit::scale, host::trace_fit::error}) {
        scan(file, fit);
    }
    std::remove(file.c_str());
    return 0;
}

/// SystemC's library has a main that calls it; libFuzzer's main is the one in use.
int sc_main(int, char*[])
{
    return 0;
}
