// SPDX-License-Identifier: Apache-2.0
//
// latency_parts.csv: of the requests whose latency is in a bucket, how many there are and what
// parts their latencies consist of. From it one sees what the slowest ones wait for
// (docs/results.md lists its columns). 16 buckets per power of two.
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <vector>

#include "models/common/log_buckets.h"
#include "platform/report/format.h"
#include "platform/report/output.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

namespace {

using latency_cells = log_buckets<4>;

struct parts_cell {
    std::uint64_t count = 0;
    std::array<std::uint64_t, latency_parts> parts{}; // sums, ps
};

class latency_parts_sink final : public report_sink, private host::request_observer {
public:
    explicit latency_parts_sink(const std::filesystem::path& directory)
        : m_file(directory / "latency_parts.csv"),
          m_cells(host::request_kinds * latency_cells::count)
    {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {m_file}; }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    void finish(const sink_results&) override { write_file_atomically(m_file, csv()); }

private:
    void on_complete(const host::request_result& r) override
    {
        const std::size_t kind = static_cast<std::size_t>(r.req.kind) * latency_cells::count;
        parts_cell& cell = m_cells[kind + latency_cells::index_of(r.latency().ps())];
        ++cell.count;
        for (std::size_t i = 0; i < latency_parts; ++i) {
            cell.parts[i] += r.parts[i].ps();
        }
    }

    [[nodiscard]] std::string csv() const
    {
        std::string text = "kind,from_ns,to_ns,count";
        for (const char* part : latency_part_names) {
            text += fmt::format(",{}_ns", part);
        }
        text += '\n';
        for (std::size_t k = 0; k < host::request_kinds; ++k) {
            for (std::size_t i = 0; i < latency_cells::count; ++i) {
                put(text, request_kind_names[k], i, m_cells[k * latency_cells::count + i]);
            }
        }
        return text;
    }

    static void put(std::string& text, const char* kind, std::size_t i, const parts_cell& cell)
    {
        if (cell.count == 0) {
            return;
        }
        const std::uint64_t from = latency_cells::lowest(i);
        fmt::format_to(std::back_inserter(text), "{},{},{},{}", kind, exact_ns(from),
                       exact_ns(from + latency_cells::width(i)), cell.count);
        for (const std::uint64_t part : cell.parts) {
            text += ',' + exact_ns(part);
        }
        text += '\n';
    }

    std::filesystem::path m_file;
    std::vector<parts_cell> m_cells; // by kind, then by latency
};

} // namespace

std::unique_ptr<report_sink> make_latency_parts(const std::string&, const sink_subject& of)
{
    return std::make_unique<latency_parts_sink>(of.directory);
}

} // namespace ssdvp::platform
