// SPDX-License-Identifier: Apache-2.0
#include "platform/report/latency_csv.h"

#include <fmt/format.h>
#include <iterator>

#include "platform/report/output.h"

namespace ssdvp::platform {

namespace {

/// Picoseconds as nanoseconds, exact.
std::string nanoseconds(sim_time t)
{
    return fmt::format("{}.{:03}", t.ps() / 1000, t.ps() % 1000);
}

} // namespace

std::string latency_csv(const request_statistics& requests)
{
    std::string text = "kind,from_ns,to_ns,count\n";
    for (std::size_t k = 0; k < host::request_kinds; ++k) {
        const auto kind = static_cast<host::request_kind>(k);
        for (const histogram::bucket& b : requests.kind(kind).latency.occupied()) {
            fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", request_kind_names[k],
                           nanoseconds(b.from), nanoseconds(b.to), b.count);
        }
    }
    return text;
}

void write_latencies(const std::filesystem::path& directory, const request_statistics& requests)
{
    write_file_atomically(directory / "latency.csv", latency_csv(requests));
}

} // namespace ssdvp::platform
