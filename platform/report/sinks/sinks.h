// SPDX-License-Identifier: Apache-2.0
//
// The reports of a run beside summary.json. A row is an identifier, how a user asks for the report,
// the option with what it names (of a word: the word), whose runs have it, and what `--help` says
// of it. A report is make_<id>() in <id>.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>

#define REPORT_SINKS(ROW)                                                                          \
    ROW(latency_csv, always, "--out", "DIR", of_run | of_serve | of_guest | of_array | of_sampled, \
        "latency.csv, the distribution of the latencies")                                          \
    ROW(latency_parts, always, "--out", "DIR", of_run | of_serve | of_guest | of_array,            \
        "latency_parts.csv, what the latencies consist of, from the shortest to the longest")      \
    ROW(fio_json, by_word, "--output-format", "fio", of_run | of_array,                            \
        "also fio.json, in the layout of fio 3")                                                   \
    ROW(fio_logs, by_jobs, "--fio", "FILE", of_run,                                                \
        "the logs that fio jobs ask for with write_lat_log and others")                            \
    ROW(requests_log, by_file, "--requests-log", "FILE.csv[.zst]",                                 \
        of_run | of_serve | of_guest | of_array, "one line per request")                           \
    ROW(worst, by_count, "--worst", "K", of_run | of_serve | of_guest | of_array,                  \
        "worst.csv: the K slowest requests, with what they waited for")                            \
    ROW(series, by_file, "--series", "FILE.csv|FILE.parquet", of_run | of_serve | of_guest,        \
        "rates, latencies, free space, load and power over time")                                  \
    ROW(wear, by_file, "--wear", "FILE.csv", of_run | of_serve | of_guest,                         \
        "erases of each block at the end of the run")                                              \
    ROW(timeline, by_file, "--timeline", "FILE.pftrace[.gz]", of_run | of_serve | of_guest,        \
        "what each block did, and when, for ui.perfetto.dev")                                      \
    ROW(vcd, by_file, "--vcd", "FILE.vcd[.gz]", of_run | of_serve | of_guest,                      \
        "waves of R/B#, buses, queues, interrupts and cores, for GTKWave or Surfer")               \
    ROW(mmio_trace, by_file, "--mmio-trace", "FILE.csv[.zst]", of_run | of_serve | of_guest,       \
        "accesses of cores to registers, by name, with the function of the firmware")              \
    ROW(onfi_trace, by_file, "--onfi-trace", "FILE.csv[.zst]", of_run | of_serve | of_guest,       \
        "cycle groups of the flash buses, and the edges of R/B#")                                  \
    ROW(tlp_trace, by_file, "--tlp-trace", "FILE.csv[.zst]", of_run | of_serve | of_guest,         \
        "packets of the PCIe link, by the fields of their headers")                                \
    ROW(record, by_file, "--record", "FILE", of_serve | of_guest,                                  \
        "the requests as a trace, for `ssdvp run --trace FILE,format=fio`")                        \
    ROW(ftl_series, by_file, "--ftl-series", "FILE.csv", of_run,                                   \
        "flash operations per 100 reads and writes of the host")                                   \
    ROW(fw_profile, by_folder, "--fw-profile", "DIR", of_run,                                      \
        "where firmware spends instructions and cycles: collapsed stacks and tables")

namespace ssdvp::platform {

/// always: not at all. by_word: the option takes a list of words. by_jobs: by options of fio jobs.
/// by_file, by_folder: the option names what is written. by_count: the option takes a number.
enum class sink_asked { always, by_word, by_jobs, by_file, by_folder, by_count };

/// Commands; whether arrays of drives have it, which have no flash and no firmware; and sampled
/// runs, whose requests nobody hears of one by one.
enum sink_of : unsigned { of_run = 1, of_serve = 2, of_guest = 4, of_array = 8, of_sampled = 16 };

#define SSDVP_SINK_ID(id, ...) id,
enum class sink_id { REPORT_SINKS(SSDVP_SINK_ID) };
#undef SSDVP_SINK_ID

struct sink_row {
    sink_id id;
    sink_asked asked;
    const char* option;
    const char* value;
    unsigned of;
    const char* about;
};

#define SSDVP_SINK_ROW(id, asked, option, value, of, about)                                        \
    {sink_id::id, sink_asked::asked, option, value, of, about},
constexpr sink_row sink_rows[] = {REPORT_SINKS(SSDVP_SINK_ROW)};
#undef SSDVP_SINK_ROW

/// By sink_id: what a user gave to the option; empty: the report is not wanted.
using sink_choice = std::array<std::string, std::size(sink_rows)>;

} // namespace ssdvp::platform
