// SPDX-License-Identifier: Apache-2.0
//
// A trace of a drive as a report: CSV, plain or compressed by the ending of its name.
#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/compressed_file.h"
#include "platform/report/output_file.h"
#include "platform/report/sinks/sink.h"
#include "platform/report/traces/record.h"

namespace ssdvp::platform {

template <typename Row>
class trace_sink : public report_sink, private host::request_observer {
public:
    /// `option`: where the name came from. `columns`: their names.
    trace_sink(std::filesystem::path file, const char* option, const sink_subject& of,
               const char* columns)
        : m_file(std::move(file)), m_option(option), m_columns(columns),
          m_record(
              of.traced, [this](Row& row) { see(row); }, [this](const Row& row) { take(row); })
    {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const final { return {m_file}; }
    void open() final
    {
        m_output.emplace(m_file, m_option);
        m_text = std::string(m_columns) + "\n";
    }
    [[nodiscard]] host::request_observer* requests() final { return this; }
    void begin(const counters& now, const std::function<counters()>&) final
    {
        m_record.begin(now.when);
    }
    void end(const counters& now) final { m_record.end(now.when); }
    void finish(const sink_results&) final
    {
        m_record.finish();
        if (!m_record.reached()) {
            throw write_error(fmt::format("{}: is not written: --trace-window begins behind the "
                                          "end of the run, which had {} requests; choose an "
                                          "earlier one",
                                          m_file.string(), m_record.requests()));
        }
        m_output->write(m_text);
        m_output->finish();
    }

protected:
    [[nodiscard]] trace_record<Row>& record() { return m_record; }
    /// Of all rows in order, those outside of the window too.
    virtual void see(Row&) {}
    /// The row, without its end of line.
    virtual void put(const Row& row, std::string& to) = 0;

private:
    static constexpr std::size_t block = 1u << 16; // bytes

    void on_complete(const host::request_result& result) final { m_record.completed(result); }
    void take(const Row& row)
    {
        put(row, m_text);
        m_text += '\n';
        if (m_text.size() >= block) {
            m_output->write(m_text);
            m_text.clear();
        }
    }

    std::filesystem::path m_file;
    const char* m_option;
    const char* m_columns;
    trace_record<Row> m_record;
    std::optional<compressed_file> m_output; // open
    std::string m_text;                      // not written yet
};

} // namespace ssdvp::platform
