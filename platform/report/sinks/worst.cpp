// SPDX-License-Identifier: Apache-2.0
//
// worst.csv: the slowest requests of the measured part, slowest first; of equal ones the earlier
// first. Its columns are those of --requests-log.
#include <algorithm>
#include <charconv>
#include <vector>

#include "platform/report/output.h"
#include "platform/report/sinks/request_row.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

namespace {

bool worse_than(const host::request_result& a, const host::request_result& b)
{
    return a.latency() > b.latency() || (a.latency() == b.latency() && a.sequence < b.sequence);
}

class worst_sink final : public report_sink, private host::request_observer {
public:
    worst_sink(std::size_t most, const std::filesystem::path& directory)
        : m_most(most), m_file(directory / "worst.csv")
    {
        m_kept.reserve(most);
    }
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {m_file}; }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    void finish(const sink_results&) override
    {
        std::sort(m_kept.begin(), m_kept.end(), worse_than);
        std::string text = request_row_header() + '\n';
        std::vector<char> line(longest_request_row);
        for (const host::request_result& r : m_kept) {
            text.append(line.data(), put_request_row(line.data(), r));
            text += '\n';
        }
        write_file_atomically(m_file, text);
    }

private:
    /// A heap whose first is the least bad of those kept.
    void on_complete(const host::request_result& result) override
    {
        if (m_kept.size() < m_most) {
            m_kept.push_back(result);
        } else if (worse_than(result, m_kept.front())) {
            std::pop_heap(m_kept.begin(), m_kept.end(), worse_than);
            m_kept.back() = result;
        } else {
            return;
        }
        std::push_heap(m_kept.begin(), m_kept.end(), worse_than);
    }

    std::size_t m_most;
    std::filesystem::path m_file;
    std::vector<host::request_result> m_kept;
};

} // namespace

/// `value`: a count, which the command line has checked.
std::unique_ptr<report_sink> make_worst(const std::string& value, const sink_subject& of)
{
    std::size_t most = 0;
    std::from_chars(value.data(), value.data() + value.size(), most);
    return std::make_unique<worst_sink>(most, of.directory);
}

} // namespace ssdvp::platform
