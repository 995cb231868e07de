// SPDX-License-Identifier: Apache-2.0
//
// One line per request, plain or compressed by the name's ending (.gz, .zst): CSV (request_row.h),
// or a trace that fio and `ssdvp run --trace` replay.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/host/request.h"
#include "platform/report/compressed_file.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

enum class log_format {
    csv,
    iolog // of fio, version 3: us since the first request, action, bytes; a request that began
          // before the one above it has that one's time
};

class requests_log : public host::request_observer {
public:
    /// Opens the file; throws output_error when that cannot be done. `option`: where the name came
    /// from.
    explicit requests_log(const std::filesystem::path& file, log_format format = log_format::csv,
                          const char* option = "--requests-log");
    /// Keeps what was logged when finish() was not called, for instance on the way of an exception.
    ~requests_log() override;
    requests_log(const requests_log&) = delete;
    requests_log& operator=(const requests_log&) = delete;

    /// Allocates nothing. An error of writing is kept for finish(): the simulation is not at fault.
    void on_complete(const host::request_result& result) override;

    /// Whether requests are written: off during warm-up.
    void enable(bool on) { m_enabled = on; }

    /// Writes the rest and gives the file its name. Throws write_error when any of it failed.
    void finish();

private:
    char* put_iolog(char* at, const host::request_result& r);
    void flush();

    log_format m_format;
    sim_time m_first; // iolog: the first request's arrival, and the time of the last line
    std::uint64_t m_last_us = 0;
    bool m_begun = false;
    std::unique_ptr<compressed_file> m_file;
    std::vector<char> m_buffer;
    std::size_t m_used = 0;
    bool m_enabled = true;
    bool m_open = true;
};

/// The sink of either format.
class requests_log_sink final : public report_sink {
public:
    requests_log_sink(std::filesystem::path file, log_format format, const char* option)
        : m_file(std::move(file)), m_format(format), m_option(option)
    {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {m_file}; }
    void open() override { m_log.emplace(m_file, m_format, m_option); }
    [[nodiscard]] host::request_observer* requests() override { return &*m_log; }
    void finish(const sink_results&) override { m_log->finish(); }

private:
    std::filesystem::path m_file;
    log_format m_format;
    const char* m_option;
    std::optional<requests_log> m_log; // open
};

} // namespace ssdvp::platform
