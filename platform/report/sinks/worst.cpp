// SPDX-License-Identifier: Apache-2.0
//
// worst.csv: the slowest requests of the measured part, slowest first; of equal ones the earlier
// first. Its columns are those of --requests-log. worst_meanwhile.csv: what the LUN and the bus of
// each did while it waited.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <vector>

#include "platform/report/output.h"
#include "platform/report/sinks/request_row.h"
#include "platform/report/sinks/sink.h"
#include "platform/report/timeline/flush_times.h"
#include "platform/report/timeline/meanwhile.h"
#include "platform/report/timeline/meanwhile_row.h"

namespace ssdvp::platform {

namespace {

struct slow_request {
    host::request_result result;
    std::vector<meanwhile_piece> meanwhile;
};

bool worse_result(const host::request_result& a, const host::request_result& b)
{
    return a.latency() > b.latency() || (a.latency() == b.latency() && a.sequence < b.sequence);
}

bool worse_than(const slow_request& a, const slow_request& b)
{
    return worse_result(a.result, b.result);
}

class worst_sink final : public report_sink, private host::request_observer {
public:
    /// `flash`: there is some; an array has none.
    worst_sink(std::size_t most, const std::filesystem::path& directory, bool flash)
        : m_most(most), m_file(directory / "worst.csv")
    {
        if (flash) {
            m_meanwhile_file = directory / "worst_meanwhile.csv";
        }
        m_kept.reserve(most);
    }
    [[nodiscard]] std::vector<std::filesystem::path> files() const override
    {
        return m_meanwhile_file.empty() ? std::vector{m_file}
                                        : std::vector{m_file, m_meanwhile_file};
    }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    [[nodiscard]] timeline* trace() override
    {
        return m_meanwhile_file.empty() ? nullptr : &m_meanwhile.history();
    }
    void finish(const sink_results&) override;

private:
    void on_complete(const host::request_result& result) override;

    std::size_t m_most;
    std::filesystem::path m_file;
    std::filesystem::path m_meanwhile_file; // empty: none
    meanwhile m_meanwhile;
    flush_times m_flushes;
    std::vector<slow_request> m_kept; // a heap whose first is the least bad of those kept
};

/// What was kept of a request that is not among the worst any more makes room for the new one's.
void worst_sink::on_complete(const host::request_result& result)
{
    m_flushes.completed(result);
    if (m_kept.size() < m_most) {
        m_kept.emplace_back();
    } else if (worse_result(result, m_kept.front().result)) {
        std::pop_heap(m_kept.begin(), m_kept.end(), worse_than);
    } else {
        return;
    }
    m_kept.back().result = result;
    m_meanwhile.find(result, m_kept.back().meanwhile);
    std::push_heap(m_kept.begin(), m_kept.end(), worse_than);
}

void worst_sink::finish(const sink_results&)
{
    std::sort(m_kept.begin(), m_kept.end(), worse_than);
    std::string text = request_row_header() + '\n';
    std::string pieces = meanwhile_row_header() + '\n';
    std::vector<char> line(longest_request_row);
    for (const slow_request& r : m_kept) {
        text.append(line.data(), put_request_row(line.data(), r.result));
        text += '\n';
        for (const meanwhile_piece& p : r.meanwhile) {
            put_meanwhile_row(pieces, r.result, p, m_flushes);
        }
    }
    write_file_atomically(m_file, text);
    if (!m_meanwhile_file.empty()) {
        write_file_atomically(m_meanwhile_file, pieces);
    }
}

} // namespace

/// `value`: a count, which the command line has checked.
std::unique_ptr<report_sink> make_worst(const std::string& value, const sink_subject& of)
{
    std::size_t most = 0;
    std::from_chars(value.data(), value.data() + value.size(), most);
    return std::make_unique<worst_sink>(most, of.directory, of.page_size != 0);
}

} // namespace ssdvp::platform
