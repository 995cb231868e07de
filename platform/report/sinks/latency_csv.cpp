// SPDX-License-Identifier: Apache-2.0
//
// latency.csv: the distribution of the latencies, for plots. docs/results.md lists its columns.
#include <fmt/format.h>
#include <iterator>

#include "platform/report/format.h"
#include "platform/report/output.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

namespace {

std::string latency_csv(const request_statistics& requests)
{
    std::string text = "kind,from_ns,to_ns,count\n";
    for (std::size_t k = 0; k < host::request_kinds; ++k) {
        const auto kind = static_cast<host::request_kind>(k);
        for (const histogram::bucket& b : requests.kind(kind).latency.occupied()) {
            fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", request_kind_names[k],
                           exact_ns(b.from.ps()), exact_ns(b.to.ps()), b.count);
        }
    }
    return text;
}

class latency_csv_sink final : public report_sink {
public:
    explicit latency_csv_sink(const std::filesystem::path& directory)
        : m_file(directory / "latency.csv")
    {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {m_file}; }
    void finish(const sink_results& r) override
    {
        write_file_atomically(m_file, latency_csv(r.requests));
    }

private:
    std::filesystem::path m_file;
};

} // namespace

std::unique_ptr<report_sink> make_latency_csv(const std::string&, const sink_subject& of)
{
    return std::make_unique<latency_csv_sink>(of.directory);
}

} // namespace ssdvp::platform
